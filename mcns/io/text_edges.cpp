#include "mcns/io/text_edges.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "mcns/core/error.h"
#include "mcns/core/names.h"
#include "mcns/core/plain_text.h"
#include "mcns/io/edge_lines.h"
#include "mcns/io/input.h"
#include "mcns/io/scan.h"
#include "mcns/io/text_lines.h"

namespace mcns {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

struct BadLine {
  std::int64_t line;  ///< from the start of the piece, from 0
  std::string what;
};

/// Where the pairs and values of a piece go.
struct Target {
  Pair* pairs;
  float* values;  ///< null where there are none
  double* times;  ///< likewise
};

/// A run of whole lines of the file and what became of it.
struct Piece {
  std::string_view text;
  std::int64_t lines = 0;  ///< in this piece
  std::int64_t first = 0;  ///< lines in the pieces before: where its pairs are written
  std::int64_t pairs = 0;
  std::int64_t low_rated = 0;  ///< lines that were dropped
  std::optional<BadLine> bad;

  void add(const Target& target, Pair pair, const LineValues& values, bool is_low) {
    if (is_low) {
      ++low_rated;
      return;
    }
    if (target.values != nullptr) target.values[pairs] = values.value;
    if (target.times != nullptr) target.times[pairs] = values.time;
    target.pairs[pairs++] = pair;
  }
};

/// Parses lines of integer ids; `text` ends in a newline. The lines a generator writes take the
/// short way, anything unusual goes through LineParser.
class NumericReader {
 public:
  NumericReader(const LineParser& parser, Piece& piece, Target target)
      : parser_(parser),
        piece_(piece),
        target_(target),
        separator_(parser.layout().separator),
        others_(parser.layout().columns - (parser.value() < 0 ? 2 : 3)) {}

  /// False once a name was met that is no plain integer.
  bool read(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    const bool plain = parser_.is_plain();
    while (at < end) {
      const char* p = at;
      if (plain && take_edge(p, end)) {
        ++piece_.pairs;
        at = p;
      } else {
        const auto* stop = static_cast<const char*>(std::memchr(at, '\n', end - at));
        if (!read_line({at, static_cast<std::size_t>(stop - at)})) return false;
        at = stop + 1;
      }
      ++line_;
    }
    return true;
  }

  std::int64_t line() const { return line_; }

 private:
  /// A line that leaves nothing to complain about; others take the long way.
  bool take_edge(const char*& p, const char* end) {
    Pair& pair = target_.pairs[piece_.pairs];
    return take_id(p, end, pair.source) && take_separator(p) && take_id(p, end, pair.target) &&
           (parser_.value() < 0 || (take_separator(p) && take_value(p, end))) &&
           (others_ == 0 || skip_others(p)) && take_line_end(p);
  }

  bool take_separator(const char*& at) const {
    if (*at != separator_[0]) return false;
    if (separator_.size() > 1 && std::strncmp(at, separator_.data(), separator_.size()) != 0)
      return false;
    at += separator_.size();
    return true;
  }

  /// Moves to the end of a line whose other columns have no quotes.
  bool skip_others(const char*& at) const {
    int columns = 0;
    while (*at != '\n' && *at != '\r') {
      if (take_separator(at)) {
        ++columns;
      } else if (*at == '"' || *at == '{' || static_cast<unsigned char>(*at) < 0x20) {
        return false;
      } else {
        ++at;
      }
    }
    return columns == others_;
  }

  bool take_value(const char*& at, const char* end) {
    double value;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || !is_valid(value, parser_.third())) return false;
    target_.values[piece_.pairs] = static_cast<float>(value);
    at = stop;
    return true;
  }

  bool read_line(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    LineValues values;
    const auto kind = parser_.parse(line, fields_, values);
    if (kind == LineParser::Line::kNone) return true;
    std::array<NodeId, 2> ids;
    for (const int i : {0, 1}) {
      const auto id = plain_integer(fields_[i == 0 ? parser_.source() : parser_.target()]);
      if (!id || *id > std::numeric_limits<NodeId>::max()) return false;
      ids[i] = static_cast<NodeId>(*id);
    }
    piece_.add(target_, {ids[0], ids[1]}, values, kind == LineParser::Line::kLowRated);
    return true;
  }

  const LineParser& parser_;
  Piece& piece_;
  Target target_;
  const std::string& separator_;
  int others_;  ///< columns behind those that are read
  Fields fields_;
  std::int64_t line_ = 0;
};

/// The names of a piece, numbered in order of first appearance.
class LocalNames {
 public:
  NodeId intern(std::string_view name, bool is_stable) {
    if (const auto found = index_.find(name); found != index_.end()) return found->second;
    if (const std::string problem = id_problem(name); !problem.empty()) throw LineError(problem);
    if (!is_stable) name = owned_.emplace_back(name);
    const auto id = static_cast<NodeId>(names_.size());
    index_.emplace(name, id);
    names_.push_back(name);
    return id;
  }
  const std::vector<std::string_view>& names() const { return names_; }
  /// Views stay valid; only the table goes.
  void forget_index() { index_ = {}; }

 private:
  std::unordered_map<std::string_view, NodeId> index_;
  std::vector<std::string_view> names_;
  std::deque<std::string> owned_;
};

class EdgeFile {
 public:
  EdgeFile(const Input& input, const std::string& path, const TextOptions& options,
           ThreadPool& pool)
      : path_(path),
        pool_(pool),
        input_(input),
        parser_(detect_layout(input.bytes(), options, path), options) {
    cut_pieces();
  }

  RawEdges read() {
    allocate();
    if (!read_numeric()) read_names();
    close_gaps();
    tell();
    return std::move(edges_);
  }

 private:
  /// Cuts at the first line end after every kPieceBytes; counts the lines.
  void cut_pieces() {
    const std::string_view data = input_.bytes().substr(parser_.layout().begin);
    pieces_.resize(data.size() / kPieceBytes + 1);
    // After the counting: reading backwards would load released pages again.
    std::size_t begin = 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const auto end = data.find('\n', std::max(begin, (i + 1) * kPieceBytes) - 1);
      pieces_[i].text = data.substr(begin, end == data.npos ? end : end + 1 - begin);
      begin += pieces_[i].text.size();
    }
    pool_.run(static_cast<std::int64_t>(pieces_.size()), [&](std::int64_t i) {
      Piece& piece = pieces_[i];
      piece.lines = count_lines(piece.text);
      if (!piece.text.empty() && piece.text.back() != '\n') ++piece.lines;
      release(piece);
    });
    std::int64_t lines = 0;
    for (Piece& piece : pieces_) {
      piece.first = lines;
      lines += piece.lines;
    }
  }

  void allocate() {
    const auto lines = static_cast<std::size_t>(pieces_.back().first + pieces_.back().lines);
    edges_.pairs.resize(lines);
    if (parser_.value() >= 0) edges_.values.resize(lines);
    if (parser_.layout()[Role::kTime] >= 0) edges_.times.resize(lines);
  }

  Target target(const Piece& piece) {
    return {edges_.pairs.data() + piece.first,
            edges_.values.empty() ? nullptr : edges_.values.data() + piece.first,
            edges_.times.empty() ? nullptr : edges_.times.data() + piece.first};
  }

  void release(const Piece& piece) const {
    const auto begin = static_cast<std::size_t>(piece.text.data() - input_.bytes().data());
    input_.release(begin, begin + piece.text.size());
  }

  /// False if some id is no plain integer.
  bool read_numeric() {
    std::atomic<bool> has_names{false};
    pool_.run(static_cast<std::int64_t>(pieces_.size()), [&](std::int64_t i) {
      Piece& piece = pieces_[i];
      if (piece.text.empty() || has_names.load(std::memory_order_relaxed)) return;
      NumericReader reader(parser_, piece, target(piece));
      try {
        const auto whole = piece.text.rfind('\n') + 1;
        if (!reader.read(piece.text.substr(0, whole)) ||
            (whole < piece.text.size() &&
             !reader.read(std::string(piece.text.substr(whole)) + '\n')))
          has_names.store(true, std::memory_order_relaxed);
      } catch (const LineError& error) {
        piece.bad = {reader.line(), error.what()};
      }
      release(piece);
    });
    if (has_names) return false;
    throw_first_bad();
    return true;
  }

  void read_names() {
    edges_.numeric = false;
    std::vector<LocalNames> local(pieces_.size());
    pool_.run(static_cast<std::int64_t>(pieces_.size()),
              [&](std::int64_t i) { read_names(pieces_[i], local[i]); });
    throw_first_bad();

    std::unordered_map<std::string_view, NodeId> index;
    std::vector<std::vector<NodeId>> global(pieces_.size());
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      for (const std::string_view name : local[i].names()) {
        const auto [at, is_new] = index.try_emplace(name, static_cast<NodeId>(index.size()));
        if (is_new) edges_.names.emplace_back(name);
        global[i].push_back(at->second);
      }
    }
    pool_.run(static_cast<std::int64_t>(pieces_.size()), [&](std::int64_t i) {
      Pair* pairs = target(pieces_[i]).pairs;
      for (std::int64_t k = 0; k < pieces_[i].pairs; ++k)
        pairs[k] = {global[i][pairs[k].source], global[i][pairs[k].target]};
    });
  }

  void read_names(Piece& piece, LocalNames& names) {
    const Target out = target(piece);
    std::string_view rest = piece.text;
    Fields fields;
    piece.pairs = piece.low_rated = 0;
    piece.bad.reset();
    const auto intern = [&](int column) {
      return names.intern(fields[column], !fields.is_copy(column));
    };
    for (std::int64_t line = 0; !rest.empty(); ++line) {
      try {
        LineValues values;
        const auto kind = parser_.parse(take_line(rest), fields, values);
        if (kind == LineParser::Line::kNone) continue;
        const bool is_low = kind == LineParser::Line::kLowRated;
        const NodeId source = is_low ? 0 : intern(parser_.source());
        piece.add(out, {source, is_low ? 0 : intern(parser_.target())}, values, is_low);
      } catch (const LineError& error) {
        piece.bad = {line, error.what()};
        break;
      }
    }
    names.forget_index();
  }

  void throw_first_bad() const {
    for (const Piece& piece : pieces_)
      if (piece.bad)
        throw_bad_data(path_, parser_.layout().first_line + piece.first + piece.bad->line,
                       piece.bad->what);
  }

  /// Lines without data leave gaps between the pieces.
  void close_gaps() {
    std::int64_t size = 0;
    for (const Piece& piece : pieces_) {
      if (size != piece.first) {
        std::copy_n(edges_.pairs.begin() + piece.first, piece.pairs, edges_.pairs.begin() + size);
        if (!edges_.values.empty())
          std::copy_n(edges_.values.begin() + piece.first, piece.pairs,
                      edges_.values.begin() + size);
        if (!edges_.times.empty())
          std::copy_n(edges_.times.begin() + piece.first, piece.pairs, edges_.times.begin() + size);
      }
      size += piece.pairs;
    }
    edges_.pairs.resize(size);
    if (!edges_.values.empty()) edges_.values.resize(size);
    if (!edges_.times.empty()) edges_.times.resize(size);
  }

  void tell() {
    const TextLayout& layout = parser_.layout();
    edges_.report = layout.report;
    for (const Piece& piece : pieces_) edges_.report.low_rated += piece.low_rated;
    edges_.report.rows = std::ssize(edges_.pairs) + edges_.report.low_rated;
    edges_.user_item = layout.konect_bipartite;
    edges_.named_user_item = layout.user_item;
    edges_.asked_weights = layout.asked_weights;
    if (edges_.report.rows == 0) throw_bad_data(path_, 0, "no edges in the file");
    if (edges_.pairs.empty())
      throw_bad_data(path_, 0,
                     fmt::format("none of the {} ratings is as high as --min-rating",
                                 edges_.report.low_rated));
  }

  const std::string& path_;
  ThreadPool& pool_;
  const Input& input_;
  LineParser parser_;
  std::vector<Piece> pieces_;
  RawEdges edges_;
};

}  // namespace

RawEdges read_text_edges(const Input& input, const std::string& path, const TextOptions& options,
                         ThreadPool& pool) {
  return EdgeFile(input, path, options, pool).read();
}

}  // namespace mcns
