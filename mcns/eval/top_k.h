// The best few targets of a source and the nearest few nodes of a node: what a trained model is
// asked for. Scores everything that is asked about and sorts the best k: O(nodes dim + k log k).
#pragma once

#include <vector>

#include "mcns/core/graph.h"
#include "mcns/core/scorer.h"

namespace mcns {

struct ScoredNode {
  NodeId node;
  float score;
  friend bool operator==(const ScoredNode&, const ScoredNode&) = default;
};

/// The k targets of the highest score, the best first and ties by row. The source's neighbours and
/// the source itself are left out; there may be fewer than k others.
std::vector<ScoredNode> best_targets(const Graph& graph, const Scorer& scorer, NodeId source,
                                     std::size_t k);

/// The k nodes of `among` with the highest cosine to `node`, in the same order. The node itself and
/// vectors of length 0 are left out.
std::vector<ScoredNode> nearest_nodes(ConstMatrixRef table, NodeId node, NodeRange among,
                                      std::size_t k);

}  // namespace mcns
