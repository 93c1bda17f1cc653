#include "mcns/io/dataset.h"

#include <algorithm>
#include <utility>

#include "mcns/core/error.h"
#include "mcns/io/assemble.h"
#include "mcns/io/graph_file.h"
#include "mcns/io/memory_files.h"
#include "mcns/io/read_edges.h"
#include "mcns/io/read_files.h"
#include "mcns/io/select_edges.h"
#include "mcns/io/text_labels.h"

namespace mcns {
namespace {

/// Weights that are all 1 say nothing, unless the user asked for them.
std::vector<float> telling_weights(RawEdges& edges) {
  const auto is_one = [](float w) { return w == 1.0F; };
  if (!edges.asked_weights && std::ranges::all_of(edges.values, is_one)) return {};
  return std::move(edges.values);
}

/// A graph, and the times of its edges where they were read.
struct Built {
  Graph graph;
  BuildCounts counts;
  std::vector<double> times;
  ReadReport report;
};

Built build(RawEdges edges, const Rows& rows, const LoadOptions& options, ThreadPool& pool) {
  if (options.is_directed()) store_both_directions(edges);
  Built out;
  out.report = std::move(edges.report);
  const EdgeTimes times(edges.pairs, edges.times, options.graph_kind());
  edges.times = {};
  const BuildOptions build{options.graph_kind(), rows.users, options.repeated(),
                           options.self_loops_kind()};
  EdgeList list{std::move(edges.pairs), telling_weights(edges)};
  out.graph = build_graph(std::move(list), rows.names.size(), build, pool, &out.counts);
  out.times = times.of(out.graph, options.repeated());
  ReadReport& report = out.report;
  report.weighted = out.graph.is_weighted();
  report.merged += out.counts.merged;
  report.self_loops = out.counts.self_loops;
  out.counts.read = report.rows;
  out.counts.merged = report.merged;
  if (options.on_read) options.on_read(report);
  return out;
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

std::vector<NamedLabel> labels_of(const DatasetFiles& files, const LoadOptions& options) {
  if (files.memory && files.memory->labels.contains(files.labels))
    return files.memory->labels.at(files.labels);
  return read_labels(files.labels, options.label_spec());
}

/// A node that the core has not would be classified by a vector that nothing taught.
void drop_labels_out_of_core(RawEdges& edges, std::vector<NamedLabel>& labels,
                             const std::string& path) {
  const bool had_any = !labels.empty();
  edges.report.labels_out_of_core = keep_labels_of(edges, labels);
  if (had_any && labels.empty())
    throw_bad_data(path, 0, "no node of the core has a label; a smaller --core keeps more nodes");
}

NamedGraph graph_of(ReadFiles&& read, ThreadPool& pool) {
  auto& [sources, options] = read;
  select_training_edges(sources[0].edges, options, sources[0].path);
  Rows rows = assign_rows(sources, {}, "", options.bipartite_kind(), pool);
  Built built = build(std::move(sources[0].edges), rows, options, pool);
  NamedGraph out;
  out.graph = std::move(built.graph);
  out.times = std::move(built.times);
  out.counts = built.counts;
  out.report = std::move(built.report);
  out.names = std::move(rows.names);
  return out;
}

/// A binary graph is as it was saved.
NamedGraph load_saved(const std::string& path, const LoadOptions& given, Times times) {
  require(times != Times::kNeed, "{} is a binary graph, which has no times", path);
  require(
      !given.columns && !given.min_rating && !given.core.value_or(0) && !given.keeps_last(),
      "{} is a graph as it was saved: --columns, --min-rating, --core and --duplicates last are "
      "for the file that it was made of",
      path);
  NamedGraph out = load_graph_file(path);
  require_saved_as(given, out.graph, path);
  out.report.file = path;
  out.report.format = "bin";
  out.report.weighted = out.graph.is_weighted();
  out.report.rows = out.counts.read;
  out.report.merged = out.counts.merged;
  out.report.self_loops = out.counts.self_loops;
  if (given.on_read) given.on_read(out.report);
  return out;
}

}  // namespace

Dataset load_dataset(const DatasetFiles& files, std::optional<Task> task, const LoadOptions& given,
                     ThreadPool& pool, Times times) {
  require(files.labels.empty() || !files.train.empty(), "no training file was given");
  require(!given.label_columns || !files.labels.empty(),
          "--label-columns is for a file of labels, and none is read");
  require(!given.core || (files.valid.empty() && files.test.empty()),
          "--core is for data that are split afterwards: held-out files have nodes outside of the "
          "core; `mcns data convert IN OUT --core {}` makes a file of the core",
          given.core.value_or(0));
  auto [sources, options] = read_files(files, task, given, pool, times);
  require(files.labels.empty() || options.bipartite_kind() != Bipartite::kSeparate,
          "labels need one id space: a label does not say whether its node is a user or an item; "
          "valid: --bipartite none, shared");
  select_training_edges(sources[0].edges, options, files.train);
  std::vector<NamedLabel> labels;
  if (!files.labels.empty()) labels = labels_of(files, options);
  if (options.core.value_or(0) > 0) drop_labels_out_of_core(sources[0].edges, labels, files.labels);

  Rows rows = assign_rows(sources, labels, files.labels, options.bipartite_kind(), pool);
  Dataset data;
  if (!files.test.empty()) data.test = held_out(std::move(sources.back().edges));
  if (!files.valid.empty()) data.valid = held_out(std::move(sources[1].edges));
  Built built = build(std::move(sources[0].edges), rows, options, pool);
  data.graph = std::move(built.graph);
  data.times = std::move(built.times);
  data.report.train = built.counts;
  data.report.read = std::move(built.report);
  if (!labels.empty()) data.labels = number_labels(labels, rows.label_rows);
  data.names = std::move(rows.names);
  data.report.options = options;
  data.report.nodes_unseen = count_unseen(data);
  return data;
}

NamedGraph load_graph(const std::string& path, const LoadOptions& given, ThreadPool& pool,
                      Times times) {
  given.check();
  require(!given.label_columns, "--label-columns is for a file of labels, and none is read");
  if (is_graph_file(path, given.format_name())) return load_saved(path, given, times);
  DatasetFiles files;
  files.train = path;
  return graph_of(read_files(files, {}, given, pool, times), pool);
}

NamedGraph graph_of_edges(RawEdges edges, const std::string& name, const LoadOptions& given,
                          ThreadPool& pool, Times times) {
  ReadFiles read;
  read.sources.push_back({name, std::move(edges)});
  take_memory(read.sources[0], given, times);
  read.options = settled(given, read.sources[0].edges, name);
  return graph_of(std::move(read), pool);
}

}  // namespace mcns
