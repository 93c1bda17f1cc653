#include "mcns/core/graph.h"

#include <algorithm>
#include <numeric>

namespace mcns {
namespace {

EdgeId count_edges(const Graph::Arrays& arrays, GraphKind kind) {
  const auto arcs = static_cast<EdgeId>(arrays.neighbors.size());
  if (kind == GraphKind::kDirected) return arcs;
  if (kind == GraphKind::kBipartite) return arcs / 2;
  EdgeId loops = 0;
  const auto nodes = static_cast<NodeId>(arrays.offsets.size()) - 1;
  for (NodeId v = 0; v < nodes; ++v) {
    const auto row =
        arrays.neighbors.subspan(arrays.offsets[v], arrays.offsets[v + 1] - arrays.offsets[v]);
    if (row.size() < 64)  // vector code beats the branches of a search
      loops += std::count(row.begin(), row.end(), v);
    else
      loops +=
          std::upper_bound(row.begin(), row.end(), v) - std::lower_bound(row.begin(), row.end(), v);
  }
  return (arcs - loops) / 2 + loops;
}

}  // namespace

Graph::Graph(Arrays arrays, GraphKind kind, NodeId users, std::shared_ptr<const void> owner)
    : arrays_(arrays),
      kind_(kind),
      users_(users),
      edges_(count_edges(arrays, kind)),
      owner_(std::move(owner)) {}

double Graph::weighted_degree(NodeId v) const {
  if (!is_weighted()) return static_cast<double>(degree(v));
  const auto row = weights(v);
  return std::accumulate(row.begin(), row.end(), 0.0);
}

bool Graph::has_edge(NodeId u, NodeId v) const {
  const auto row = neighbors(u);
  return std::binary_search(row.begin(), row.end(), v);
}

std::size_t Graph::bytes() const {
  return arrays_.offsets.size_bytes() + arrays_.neighbors.size_bytes() +
         arrays_.weights.size_bytes();
}

EdgeList edge_list(const Graph& graph) {
  EdgeList out;
  out.pairs.reserve(graph.num_edges());
  for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u) {
    const auto row = graph.neighbors(u);
    const auto weights = graph.weights(u);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (graph.kind() == GraphKind::kUndirected && row[i] < u) continue;
      out.pairs.push_back({u, row[i]});
      if (graph.is_weighted()) out.weights.push_back(weights[i]);
    }
  }
  return out;
}

}  // namespace mcns
