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

#include "mcns/core/error.h"
#include "mcns/core/names.h"
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

/// A run of whole lines of the file and what became of it.
struct Piece {
  std::string_view text;
  std::int64_t lines = 0;  ///< in this piece
  std::int64_t first = 0;  ///< lines in the pieces before: where its pairs are written
  std::int64_t pairs = 0;
  std::optional<BadLine> bad;
};

/// Where the pairs and values of a piece go.
struct Target {
  Pair* pairs;
  float* values;  ///< null where the third column is not wanted
};

bool is_valid(double value, ThirdColumn third) {
  if (third == ThirdColumn::kLabel) return value == 0 || value == 1;
  return value >= 0 && std::isfinite(static_cast<float>(value));
}

float parse_value(std::string_view field, ThirdColumn third) {
  const bool is_label = third == ThirdColumn::kLabel;
  double value = 0;
  if (!parse_number(field, value) || !is_valid(value, third))
    throw LineError(fmt::format("{} '{}' in the third column, expected {}",
                                is_label ? "label" : "weight", field,
                                is_label ? "0 or 1" : "a finite number >= 0"));
  return static_cast<float>(value);
}

class LineParser {
 public:
  LineParser(const TextLayout& layout, ThirdColumn third) : layout_(layout), third_(third) {}

  /// Splits and checks a line; false if it holds no data. `value` is set where one is wanted.
  bool parse(std::string_view line, Fields& fields, float* value) const {
    if (!is_data_line(line)) {
      check_text(line);
      return false;
    }
    split_line(line, layout_.delimiter, fields);
    if (fields.count < 2)
      throw LineError(fmt::format("expected at least two columns, got '{}'", fields.at[0]));
    if (fields.at[0].empty() || fields.at[1].empty()) throw LineError("an id is empty");
    if (third_ == ThirdColumn::kIgnore) return true;
    const bool has_third = fields.count > 2 && !fields.at[2].empty();
    if (has_third != layout_.has_third)
      throw LineError(has_third ? "a third column, but the first line has two"
                                : "expected a third column, the first line has one");
    if (has_third) *value = parse_value(fields.at[2], third_);
    return true;
  }

  const TextLayout& layout() const { return layout_; }
  bool wants_values() const { return third_ != ThirdColumn::kIgnore && layout_.has_third; }
  ThirdColumn third() const { return third_; }

 private:
  TextLayout layout_;
  ThirdColumn third_;
};

/// Parses lines of integer ids; `text` ends in a newline. The lines a generator writes take the
/// short way, anything unusual goes through LineParser.
class NumericReader {
 public:
  NumericReader(const LineParser& parser, Piece& piece, Target target)
      : parser_(parser), piece_(piece), target_(target) {}

  /// False once a name was met that is no plain integer.
  bool read(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    const char delimiter = parser_.layout().delimiter;
    const bool two_columns = !parser_.wants_values();
    while (at < end) {
      Pair& pair = target_.pairs[piece_.pairs];
      const char* p = at;
      if (take_id(p, end, pair.source) && *p == delimiter && take_id(++p, end, pair.target) &&
          (two_columns || (*p == delimiter && take_value(++p, end))) && take_line_end(p)) {
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
  /// A value that leaves nothing to complain about; others take the long way.
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
    float value = 0;
    if (!parser_.parse(line, fields_, &value)) return true;
    std::array<NodeId, 2> ids;
    for (int i = 0; i < 2; ++i) {
      const auto id = plain_integer(fields_.at[i]);
      if (!id || *id > std::numeric_limits<NodeId>::max()) return false;
      ids[i] = static_cast<NodeId>(*id);
    }
    if (target_.values != nullptr) target_.values[piece_.pairs] = value;
    target_.pairs[piece_.pairs++] = {ids[0], ids[1]};
    return true;
  }

  const LineParser& parser_;
  Piece& piece_;
  Target target_;
  Fields fields_;
  std::int64_t line_ = 0;
};

/// The names of a piece, numbered in order of first appearance.
class LocalNames {
 public:
  NodeId intern(std::string_view name, bool is_stable) {
    if (const auto found = index_.find(name); found != index_.end()) return found->second;
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
  EdgeFile(const std::string& path, const TextOptions& options, ThreadPool& pool)
      : path_(path),
        pool_(pool),
        input_(path),
        parser_(detect_layout(input_.bytes()), options.third) {
    cut_pieces();
  }

  RawEdges read() {
    allocate();
    if (!read_numeric()) read_names();
    close_gaps();
    if (edges_.pairs.empty()) throw_bad_data(path_, 0, "no edges in the file");
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
    if (parser_.wants_values()) edges_.values.resize(lines);
  }

  Target target(const Piece& piece) {
    return {edges_.pairs.data() + piece.first,
            edges_.values.empty() ? nullptr : edges_.values.data() + piece.first};
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
    piece.pairs = 0;
    piece.bad.reset();
    const auto intern = [&](int column) {
      return names.intern(fields.at[column],
                          fields.at[column].data() != fields.unquoted[column].data());
    };
    for (std::int64_t line = 0; !rest.empty(); ++line) {
      try {
        float value = 0;
        if (!parser_.parse(take_line(rest), fields, &value)) continue;
        if (out.values != nullptr) out.values[piece.pairs] = value;
        const NodeId source = intern(0);
        out.pairs[piece.pairs++] = {source, intern(1)};
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
      }
      size += piece.pairs;
    }
    edges_.pairs.resize(size);
    if (!edges_.values.empty()) edges_.values.resize(size);
  }

  const std::string& path_;
  ThreadPool& pool_;
  Input input_;
  LineParser parser_;
  std::vector<Piece> pieces_;
  RawEdges edges_;
};

}  // namespace

RawEdges read_text_edges(const std::string& path, const TextOptions& options, ThreadPool& pool) {
  return EdgeFile(path, options, pool).read();
}

std::vector<NamedLabel> read_labels(const std::string& path) {
  const Input input(path);
  const TextLayout layout = detect_layout(input.bytes());
  std::vector<NamedLabel> out;
  Fields fields;
  std::string_view rest = input.bytes().substr(layout.begin);
  for (std::int64_t number = layout.first_line; !rest.empty(); ++number) {
    const std::string_view line = take_line(rest);
    try {
      if (!is_data_line(line)) {
        check_text(line);
        continue;
      }
      split_line(line, layout.delimiter, fields);
    } catch (const LineError& error) {
      throw_bad_data(path, number, error.what());
    }
    if (fields.count != 2 || fields.at[0].empty() || fields.at[1].empty())
      throw_bad_data(
          path, number,
          fmt::format("expected two columns, a node and its label, got {}", fields.count));
    out.push_back({std::string(fields.at[0]), std::string(fields.at[1])});
  }
  if (out.empty()) throw_bad_data(path, 0, "no labels in the file");
  return out;
}

}  // namespace mcns
