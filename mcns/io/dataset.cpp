#include "mcns/io/dataset.h"

#include <algorithm>
#include <utility>

#include "mcns/core/error.h"
#include "mcns/io/assemble.h"
#include "mcns/io/graph_file.h"
#include "mcns/io/read_edges.h"

namespace mcns {
namespace {

/// Weights that are all 1 say nothing.
std::vector<float> telling_weights(std::vector<float> weights) {
  if (std::all_of(weights.begin(), weights.end(), [](float w) { return w == 1.0F; })) return {};
  return weights;
}

Graph build(RawEdges edges, const Rows& rows, const LoadOptions& options, ThreadPool& pool,
            BuildCounts& counts) {
  if (options.is_directed()) store_both_directions(edges);
  EdgeList list{std::move(edges.pairs), telling_weights(std::move(edges.values))};
  const BuildOptions build{options.graph_kind(), rows.users, options.repeated(),
                           options.self_loops_kind()};
  return build_graph(std::move(list), rows.names.size(), build, pool, &counts);
}

HeldOut held_out(RawEdges edges) {
  HeldOut out;
  out.labels.assign(edges.pairs.size(), 1);
  out.pairs = std::move(edges.pairs);
  for (std::size_t i = 0; i < edges.values.size(); ++i) out.labels[i] = edges.values[i] != 0.0F;
  return out;
}

std::int64_t count_unseen(const Dataset& data) {
  enum : std::uint8_t { kHeldOut = 1, kTrained = 2 };
  std::vector<std::uint8_t> marks(data.graph.num_nodes(), 0);
  for (const HeldOut* part : {&data.valid, &data.test})
    for (const auto [source, target] : part->pairs) marks[source] = marks[target] = kHeldOut;
  for (const auto& entry : data.labels.entries) marks[entry.node] = kHeldOut;
  for (NodeId v = 0; v < data.graph.num_nodes(); ++v) {
    if (data.graph.degree(v) > 0) marks[v] |= kTrained;
    if (data.graph.is_directed())
      for (const NodeId u : data.graph.neighbors(v)) marks[u] |= kTrained;
  }
  return std::count(marks.begin(), marks.end(), kHeldOut);
}

}  // namespace

Dataset load_dataset(const DatasetFiles& files, std::optional<Task> task, const LoadOptions& given,
                     ThreadPool& pool) {
  given.check();
  require(!files.train.empty(), "no training file was given");
  std::vector<SourceFile> sources;
  sources.push_back(
      {files.train, read_edges(files.train, {ThirdColumn::kWeight}, pool, given.format_name())});
  const LoadOptions options = settled(given, sources[0].edges, files.train);
  require(files.labels.empty() || options.bipartite_kind() != Bipartite::kSeparate,
          "labels need one id space: a label does not say whether its node is a user or an item");
  const TextOptions judged{task == Task::kLinkpred ? ThirdColumn::kLabel : ThirdColumn::kIgnore};
  for (const std::string& path : {files.valid, files.test})
    if (!path.empty())
      sources.push_back(
          {path, read_edges(path, judged, pool, held_out_format(files, path, given))});
  std::vector<NamedLabel> labels;
  if (!files.labels.empty()) labels = read_labels(files.labels);

  Rows rows = assign_rows(sources, labels, files.labels, options.bipartite_kind(), pool);
  Dataset data;
  if (!files.test.empty()) data.test = held_out(std::move(sources.back().edges));
  if (!files.valid.empty()) data.valid = held_out(std::move(sources[1].edges));
  data.graph = build(std::move(sources[0].edges), rows, options, pool, data.report.train);
  if (!labels.empty()) data.labels = number_labels(labels, rows.label_rows);
  data.names = std::move(rows.names);
  data.report.options = options;
  data.report.nodes_unseen = count_unseen(data);
  return data;
}

std::string held_out_format(const DatasetFiles& files, const std::string& held_out,
                            const LoadOptions& options) {
  const std::string format = options.format_name();
  return format == "edges" ? format : format_beside(held_out, files.train, format);
}

NamedGraph load_graph(const std::string& path, const LoadOptions& given, ThreadPool& pool) {
  given.check();
  const std::string format = given.format ? *given.format : edge_format_of(path);
  if (format == "bin") {
    NamedGraph out = load_graph_file(path);
    require_saved_as(given, out.graph, path);
    return out;
  }
  std::vector<SourceFile> sources;
  sources.push_back({path, read_edges(path, {ThirdColumn::kWeight}, pool, format)});
  const LoadOptions options = settled(given, sources[0].edges, path);
  Rows rows = assign_rows(sources, {}, "", options.bipartite_kind(), pool);
  NamedGraph out;
  out.graph = build(std::move(sources[0].edges), rows, options, pool, out.counts);
  out.names = std::move(rows.names);
  return out;
}

}  // namespace mcns
