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
    const std::uint64_t bits = rng.next();
    return end(arc(v, bits), bits);
  }

  bool is_weighted() const { return !columns_.empty(); }
  // The same in two parts, for many walks at once: the place to look, and what is there.
  EdgeId arc(NodeId v, std::uint64_t bits) const {
    const EdgeId* row = graph_->arrays().offsets.data() + v;
    const auto degree = static_cast<std::uint64_t>(row[1] - row[0]);
    return row[0] + static_cast<EdgeId>(((bits >> 32) * degree) >> 32);
  }
  [[gnu::always_inline]] void prefetch(EdgeId arc) const {
    __builtin_prefetch(graph_->arrays().neighbors.data() + arc);
    if (!columns_.empty()) __builtin_prefetch(columns_.data() + arc);
  }
  NodeId end(EdgeId arc, std::uint64_t bits) const {
    if (columns_.empty() || static_cast<std::uint32_t>(bits) < columns_[arc].threshold)
      return graph_->arrays().neighbors[arc];
    return columns_[arc].alias;
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
