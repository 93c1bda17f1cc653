// Arcs of a graph that start at a source (all arcs, or user -> item), as numbered things to draw
// from.
#pragma once

#include <optional>
#include <vector>

#include "mcns/core/alias_table.h"
#include "mcns/core/graph.h"

namespace mcns {

/// Maps the number of an arc to its pair in O(1) expected time and 4 bytes per node: a guide table
/// gives the first node of each stretch of arcs, a short scan finds the node.
class ArcIndex {
 public:
  explicit ArcIndex(const Graph& graph);
  std::int64_t size() const { return arcs_; }
  Pair pair(std::int64_t arc) const {
    const auto& offsets = graph_->arrays().offsets;
    NodeId v = guide_[arc >> shift_];
    while (offsets[v + 1] <= arc) ++v;
    return {v, graph_->arrays().neighbors[arc]};
  }

 private:
  const Graph* graph_;
  std::int64_t arcs_ = 0;
  int shift_ = 0;
  std::vector<NodeId> guide_;
};

/// Draws a neighbour of a node, by weight where the graph has weights (a flat alias table over the
/// arcs, 8 bytes each).
class NeighborSampler {
 public:
  explicit NeighborSampler(const Graph& graph);
  /// The node must have a neighbour.
  NodeId draw(NodeId v, Rng& rng) const {
    const auto row = graph_->neighbors(v);
    const std::uint64_t bits = rng.next();
    const auto column = static_cast<std::size_t>(((bits >> 32) * row.size()) >> 32);
    if (columns_.empty()) return row[column];
    const Column& c = columns_[graph_->arrays().offsets[v] + static_cast<EdgeId>(column)];
    return static_cast<std::uint32_t>(bits) < c.threshold ? row[column] : c.alias;
  }

 private:
  struct Column {
    std::uint32_t threshold;
    NodeId alias;  ///< a node, not a column
  };
  const Graph* graph_;
  std::vector<Column> columns_;
};

}  // namespace mcns
