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
  virtual void fill(BatchKey key, ThreadPool& pool, PairBatch& out) const = 0;
  /// Of a window, at most; 0 where batches have no windows whose pairs may share negatives.
  virtual int sources_per_window() const { return 0; }
};

struct PositiveContext {
  const Graph& graph;
  int batch;  ///< pairs per batch, about
  ThreadPool& pool;
};

}  // namespace mcns
