// Parts of data by the rules of --split, and what is wrong with parts of any origin.
#include <algorithm>
#include <numeric>

#include "mcns/core/generate.h"
#include "mcns/splits/interactions.h"
#include "mcns/splits/leaks.h"
#include "mcns/splits/links.h"

#include "src/binding.h"

namespace mcns::python {
namespace {

/// When pairs of the graph were; empty where it has no times. Pairs come in the order of edge_list,
/// which is sorted.
std::vector<double> times_of(const NamedGraph& named, const std::vector<Pair>& pairs) {
  if (named.times.empty()) return {};
  const std::vector<Pair> all = edge_list(named.graph).pairs;
  const auto key = [](const Pair& pair) { return std::pair(pair.source, pair.target); };
  std::vector<double> out;
  out.reserve(pairs.size());
  for (const Pair& pair : pairs) {
    const auto at = std::ranges::lower_bound(all, key(pair), {}, key);
    out.push_back(named.times[static_cast<std::size_t>(at - all.begin())]);
  }
  return out;
}

/// Pairs of rows as a table of their own, with the ids of `from`, those without a pair as well.
EdgeData part_of(const EdgeData& from, EdgeList part, std::vector<double> times = {}) {
  const auto named = from.graph();
  const Graph& graph = named->graph;
  RawEdges edges;
  edges.pairs = std::move(part.pairs);
  edges.values = std::move(part.weights);
  edges.times = std::move(times);
  edges.asked_weights = graph.is_weighted();
  const auto all = [](NodeRange range) {
    std::vector<NodeId> out(static_cast<std::size_t>(range.size()));
    std::iota(out.begin(), out.end(), range.begin);
    return out;
  };
  edges.isolated = all(graph.sources());
  if (graph.is_bipartite()) edges.isolated_items = all(graph.targets());
  // Rows of users and of items have names of their own, so that they may be equal.
  edges.numeric = false;
  for (NodeId v = 0; v < graph.num_nodes(); ++v) edges.names.push_back(named->names.name(v));
  as_integers(edges);
  return {std::move(edges), from.load()};
}

std::vector<float> labels_of(const HeldOut& part) {
  return {part.labels.begin(), part.labels.end()};
}

struct SplitWords {
  std::string kind, time_cut, reciprocal, non_edges;
  double valid, test;
  int parts, fold;
  std::uint64_t seed;
};

std::vector<EdgeData> split(const EdgeData& data, const SplitWords& words) {
  const auto named = data.graph();
  const Graph& graph = named->graph;
  const Task task = graph.is_bipartite() ? Task::kRecommend : Task::kLinkpred;
  require(words.valid >= 0 && words.test >= 0 && words.valid + words.test < 1,
          "shares of valid and test are from 0 and together less than 1, got {} and {}",
          words.valid, words.test);
  const SplitRequest request{.kind = parse_split(words.kind, task),
                             .valid = words.valid,
                             .test = words.test,
                             .parts = words.parts,
                             .fold = words.fold,
                             .time_cut = parse_time_cut(words.time_cut),
                             .reciprocal = parse_reciprocal(words.reciprocal),
                             .non_edges = parse_non_edges(words.non_edges),
                             .seed = words.seed};
  require(request.kind != SplitKind::kTime || !named->times.empty(),
          "split 'time' needs times: give the column when the Dataset is made");
  std::vector<EdgeData> out;
  if (task == Task::kRecommend) {
    const EdgeList all = edge_list(graph);
    InteractionSplit parts = split_interactions({all.pairs, all.weights, named->times}, request);
    for (EdgeList part : {std::move(parts.train), EdgeList{std::move(parts.valid), {}},
                          EdgeList{std::move(parts.test), {}}}) {
      std::vector<double> times = times_of(*named, part.pairs);
      out.push_back(part_of(data, std::move(part), std::move(times)));
    }
  } else {
    ThreadPool pool;
    LinkSplit parts = split_links(graph, request, pool, named->times);
    std::vector<double> times = times_of(*named, parts.train.pairs);
    out.push_back(part_of(data, std::move(parts.train), std::move(times)));
    for (HeldOut* part : {&parts.valid, &parts.test})  // non-edges have no time
      out.push_back(part_of(data, {std::move(part->pairs), labels_of(*part)}));
  }
  return out;
}

nb::list check_leaks(const EdgeData& train, const EdgeData* valid, const EdgeData* test) {
  LeakReport report;
  {
    const nb::gil_scoped_release released;
    ThreadPool pool;
    const LoadOptions& load = train.load();
    const Task task =
        load.bipartite_kind() == Bipartite::kNone ? Task::kLinkpred : Task::kRecommend;
    const RawSplit raw = read_split(memory_files(train, valid, test), task, load, pool);
    report = check_split(raw, {.undirected = task == Task::kLinkpred && !load.is_directed()});
  }
  nb::list out;
  for (const Finding& finding : report.findings) {
    nb::dict one;
    one["kind"] = std::string(finding_name(finding.kind));
    one["leak"] = finding.severity == Severity::kLeak;
    one["text"] = describe(finding);
    one["count"] = finding.count;
    one["of"] = finding.of;
    one["examples"] = finding.examples;
    out.append(one);
  }
  return out;
}

}  // namespace

void bind_splits(nb::module_& m) {
  using nb::arg;
  m.def(
      "split",
      [](const EdgeData& data, const std::string& kind, double valid, double test,
         std::uint64_t seed, int parts, int fold, const std::string& time_cut,
         const std::string& reciprocal, const std::string& non_edges) {
        return split(data, {kind, time_cut, reciprocal, non_edges, valid, test, parts, fold, seed});
      },
      nb::call_guard<nb::gil_scoped_release>());
  m.def("check_leaks", &check_leaks, arg("train"), arg("valid").none(), arg("test").none());
}

}  // namespace mcns::python
