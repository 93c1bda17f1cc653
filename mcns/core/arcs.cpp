#include "mcns/core/arcs.h"

#include <bit>

namespace mcns {

ArcIndex::ArcIndex(const Graph& graph) : graph_(&graph) {
  const auto& offsets = graph.arrays().offsets;
  const NodeId sources = graph.sources().end;
  arcs_ = offsets[sources];
  if (arcs_ == 0) return;
  const std::int64_t per_node = std::max<std::int64_t>(1, arcs_ / std::max(1, sources));
  shift_ = std::bit_width(static_cast<std::uint64_t>(per_node)) - 1;
  guide_.resize((arcs_ >> shift_) + 1);
  NodeId v = 0;
  for (std::size_t i = 0; i < guide_.size(); ++i) {
    const auto first = std::min(static_cast<std::int64_t>(i) << shift_, arcs_ - 1);
    while (offsets[v + 1] <= first) ++v;
    guide_[i] = v;
  }
}

NeighborSampler::NeighborSampler(const Graph& graph) : graph_(&graph) {
  if (!graph.is_weighted()) return;
  columns_.resize(graph.num_arcs());
  std::vector<double> weights;
  for (NodeId v = 0; v < graph.num_nodes(); ++v) {
    const auto row = graph.weights(v);
    weights.assign(row.begin(), row.end());
    double total = 0;
    for (const double w : weights) total += w;
    if (weights.empty()) continue;
    if (total <= 0) weights.assign(row.size(), 1.0);  // all weights zero: as if unweighted
    const AliasTable table(weights);
    const auto neighbors = graph.neighbors(v);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto [threshold, alias] = table.column(i);
      columns_[graph.arrays().offsets[v] + static_cast<EdgeId>(i)] = {threshold, neighbors[alias]};
    }
  }
}

}  // namespace mcns
