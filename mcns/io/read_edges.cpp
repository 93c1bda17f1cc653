#include "mcns/io/read_edges.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "mcns/core/error.h"
#include "mcns/io/formats/formats.h"
#include "mcns/io/formats/sniff.h"
#include "mcns/io/graph_file.h"
#include "mcns/io/input.h"
#include "mcns/io/text_edges.h"

namespace mcns {
namespace {

/// A file to be read. Its bytes are of no use to the formats that read it by themselves.
struct Source {
  const Input& input;
  const std::string& path;
  const TextOptions& options;
  ThreadPool& pool;
};

/// Formats without named columns have a value at most.
void require_no_columns(const Source& source, const char* format) {
  const ColumnSpec& given = source.options.columns;
  const bool other =
      given.has_ends() || given[Role::kRating] || given[Role::kTime] ||
      (given[Role::kWeight] && *given[Role::kWeight] != "value" && *given[Role::kWeight] != "3");
  require(!other, "--columns: {} is read as {}, whose only named column is weight=value",
          source.path, format);
  require(!source.options.min_rating,
          "--min-rating: {} is read as {}, which has no column of ratings", source.path, format);
}

RawEdges read_ratings(const Source& source) {
  TextOptions options = source.options;
  options.ratings = true;
  RawEdges out = read_text_edges(source.input, source.path, options, source.pool);
  out.user_item = true;
  return out;
}

RawEdges read_inter(const Source& source) {
  TextOptions options = source.options;
  if (!options.header) options.header = true;
  RawEdges out = read_text_edges(source.input, source.path, options, source.pool);
  out.user_item = true;
  return out;
}

/// Values of the entries are weights, unless the graph is of users and items: then on request.
RawEdges with_values(RawEdges edges, const Source& source, const char* format) {
  require_no_columns(source, format);
  const bool asked = source.options.columns[Role::kWeight].has_value();
  const bool user_item = source.options.user_item.value_or(edges.user_item);
  if (source.options.third == ThirdColumn::kWeight && user_item && !asked) {
    if (!edges.values.empty()) edges.report.ignored.emplace_back("value");
    edges.values = {};
  }
  edges.asked_weights = asked && !edges.values.empty();
  edges.report.columns = {{user_item ? "user" : "source", "row"},
                          {user_item ? "item" : "target", "column"}};
  if (!edges.values.empty()) edges.report.columns.emplace_back("weight", "value");
  return edges;
}

struct EdgeFormat {
  std::string_view name;
  /// A file name that ends so, or is just this, has the format.
  std::array<std::string_view, 2> endings;
  RawEdges (*read)(const Source& source);
  bool reads_path = false;  ///< by itself, not packed
};

constexpr EdgeFormat kFormats[] = {
    {"edges",
     {},
     [](const Source& s) { return read_text_edges(s.input, s.path, s.options, s.pool); }},
    {"lightgcn",
     {},
     [](const Source& s) {
       require_no_columns(s, "lists (lightgcn)");
       RawEdges out = parse_lightgcn(s.input.bytes(), s.path);
       out.report.columns = {{"user", "first of a line"}, {"item", "others"}};
       return out;
     }},
    {"movielens", {"u.data"}, &read_ratings},
    {"amazon",
     {".json", ".jsonl"},
     [](const Source& s) { return parse_amazon(s.input.bytes(), s.path, s.options); }},
    {"mtx",
     {".mtx"},
     [](const Source& s) {
       return with_values(parse_matrix_market(s.input.bytes(), s.path), s, "a matrix (mtx)");
     }},
    {"mat",
     {".mat"},
     [](const Source& s) { return with_values(read_mat(s.path).edges, s, "a matrix (mat)"); },
     true},
    {"bin",
     {".bin"},
     [](const Source& s) {
       require_no_columns(s, "a binary graph");
       return read_graph_edges(s.path);
     },
     true},
    {"inter", {".inter"}, &read_inter},
};

bool has_ending(const std::string& path, const EdgeFormat& format) {
  const auto name = std::filesystem::path(unpacked_name(path)).filename().string();
  return std::ranges::any_of(format.endings, [&](std::string_view ending) {
    return !ending.empty() && (ending[0] == '.' ? name.ends_with(ending) : name == ending);
  });
}

const EdgeFormat& find_format(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &EdgeFormat::name);
  if (found == std::end(kFormats)) {
    auto known = edge_formats();
    known.insert(known.begin(), "auto");
    throw_unknown("format", name, known);
  }
  return *found;
}

bool is_auto(const std::string& format) { return format.empty() || format == "auto"; }

/// Text files are read as requested; formats with values of their own must fit the request.
void fit_values(RawEdges& edges, const TextOptions& options, const std::string& path) {
  if (options.third == ThirdColumn::kIgnore) edges.values = {};
  const auto is_label = [](float value) { return value == 0 || value == 1; };
  if (options.third == ThirdColumn::kLabel && !std::ranges::all_of(edges.values, is_label))
    throw_bad_data(path, 0, "values where labels (0 or 1) belong");
}

RawEdges read_as(const EdgeFormat& format, const Input& input, const std::string& path,
                 const TextOptions& options, ThreadPool& pool) {
  RawEdges edges = format.read({input, path, options, pool});
  fit_values(edges, options, path);
  ReadReport& report = edges.report;
  report.file = path;
  report.format = format.name;
  report.weighted = options.third == ThirdColumn::kWeight && !edges.values.empty();
  if (report.rows == 0) report.rows = std::ssize(edges.pairs);
  require(options.times != Times::kNeed || !edges.times.empty(),
          "{} has no column that is known as a time; --columns time=COLUMN names it", path);
  return edges;
}

}  // namespace

RawEdges read_edges(const std::string& path, const TextOptions& options, ThreadPool& pool,
                    const std::string& given) {
  std::string name = is_auto(given) ? format_of_name(path) : given;
  if (is_graph_file(path, given)) name = "bin";
  if (!name.empty() && find_format(name).reads_path) {
    static const Input none;
    return read_as(find_format(name), none, path, options, pool);
  }
  const Input input(path);
  if (name.empty()) name = sniff_format(input.bytes(), options, path);
  return read_as(find_format(name), input, path, options, pool);
}

std::vector<std::string> edge_formats() {
  std::vector<std::string> out;
  for (const EdgeFormat& format : kFormats) out.emplace_back(format.name);
  return out;
}

bool is_graph_file(const std::string& path, const std::string& format) {
  if (!is_auto(format)) return format == "bin";
  if (format_of_name(path) == "bin") return true;
  if (std::error_code ignored; !std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string head(kGraphMagic.size(), '\0');
  return path != "-" && file.read(head.data(), std::ssize(head)) && head == kGraphMagic;
}

std::string format_of_name(const std::string& path) {
  for (const EdgeFormat& format : kFormats)
    if (has_ending(path, format)) return std::string(format.name);
  return "";
}

}  // namespace mcns
