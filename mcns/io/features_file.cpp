#include "mcns/io/features_file.h"

#include <charconv>
#include <optional>

#include "mcns/core/error.h"
#include "mcns/core/plain_text.h"
#include "mcns/io/delimited.h"
#include "mcns/io/input.h"
#include "mcns/io/model_directory.h"
#include "mcns/io/npy.h"
#include "mcns/io/text_lines.h"
#include "mcns/io/vector_files.h"

namespace mcns {
namespace {

/// A network has a vector for every feature up to the largest index, so a slip of one takes all
/// memory.
constexpr NodeId kMostFeatures = 1 << 24;

/// Nodes outside the graph may have features that none in it has, which a model must know to encode
/// them later; but one line about a stranger must not make the model huge.
constexpr NodeId kMostOfStrangers = 1 << 16;

struct Entry {
  NodeId column;
  float value;
};

/// Lists of the nodes, in any order, to compressed rows.
Features compress(const std::vector<std::vector<Entry>>& rows, NodeId width) {
  std::vector<EdgeId> offsets{0};
  std::vector<NodeId> columns;
  std::vector<float> values;
  for (const auto& row : rows) {
    for (const Entry entry : row) {
      columns.push_back(entry.column);
      values.push_back(entry.value);
    }
    offsets.push_back(static_cast<EdgeId>(columns.size()));
  }
  return {std::move(offsets), std::move(columns), std::move(values), width};
}

Features from_table(const std::string& path, const Matrix& table, const Graph& graph,
                    const Names& names) {
  const NodeId nodes = graph.num_nodes();
  std::vector<std::vector<Entry>> rows(nodes);
  for (NodeId v = 0; v < nodes; ++v) {
    std::int64_t row = v;
    if (table.rows() != nodes) {
      const auto id = plain_integer(names.name(v));
      if (!id || *id >= table.rows())
        throw_bad_data(
            path, 0,
            fmt::format("has {} rows for {} nodes, and node '{}' is not the number of one",
                        table.rows(), nodes, names.name(v)));
      row = *id;
    }
    for (int j = 0; j < table.dim(); ++j)
      if (table.row(row)[j] != 0) rows[v].push_back({j, table.row(row)[j]});
  }
  return compress(rows, table.dim());
}

/// At tabs or commas, where nothing between two is an empty field, or at runs of blanks.
std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> out;
  const char separator = line.find('\t') != line.npos  ? '\t'
                         : line.find(',') != line.npos ? ','
                                                       : ' ';
  for (bool more = true; more;) {
    const auto end = line.find(separator);
    std::string_view field = line.substr(0, end);
    while (field.starts_with(' ')) field.remove_prefix(1);
    while (field.ends_with(' ') || field.ends_with('\r')) field.remove_suffix(1);
    if (!field.empty() || separator != ' ') out.push_back(field);
    more = end != line.npos;
    if (more) line.remove_prefix(end + 1);
  }
  return out;
}

std::optional<float> number(std::string_view text) {
  double value = 0;
  if (!parse_number(text, value)) return std::nullopt;
  return static_cast<float>(value);
}

class TextFeatures {
 public:
  TextFeatures(const std::string& path, const Graph& graph, const Names& names)
      : path_(path),
        rows_(graph.num_nodes()),
        seen_(graph.num_nodes()),
        first_(names, graph.sources()) {
    if (graph.is_bipartite()) second_.emplace(names, graph.targets());
  }

  void read() {
    const Input input(path_);
    std::string_view bytes = without_mark(input.bytes());
    bool first = true;
    while (!bytes.empty()) {
      ++line_;
      const std::string_view line = take_line(bytes);
      if (!is_data_line(line)) continue;
      const auto fields = split(line);
      if (!first || !is_header(fields)) add(fields);
      first = false;
    }
  }

  Features finish() const { return compress(rows_, width_); }

 private:
  static bool is_header(const std::vector<std::string_view>& fields) {
    for (std::size_t i = 1; i < fields.size(); ++i)
      if (fields[i].empty() || number(fields[i].substr(fields[i].find(':') + 1))) return false;
    return fields.size() > 1;
  }

  [[noreturn]] void fail(const std::string& what) const { throw_bad_data(path_, line_, what); }

  void add(const std::vector<std::string_view>& fields) {
    if (fields.size() < 2) fail("expected a node and its features");
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (fields[i].empty()) fail(fmt::format("column {} is empty", i + 1));
    const bool sparse = fields[1].find(':') != fields[1].npos;
    if (dense_width_ && sparse != sparse_) fail("mixes `index:value` and plain numbers");
    sparse_ = sparse;
    if (!sparse && dense_width_ && fields.size() - 1 != *dense_width_)
      fail(fmt::format("{} features, the lines before have {}", fields.size() - 1, *dense_width_));
    dense_width_ = sparse ? 0 : fields.size() - 1;
    const std::string name(fields[0]);
    if (const std::string problem = id_problem(name); !problem.empty()) fail(problem);
    const auto user = first_.find(name);
    const auto item = second_ ? second_->find(name) : std::nullopt;
    if (user && item)
      fail(fmt::format(
          "'{}' is a user and an item; give features as .npy, in the order of nodes.tsv", name));
    const std::optional<NodeId> node = user ? user : item;
    if (node && seen_[*node]) fail(fmt::format("a second line for node '{}'", name));
    if (node) seen_[*node] = true;
    for (std::size_t i = 1; i < fields.size(); ++i) {
      const Entry entry = parse(fields[i], static_cast<NodeId>(i - 1));
      if (node || entry.column < kMostOfStrangers) width_ = std::max(width_, entry.column + 1);
      if (node && entry.value != 0) rows_[*node].push_back(entry);
    }
  }

  Entry parse(std::string_view field, NodeId position) const {
    if (sparse_) {
      const auto colon = field.find(':');
      const std::string_view index = field.substr(0, colon);
      const auto [end, code] = std::from_chars(index.data(), index.data() + index.size(), position);
      if (colon == field.npos || code != std::errc() || end != index.data() + index.size() ||
          position < 0)
        fail(fmt::format("'{}' is not index:value", field));
      if (position >= kMostFeatures)
        fail(fmt::format("feature {} in '{}', expected an index below {}", position, field,
                         kMostFeatures));
      field = field.substr(colon + 1);
    }
    const auto value = number(field);
    if (!value || !std::isfinite(*value)) fail(fmt::format("'{}' is not a number", field));
    return {position, *value};
  }

  const std::string& path_;
  std::vector<std::vector<Entry>> rows_;
  std::vector<bool> seen_;
  RowIndex first_;
  std::optional<RowIndex> second_;
  std::int64_t line_ = 0;
  NodeId width_ = 0;
  std::optional<std::size_t> dense_width_;  ///< 0: the lines are sparse; none: before the first
  bool sparse_ = false;
};

}  // namespace

Features read_features(const std::string& path, const Graph& graph, const Names& names,
                       NodeId width) {
  const auto checked = [&](Features features) {
    if (features.entries() == 0)
      throw_bad_data(path, 0, "has no features of any node of the graph");
    if (width > 0 && features.width() > width)
      throw_bad_data(path, 0,
                     fmt::format("has {} features, the model has {}", features.width(), width));
    if (width > 0) features.widen(width);
    return features;
  };
  if (unpacked_name(path).ends_with(".npy")) {
    const Matrix table = read_npy(path);
    check_finite(path, table);
    return checked(from_table(path, table, graph, names));
  }
  TextFeatures text(path, graph, names);
  text.read();
  return checked(text.finish());
}

}  // namespace mcns
