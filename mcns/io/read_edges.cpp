#include "mcns/io/read_edges.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "mcns/core/error.h"
#include "mcns/io/formats/formats.h"
#include "mcns/io/graph_file.h"
#include "mcns/io/input.h"

namespace mcns {
namespace {

using Parser = RawEdges (*)(std::string_view content, const std::string& path);

template <Parser parse>
RawEdges read_with(const std::string& path, const TextOptions&, ThreadPool&) {
  const Input input(path);
  return parse(input.bytes(), path);
}

struct EdgeFormat {
  std::string_view name;
  /// A file name that ends so, or is just this, has the format.
  std::array<std::string_view, 3> endings;
  RawEdges (*read)(const std::string& path, const TextOptions& options, ThreadPool& pool);
};

constexpr EdgeFormat kFormats[] = {
    {"edges", {".tsv", ".csv", ".txt"}, &read_text_edges},
    {"mtx", {".mtx"}, &read_with<parse_matrix_market>},
    {"mat",
     {".mat"},
     [](const std::string& path, const TextOptions&, ThreadPool&) { return read_mat(path).edges; }},
    {"movielens", {"u.data"}, &read_with<parse_movielens>},
    {"amazon", {".json", ".jsonl"}, &read_with<parse_amazon>},
    {"lightgcn", {}, &read_with<parse_lightgcn>},
    {"bin",
     {".bin"},
     [](const std::string& path, const TextOptions&, ThreadPool&) {
       return read_graph_edges(path);
     }},
};

bool has_ending(const std::string& path, const EdgeFormat& format) {
  const auto name = std::filesystem::path(unpacked_name(path)).filename().string();
  return std::ranges::any_of(format.endings, [&](std::string_view ending) {
    return !ending.empty() && (ending[0] == '.' ? name.ends_with(ending) : name == ending);
  });
}

const EdgeFormat& find_format(const std::string& path, const std::string& name) {
  for (const EdgeFormat& format : kFormats)
    if (name.empty() ? has_ending(path, format) : format.name == name) return format;
  if (!name.empty()) throw_unknown("format", name, edge_formats());
  return kFormats[0];
}

/// Text files are read as requested; formats with values of their own must fit the request.
void fit_values(RawEdges& edges, const TextOptions& options, const std::string& path) {
  if (options.third == ThirdColumn::kIgnore) edges.values = {};
  const auto is_label = [](float value) { return value == 0 || value == 1; };
  if (options.third == ThirdColumn::kLabel && !std::ranges::all_of(edges.values, is_label))
    throw_bad_data(path, 0, "values where labels (0 or 1) belong");
}

}  // namespace

RawEdges read_edges(const std::string& path, const TextOptions& options, ThreadPool& pool,
                    const std::string& format) {
  auto edges = find_format(path, format).read(path, options, pool);
  fit_values(edges, options, path);
  return edges;
}

std::vector<std::string> edge_formats() {
  std::vector<std::string> out;
  for (const EdgeFormat& format : kFormats) out.emplace_back(format.name);
  return out;
}

std::string edge_format_of(const std::string& path) {
  return std::string(find_format(path, "").name);
}

}  // namespace mcns
