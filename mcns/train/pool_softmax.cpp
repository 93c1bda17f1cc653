#include "mcns/train/pool_softmax.h"

#include <algorithm>

#include "mcns/core/thread_scratch.h"

namespace mcns {
namespace {

// Multiples of the tiles of kernels().multiply. A chunk's rows lie a cache line apart from a power
// of two, so that they do not push each other out.
constexpr int kTileRows = 96, kChunk = 192, kChunkStride = kChunk + kRowAlign;
constexpr std::int64_t kLanes = 8;

void make_room(Matrix& matrix, std::int64_t rows, int dim) {
  if (matrix.rows() < rows || matrix.dim() != dim) matrix = Matrix(rows + rows / 4, dim);
}

}  // namespace

struct PoolSoftmax::Tile {
  std::int32_t begin, end;  ///< groups
  Matrix& pool_gradients;   ///< of its lane
  bool first;               ///< of its lane

  int rows() const { return end - begin; }
};

struct PoolSoftmax::Scratch {
  Matrix sources;                                 ///< vectors of the tile's sources
  Matrix scores;                                  ///< kTileRows of a chunk, then those of the next
  Matrix gradients;                               ///< of the sources from the pool
  std::vector<float> factors;                     ///< of the tile's rows
  std::vector<float> state_scores, state_shares;  ///< of the group at hand
  std::vector<float> totals;                      ///< of its chunks
  float factor = 0;                               ///< of its row
  double loss = 0;
  std::vector<const float*> rows;
};

int PoolSoftmax::chunks() const { return (size_ + kChunk - 1) / kChunk; }
int PoolSoftmax::columns(int chunk) const { return std::min(kChunk, size_ - chunk * kChunk); }
float* PoolSoftmax::scores(Scratch& scratch, int chunk, int row) {
  return scratch.scores.row(std::int64_t{chunk} * kTileRows + row);
}

double PoolSoftmax::run(const PoolBatch& batch, const SeeWeights& see) {
  gather_pool(batch);
  make_room(source_gradients_, batch.groups.size(), dim_);
  positive_slopes_.resize(batch.positives.size());
  state_slopes_.resize(batch.states.size());
  const std::int64_t tiles = (batch.groups.size() + kTileRows - 1) / kTileRows;
  const std::int64_t lanes = std::min(tiles, kLanes);
  lanes_.resize(std::max<std::size_t>(lanes_.size(), lanes));
  losses_.assign(lanes, 0.0);
  pool_.run(lanes, [&](std::int64_t lane) {
    Matrix& gradients = lanes_[lane];
    make_room(gradients, size_, dim_);
    const std::int64_t first = tiles * lane / lanes, last = tiles * (lane + 1) / lanes;
    for (std::int64_t t = first; t < last; ++t) {
      const auto begin = static_cast<std::int32_t>(t * kTileRows);
      const std::int32_t end = std::min(batch.groups.size(), begin + kTileRows);
      losses_[lane] += run_tile(batch, {begin, end, gradients, t == first}, see);
    }
  });
  sum_lanes(lanes);
  double loss = 0;
  for (const double l : losses_) loss += l;
  return loss;
}

/// The pool's vectors one after the other, and transposed chunk by chunk.
void PoolSoftmax::gather_pool(const PoolBatch& batch) {
  size_ = static_cast<int>(batch.pool.size());
  dim_ = batch.vectors.dim;
  stride_ = batch.vectors.stride;
  make_room(vectors_, size_, dim_);
  make_room(transposed_, std::int64_t{chunks()} * dim_, kChunkStride);
  make_room(pool_gradients_, size_, dim_);
  pool_.run(chunks(), [&](std::int64_t chunk) {
    float* const to = transposed_.row(chunk * dim_);
    for (int j = 0; j < columns(static_cast<int>(chunk)); ++j) {
      const std::int64_t at = chunk * kChunk + j;
      const float* from = batch.vectors.row(batch.pool[at]);
      std::copy_n(from, stride_, vectors_.row(at));
      for (int d = 0; d < dim_; ++d) to[d * kChunkStride + j] = from[d];
    }
  });
}

double PoolSoftmax::run_tile(const PoolBatch& batch, Tile tile, const SeeWeights& see) {
  auto& scratch = thread_scratch<Scratch>();
  make_room(scratch.sources, kTileRows, dim_);
  make_room(scratch.gradients, kTileRows, dim_);
  make_room(scratch.scores, std::int64_t{chunks()} * kTileRows, kChunkStride);
  scratch.factors.resize(kTileRows);
  scratch.totals.resize(chunks());
  scratch.rows.resize(chunks());
  for (int r = 0; r < tile.rows(); ++r)
    std::copy_n(batch.vectors.row(batch.sources[tile.begin + r]), stride_, scratch.sources.row(r));
  score(batch, tile, scratch);
  double loss = 0;
  for (int r = 0; r < tile.rows(); ++r)
    loss += finish_group(batch, tile.begin + r, r, scratch, see);
  for (int c = 0; c < chunks(); ++c)
    kernels().multiply({scratch.gradients.data(), stride_, scores(scratch, c, 0), kChunkStride, 1,
                        vectors_.row(std::int64_t{c} * kChunk), stride_, tile.rows(), stride_,
                        columns(c), c > 0});
  for (int r = 0; r < tile.rows(); ++r)
    kernels().axpy(source_gradients_.row(tile.begin + r), scratch.factors[r],
                   scratch.gradients.row(r), stride_);
  add_pool_gradients(batch, tile, scratch);
  return loss;
}

/// Scores of the tile's sources against the pool; kNoScore for masked columns.
void PoolSoftmax::score(const PoolBatch& batch, Tile tile, Scratch& scratch) const {
  for (int c = 0; c < chunks(); ++c) {
    kernels().multiply({scores(scratch, c, 0), kChunkStride, scratch.sources.data(), stride_, 1,
                        transposed_.row(std::int64_t{c} * dim_), kChunkStride, tile.rows(),
                        columns(c), dim_});
    if (batch.biases.empty()) continue;
    const float* biases = batch.biases.data() + std::int64_t{c} * kChunk;
    for (int r = 0; r < tile.rows(); ++r)
      for (int j = 0; j < columns(c); ++j) scores(scratch, c, r)[j] += biases[j];
  }
  if (batch.mask_first.empty()) return;
  for (int r = 0; r < tile.rows(); ++r)
    for (std::int32_t m = batch.mask_first[tile.begin + r];
         m < batch.mask_first[tile.begin + r + 1]; ++m) {
      const std::int32_t column = batch.mask_columns[m];
      scores(scratch, column / kChunk, r)[column % kChunk] = kNoScore;
    }
}

/// From scores to exponentials of a group's candidates, and what its pairs make of them: their
/// losses, slopes, the gradient of the source but for the pool's part, and the factor of that.
double PoolSoftmax::finish_group(const PoolBatch& batch, std::int32_t group, int row,
                                 Scratch& scratch, const SeeWeights& see) {
  const Kernels& k = kernels();
  const float* source = scratch.sources.row(row);
  const int chains = batch.chains;
  const std::size_t first = std::size_t(group) * chains;
  const NodeId* states = batch.states.data() + first;
  auto& e = scratch.state_scores;
  e.resize(chains);
  float top = kNoScore;
  if (chains > 0) {
    k.dots(source, {batch.vectors.data, static_cast<std::size_t>(stride_), states, chains}, stride_,
           e.data());
    for (int i = 0; i < chains && !batch.state_biases.empty(); ++i)
      e[i] += batch.state_biases[first + i];
    top = std::max(top, k.maximum(e.data(), chains));
  }
  for (int c = 0; c < chunks(); ++c)
    top = std::max(top, k.maximum(scores(scratch, c, row), columns(c)));
  if (top <= kNoScore) top = 0;  // all are masked
  float total = 0;
  for (int c = 0; c < chunks(); ++c)
    total += scratch.totals[c] = k.exponentiate(loss_, scores(scratch, c, row), top, columns(c));
  if (chains > 0) k.exponentiate(loss_, e.data(), top, chains);

  float* gradient = source_gradients_.row(group);
  std::fill_n(gradient, stride_, 0.0F);
  scratch.state_shares.assign(chains, 0.0F);
  scratch.factor = 0;
  scratch.loss = 0;
  for (const std::int32_t pair : batch.groups.members(group)) {
    add_pair(batch, group, pair, top, total, scratch);
    k.axpy(gradient, positive_slopes_[pair], batch.vectors.row(batch.positives[pair]), stride_);
  }
  for (int i = 0; i < chains; ++i) {
    const float slope = scratch.state_shares[i] * e[i];
    state_slopes_[first + i] = slope;
    k.axpy(gradient, slope, batch.vectors.row(states[i]), stride_);
  }
  scratch.factors[row] = scratch.factor;
  if (see) {
    for (int c = 0; c < chunks(); ++c) scratch.rows[c] = scores(scratch, c, row);
    see(group, {.state_weights = e,
                .pool_total = total,
                .weights = scratch.rows,
                .chunk_totals = scratch.totals,
                .chunk = kChunk});
  }
  return scratch.loss;
}

/// Loss and slope of a pair among candidates whose exponentials over exp(top) are `total` in the
/// pool, and what it adds to the shares of pool and states.
void PoolSoftmax::add_pair(const PoolBatch& batch, std::int32_t group, std::int32_t pair, float top,
                           float total, Scratch& scratch) {
  const float* source = batch.vectors.row(batch.sources[group]);
  const float s = kernels().dot(source, batch.vectors.row(batch.positives[pair]), stride_);
  const std::vector<float>& e = scratch.state_scores;
  const int chains = batch.chains;
  if (chains == 0) {
    const Softmax::Pair one = loss_.among<StandardMath>(s, top, total);
    scratch.loss += one.loss;
    scratch.factor += one.share;
    positive_slopes_[pair] = one.slope;
    return;
  }
  const float weight = 1.0F / static_cast<float>(chains);
  const bool stand_for_all = !batch.biases.empty();
  positive_slopes_[pair] = 0;
  for (int i = 0; i < chains; ++i) {
    const float own = total + e[i];
    const Softmax::Pair one = loss_.among<StandardMath>(s, top, stand_for_all ? total : own);
    const float part = !stand_for_all ? 1.0F : own > 0 ? total / own : 0.0F;  // own: may underflow
    const float share = weight * one.share * part;
    scratch.loss += weight * one.loss;
    scratch.factor += share;
    scratch.state_shares[i] += share;
    positive_slopes_[pair] += weight * one.slope;
  }
}

void PoolSoftmax::add_pool_gradients(const PoolBatch&, Tile tile, Scratch& scratch) {
  for (int r = 0; r < tile.rows(); ++r) {
    float* source = scratch.sources.row(r);
    for (int d = 0; d < stride_; ++d) source[d] *= scratch.factors[r];
  }
  for (int c = 0; c < chunks(); ++c)
    kernels().multiply({tile.pool_gradients.row(std::int64_t{c} * kChunk), stride_,
                        scores(scratch, c, 0), 1, kChunkStride, scratch.sources.data(), stride_,
                        columns(c), stride_, tile.rows(), !tile.first});
}

void PoolSoftmax::sum_lanes(std::int64_t lanes) {
  constexpr std::int64_t kRowsPerPiece = 64;
  pool_.for_ranges(size_, kRowsPerPiece, [&](std::int64_t begin, std::int64_t end) {
    const std::size_t first = std::size_t(begin) * stride_,
                      count = std::size_t(end - begin) * stride_;
    float* out = pool_gradients_.data() + first;
    std::copy_n(lanes_[0].data() + first, count, out);
    for (std::int64_t lane = 1; lane < lanes; ++lane)
      kernels().axpy(out, 1.0F, lanes_[lane].data() + first, static_cast<int>(count));
  });
}

}  // namespace mcns
