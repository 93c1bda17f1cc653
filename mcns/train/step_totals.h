// Seconds and counts that add up over batches.
#pragma once

#include <cmath>
#include <cstdint>

#include "mcns/core/batch.h"
#include "mcns/core/error.h"
#include "mcns/samplers/pair_sampling.h"

namespace mcns {

struct StepTotals {
  double loss = 0;
  std::int64_t pairs = 0, skipped = 0;
  std::int64_t checked = 0, collisions = 0;  ///< negatives looked at, training positives among them
  double sample_seconds = 0, seconds = 0;
  /// Gradients of parameters and their application; 0 where a step does not do this apart.
  double update_seconds = 0;

  void add(const StepTotals& other) {
    loss += other.loss;
    pairs += other.pairs;
    skipped += other.skipped;
    checked += other.checked;
    collisions += other.collisions;
    sample_seconds += other.sample_seconds;
    seconds += other.seconds;
    update_seconds += other.update_seconds;
  }
  /// What sampling took and found, for `batch_pairs` pairs.
  void add(const SamplingCounts& counts, std::size_t batch_pairs) {
    pairs += static_cast<std::int64_t>(batch_pairs);
    skipped += counts.skipped;
    checked += counts.checked;
    collisions += counts.collisions;
    sample_seconds += counts.seconds;
  }
};

/// Throws where the loss of a batch is not a number to learn from.
inline void require_finite(double loss, BatchKey key) {
  if (!std::isfinite(loss))
    throw_error(ErrorKind::kRuntime,
                "the loss is not finite at epoch {}, batch {}; a smaller --lr or a larger --l2 "
                "may help",
                key.epoch + 1, key.batch + 1);
}

}  // namespace mcns
