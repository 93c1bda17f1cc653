// Positives: which true pairs a batch holds. Const and keyed: the same key gives the same pairs on
// any thread. Every pair has a name, unique within the epoch, that its negatives' random numbers
// use.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mcns/core/batch.h"
#include "mcns/core/graph.h"
#include "mcns/core/parallel.h"

namespace mcns {

class PositiveSampler {
 public:
  virtual ~PositiveSampler() = default;
  virtual std::int64_t batches_per_epoch() const = 0;
  /// No batch has more pairs.
  virtual std::int64_t most_pairs() const = 0;
  /// What a batch is made of: pairs, visits, walks.
  virtual std::int64_t pieces(std::int64_t batch) const = 0;
  /// The pairs of some of the pieces. The slices of a batch, one after the other, are the batch.
  virtual void fill_slice(BatchKey key, Slice slice, ThreadPool& pool, PairBuffer& out) const = 0;
  void fill(BatchKey key, ThreadPool& pool, PairBuffer& out) const {
    fill_slice(key, {0, pieces(key.batch)}, pool, out);
  }
  /// Pairs of a window, at most; 0 where batches have no windows whose pairs may share negatives.
  virtual int pairs_per_window() const { return 0; }
};

struct PositiveContext {
  const Graph& graph;
  int batch;  ///< pairs per batch, about
  ThreadPool& pool;
  /// Whether the middle of a window is to be the source of its pairs, in place of the target; for
  /// samplers whose negatives depend on the source. Undirected graphs of one kind of node only.
  bool middle_is_source = false;
};

}  // namespace mcns
