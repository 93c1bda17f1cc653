#include "mcns/io/dataset.h"

#include <algorithm>
#include <utility>

#include "mcns/core/error.h"
#include "mcns/io/assemble.h"
#include "mcns/io/graph_file.h"
#include "mcns/io/read_edges.h"

namespace mcns {
namespace {

GraphKind kind_of(const LoadOptions& options) {
  if (options.bipartite == Bipartite::kNone)
    return options.directed ? GraphKind::kDirected : GraphKind::kUndirected;
  require(!options.directed, "a user-item graph has no direction: drop --directed or --bipartite");
  return GraphKind::kBipartite;
}

/// What the options leave open and the format of the training file knows.
LoadOptions settle(LoadOptions options, const RawEdges& train) {
  if (train.user_item && options.bipartite == Bipartite::kNone)
    options.bipartite = Bipartite::kSeparate;
  if (train.directed && options.bipartite == Bipartite::kNone) options.directed = true;
  kind_of(options);
  return options;
}

/// On a directed graph both triangles of a symmetric matrix count.
void mirror(RawEdges& edges) {
  const std::size_t stored = edges.pairs.size();
  for (std::size_t i = 0; i < stored; ++i) {
    const auto [source, target] = edges.pairs[i];
    if (source == target) continue;
    edges.pairs.push_back({target, source});
    if (!edges.values.empty()) edges.values.push_back(edges.values[i]);
  }
}

/// Weights that are all 1 say nothing.
std::vector<float> telling_weights(std::vector<float> weights) {
  if (std::all_of(weights.begin(), weights.end(), [](float w) { return w == 1.0F; })) return {};
  return weights;
}

Graph build(RawEdges edges, const Rows& rows, const LoadOptions& options, ThreadPool& pool,
            BuildCounts& counts) {
  if (edges.symmetric && options.directed) mirror(edges);
  EdgeList list{std::move(edges.pairs), telling_weights(std::move(edges.values))};
  const BuildOptions build{kind_of(options), rows.users, options.repeated, options.self_loops};
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

Dataset load_dataset(const DatasetFiles& files, const LoadOptions& given, ThreadPool& pool) {
  kind_of(given);
  require(!files.train.empty(), "no training file was given");
  std::vector<SourceFile> sources;
  sources.push_back(
      {files.train, read_edges(files.train, {ThirdColumn::kWeight}, pool, given.format)});
  const LoadOptions options = settle(given, sources[0].edges);
  require(files.labels.empty() || options.bipartite != Bipartite::kSeparate,
          "labels need one id space: a label does not say whether its node is a user or an item");
  const TextOptions judged{options.task == Task::kLinkpred ? ThirdColumn::kLabel
                                                           : ThirdColumn::kIgnore};
  for (const std::string& path : {files.valid, files.test})
    if (!path.empty()) sources.push_back({path, read_edges(path, judged, pool)});
  std::vector<NamedLabel> labels;
  if (!files.labels.empty()) labels = read_labels(files.labels);

  Rows rows = assign_rows(sources, labels, files.labels, options.bipartite, pool);
  Dataset data;
  if (!files.test.empty()) data.test = held_out(std::move(sources.back().edges));
  if (!files.valid.empty()) data.valid = held_out(std::move(sources[1].edges));
  data.graph = build(std::move(sources[0].edges), rows, options, pool, data.report.train);
  if (!labels.empty()) data.labels = number_labels(labels, rows.label_rows);
  data.names = std::move(rows.names);
  data.report.nodes_unseen = count_unseen(data);
  return data;
}

NamedGraph load_graph(const std::string& path, const LoadOptions& given, ThreadPool& pool) {
  kind_of(given);
  const std::string format = given.format.empty() ? edge_format_of(path) : given.format;
  if (format == "bin") {
    NamedGraph out = load_graph_file(path);
    require(given.bipartite == Bipartite::kNone || out.graph.is_bipartite(),
            "{} was saved as one set of nodes; convert its source again with --bipartite", path);
    require(!given.directed || out.graph.is_directed(),
            "{} was saved without directions; convert its source again with --directed", path);
    return out;
  }
  std::vector<SourceFile> sources;
  sources.push_back({path, read_edges(path, {ThirdColumn::kWeight}, pool, format)});
  const LoadOptions options = settle(given, sources[0].edges);
  Rows rows = assign_rows(sources, {}, "", options.bipartite, pool);
  NamedGraph out;
  out.graph = build(std::move(sources[0].edges), rows, options, pool, out.counts);
  out.names = std::move(rows.names);
  return out;
}

}  // namespace mcns
