// The best few targets of many sources: what a trained model is asked for. Exact: every target is
// scored.
//
// Blocks of sources meet tiles of targets in the kernels of the ranking evaluator. A score is
// compared with the k-th best that its source has so far, and the few that are greater go into a
// heap, so nothing but the product costs time: sources x targets x dim multiply-adds. Same bits for
// any number of threads and for any company of sources in a block.
#pragma once

#include <span>
#include <vector>

#include "mcns/core/graph.h"
#include "mcns/core/matrix.h"
#include "mcns/core/parallel.h"

namespace mcns {

struct ScoredNode {
  NodeId node;
  float score;
  friend bool operator==(const ScoredNode&, const ScoredNode&) = default;
};

/// Stands in lists that have fewer than k entries.
inline constexpr ScoredNode kNoNode = {-1, 0};

struct TopKRequest {
  ConstMatrixRef source, target;     ///< the score is dot(source[u], target[v])
  NodeRange among;                   ///< rows of target that are ranked
  std::span<const NodeId> sources;   ///< rows of source
  const Graph* known = nullptr;      ///< neighbours of a source in it are left out; may be null
  std::span<const NodeId> left_out;  ///< rows, ascending, that are ranked for no source
  bool itself = false;               ///< whether a source's own row is ranked too
  std::size_t k = 10;
};

/// out[i * k + r] is the r-th best of sources[i], the highest score first and ties by row; kNoNode
/// after the last. Scores that are not numbers are left out.
void best_targets(const TopKRequest& request, ThreadPool& pool, std::span<ScoredNode> out);

/// The same for one source: as many as there are, at most k.
std::vector<ScoredNode> best_targets_of_one(const TopKRequest& request, ThreadPool& pool);

/// Rows divided by their lengths, so that dot products are cosines; a row of length 0 stays.
Matrix unit_rows(ConstMatrixRef table);

}  // namespace mcns
