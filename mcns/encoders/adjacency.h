// The graph as encoders see it: undirected, with a coefficient on every arc.
//   mean:       w_vu / (sum of v's weights)                     GraphSAGE
//   symmetric:  w_vu / sqrt(d_v d_u)                            LightGCN
//   self loops: the same of A + I; the loop's own is 1 / d_v    GCN
// d is the weighted degree. Kept per arc (4 bytes), so that aggregation is one run through a list a
// node.
#pragma once

#include <vector>

#include "mcns/core/graph.h"
#include "mcns/encoders/gather.h"

namespace mcns {

enum class Weighting { kMean, kSymmetric, kSelfLoops };

class Adjacency {
 public:
  /// An undirected graph must outlive the object; a directed one is copied, as an undirected one.
  Adjacency(const Graph& graph, Weighting weighting, ThreadPool& pool);

  NodeId nodes() const { return graph().num_nodes(); }
  std::span<const NodeId> neighbors(NodeId v) const { return graph().neighbors(v); }
  std::span<const float> coefficients(NodeId v) const {
    return std::span(coefficients_)
        .subspan(graph().arrays().offsets[v], static_cast<std::size_t>(graph().degree(v)));
  }
  Weighting weighting() const { return weighting_; }
  /// Coefficient of the node itself; 0 but for self loops.
  float self(NodeId v) const { return loops_.empty() ? 0.0F : loops_[v]; }

  /// out += sum over v's neighbours (and itself) of coefficient * row, of a table with a row a
  /// node.
  void aggregate(NodeId v, ConstMatrixRef table, float* out) const {
    if (!loops_.empty()) kernels().axpy(out, loops_[v], table.row(v), table.stride);
    const auto& arrays = graph().arrays();
    gather_sum(arrays.offsets[v], arrays.offsets[v + 1], arrays.neighbors, coefficients_.data(),
               table, out);
  }

  /// Boundaries of pieces of nodes with about `arcs` arcs each.
  std::vector<NodeId> cut(EdgeId arcs) const;

 private:
  const Graph& graph() const { return copy_.arrays().offsets.empty() ? *graph_ : copy_; }

  const Graph* graph_;
  Graph copy_;
  Weighting weighting_;
  std::vector<float> coefficients_, loops_;
};

}  // namespace mcns
