#include "mcns/core/graph_stats.h"

#include <algorithm>
#include <numeric>

#include "mcns/core/union_find.h"

namespace mcns {
namespace {

DegreeStats degree_stats(const Graph& graph, NodeRange range) {
  DegreeStats out;
  if (range.size() == 0) return out;
  std::vector<EdgeId> degrees;
  degrees.reserve(range.size());
  for (NodeId v = range.begin; v < range.end; ++v) degrees.push_back(graph.degree(v));
  const auto [low, high] = std::ranges::minmax(degrees);
  out.min = low;
  out.max = high;
  out.mean = static_cast<double>(std::accumulate(degrees.begin(), degrees.end(), EdgeId{0})) /
             static_cast<double>(range.size());
  const auto middle = degrees.begin() + static_cast<std::ptrdiff_t>(degrees.size() / 2);
  std::nth_element(degrees.begin(), middle, degrees.end());
  out.median = static_cast<double>(*middle);
  if (degrees.size() % 2 == 0)
    out.median = (out.median + static_cast<double>(*std::max_element(degrees.begin(), middle))) / 2;
  return out;
}

/// Nodes without any arc, in or out.
NodeId count_isolated(const Graph& graph) {
  std::vector<bool> touched(graph.num_nodes());
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    if (graph.degree(u) > 0) touched[u] = true;
    if (graph.is_directed())
      for (const NodeId v : graph.neighbors(u)) touched[v] = true;
  }
  return static_cast<NodeId>(std::ranges::count(touched, false));
}

const char* flag_text(bool value) { return value ? "true" : "false"; }

}  // namespace

Facts graph_facts(const Graph& graph) {
  return {{"nodes", std::to_string(graph.num_nodes())},
          {"edges", std::to_string(graph.num_edges())},
          {"arcs", std::to_string(graph.num_arcs())},
          {"sources", std::to_string(graph.sources().size())},
          {"targets", std::to_string(graph.targets().size())},
          {"bipartite", flag_text(graph.is_bipartite())},
          {"directed", flag_text(graph.is_directed())},
          {"weighted", flag_text(graph.is_weighted())}};
}

GraphStats compute_stats(const Graph& graph) {
  const NodeId nodes = graph.num_nodes();
  GraphStats out;
  out.degrees = degree_stats(graph, {0, nodes});
  if (graph.is_bipartite()) {
    out.users = degree_stats(graph, graph.sources());
    out.items = degree_stats(graph, graph.targets());
  }
  UnionFind components(nodes);
  for (NodeId u = 0; u < nodes; ++u) {
    NodeId last = -1;
    for (const NodeId v : graph.neighbors(u)) {
      components.join(u, v);
      out.self_loops += v == u;
      // Both arcs of an undirected edge are stored; the one with u <= v counts.
      out.repeated += v == last && (graph.is_directed() || u <= v);
      last = v;
    }
  }
  out.isolated = count_isolated(graph);
  std::vector<NodeId> sizes(nodes);
  for (NodeId v = 0; v < nodes; ++v) ++sizes[components.find(v)];
  out.components =
      static_cast<NodeId>(std::ranges::count_if(sizes, [](NodeId s) { return s > 0; }));
  out.largest_component = nodes == 0 ? 0 : std::ranges::max(sizes);
  return out;
}

std::vector<double> target_degrees(const Graph& graph) {
  const NodeRange targets = graph.targets();
  std::vector<double> out(targets.size());
  for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u)
    for (const NodeId v : graph.neighbors(u)) out[v - targets.begin] += 1;
  return out;
}

}  // namespace mcns
