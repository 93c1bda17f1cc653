// The softmax of positives against a pool of targets that all pairs of a batch share, forward and
// backward, at the speed of matrix products.
//
// A source's scores against the pool serve all its pairs, so there is a row of scores for each
// distinct source. With e_j = exp(s_j - top), of the pool and of the source's own states (chains of
// a sampler), a pair of score s+ has the loss
//   -s+ + mean over the chains i of log(exp(s+) + exp(top) (sum of the pool's e_j + e_i)),
// without chains the logarithm of the pool's sum alone; the formula is formulas/losses.h. Its
// gradients are weights times e_j. So a tile of sources goes through three products: scores U V^T,
// then E V for the sources and E^T U for the pool, the factors of the pairs being folded into rows
// of U and of the result. Tiles are cut into chunks of the pool that stay in the nearer caches.
//
// With biases (log-q correction) the candidates stand for all targets: the pool's sum W is an
// estimate of the sum over all of them, and the pair's loss is -s+ + log(exp(s+) + exp(top) W). Its
// slope by the other targets is (1 - p+) times their mean under the softmax over all of them. With
// chains that mean is the ensemble's, mean over i of e_j / (W + e_i), which is unbiased where the
// chains are stationary; without, it is the pool's own, e_j / W.
//
// The same bits for any number of threads: tiles are fixed, and those of a lane are added up in
// order, the lanes likewise.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mcns/core/matrix.h"
#include "mcns/core/parallel.h"
#include "mcns/core/row_groups.h"
#include "mcns/losses/losses.h"
#include "mcns/samplers/pool_source.h"

namespace mcns {

/// Rows are those of `vectors`.
struct PoolBatch {
  ConstMatrixRef vectors;
  const RowGroups& groups;            ///< pairs by source
  std::span<const NodeId> sources;    ///< rows, of the groups
  std::span<const NodeId> positives;  ///< rows, of the pairs
  std::span<const NodeId> pool;       ///< rows
  std::span<const float> biases;      ///< are added to the pool's scores; empty: none
  int chains = 0;
  std::span<const NodeId> states;       ///< rows: `chains` of each group
  std::span<const float> state_biases;  ///< of the states, where the pool has some
  /// Columns of the pool that a group may not have: columns[first[g]] to columns[first[g + 1]].
  std::span<const std::int32_t> mask_first, mask_columns;
};

class PoolSoftmax {
 public:
  /// Told the weights of a group's candidates, by the thread that computed them.
  using SeeWeights = std::function<void(std::int32_t group, const PoolWeights&)>;

  PoolSoftmax(Softmax loss, ThreadPool& pool) : loss_(loss), pool_(pool) {}

  /// Returns the loss; NaN or infinite if a score was. `see` may be empty; of what it is told,
  /// `pool` and `states` are not set.
  double run(const PoolBatch& batch, const SeeWeights& see = {});

  // Gradients of the last run.
  const float* source_gradient(std::int32_t group) const { return source_gradients_.row(group); }
  const float* pool_gradient(std::int32_t column) const { return pool_gradients_.row(column); }
  float positive_slope(std::int32_t pair) const { return positive_slopes_[pair]; }
  float state_slope(std::size_t state) const { return state_slopes_[state]; }

 private:
  struct Scratch;
  struct Tile;

  void gather_pool(const PoolBatch& batch);
  double run_tile(const PoolBatch& batch, Tile tile, const SeeWeights& see);
  void score(const PoolBatch& batch, Tile tile, Scratch& scratch) const;
  double finish_group(const PoolBatch& batch, std::int32_t group, int row, Scratch& scratch,
                      const SeeWeights& see);
  void add_pair(const PoolBatch& batch, std::int32_t group, std::int32_t pair, float top,
                float total, Scratch& scratch);
  void add_pool_gradients(const PoolBatch& batch, Tile tile, Scratch& scratch);
  void sum_lanes(std::int64_t lanes);
  int chunks() const;
  int columns(int chunk) const;
  static float* scores(Scratch& scratch, int chunk, int row);

  Softmax loss_;
  ThreadPool& pool_;
  int size_ = 0, dim_ = 0, stride_ = 0;  ///< of the pool
  Matrix vectors_, transposed_;          ///< of the pool; a block of `dim` rows a chunk
  Matrix source_gradients_, pool_gradients_;
  std::vector<Matrix> lanes_;  ///< gradients of the pool
  std::vector<float> positive_slopes_, state_slopes_;
  std::vector<double> losses_;  ///< of the lanes
};

}  // namespace mcns
