#include "mcns/encoders/adjacency.h"

#include <cmath>

namespace mcns {

Adjacency::Adjacency(const Graph& graph, Weighting weighting, ThreadPool& pool)
    : graph_(&graph), weighting_(weighting) {
  if (graph.is_directed())
    copy_ = build_graph(edge_list(graph), graph.num_nodes(), BuildOptions{}, pool);
  const Graph& g = this->graph();
  const NodeId nodes = g.num_nodes();
  const bool loops = weighting == Weighting::kSelfLoops;
  std::vector<double> scale(nodes);
  for (NodeId v = 0; v < nodes; ++v) {
    const double degree = g.weighted_degree(v) + (loops ? 1.0 : 0.0);
    const double root = weighting == Weighting::kMean ? degree : std::sqrt(degree);
    scale[v] = degree > 0 ? 1.0 / root : 0.0;
  }
  coefficients_.resize(g.num_arcs());
  if (loops) loops_.resize(nodes);
  pool.for_ranges(nodes, 1024, [&](std::int64_t begin, std::int64_t end) {
    for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
      const auto list = g.neighbors(v);
      const auto weights = g.weights(v);
      float* out = coefficients_.data() + g.arrays().offsets[v];
      for (std::size_t j = 0; j < list.size(); ++j) {
        const double other = weighting == Weighting::kMean ? 1.0 : scale[list[j]];
        out[j] = static_cast<float>(scale[v] * other * (weights.empty() ? 1.0 : weights[j]));
      }
      if (loops) loops_[v] = static_cast<float>(scale[v] * scale[v]);
    }
  });
}

std::vector<NodeId> Adjacency::cut(EdgeId arcs) const {
  std::vector<NodeId> bounds{0};
  const auto offsets = graph().arrays().offsets;
  for (NodeId v = 0; v < nodes(); ++v)
    if (offsets[v + 1] - offsets[bounds.back()] + (v + 1 - bounds.back()) >= arcs ||
        v + 1 == nodes())
      bounds.push_back(v + 1);
  return bounds;
}

}  // namespace mcns
