// One batch: the only seam between the trainer and the hardware.
#pragma once

#include <memory>

#include "mcns/core/archive.h"
#include "mcns/encoders/lookup.h"
#include "mcns/losses/losses.h"
#include "mcns/optim/optimizers.h"
#include "mcns/positives/positive_sampler.h"
#include "mcns/samplers/pair_sampling.h"

// Plain floats where threads race on purpose: atomic ones, even relaxed, keep the loop from being
// vectorised and cost a factor of three. A torn or lost update is one noisy gradient among
// millions.
#define MCNS_RACY __attribute__((no_sanitize("thread")))

namespace mcns {

class Step {
 public:
  virtual ~Step() = default;
  /// Learns from the pairs with the learning rate `lr`. Throws if the loss is not finite; the
  /// sampler, the count of steps and, where updates are made in place, parameters have moved on.
  virtual void run(BatchKey key, const PairBatch& batch, float lr, StepTotals& totals) = 0;
  virtual void visit_state(Archive& archive) = 0;
};

struct StepParts {
  NegativeSampler& sampler;
  Loss loss;
  Optimizer optimizer;
  int negatives;
  float l2;
  ThreadPool& pool;
  SamplingOptions sampling = {};
};

/// Deterministic: parameters are frozen within the batch, each row's owner applies its updates.
std::unique_ptr<Step> make_batch_step(const StepParts& parts, Lookup& lookup);
/// Hogwild: updates in place, in whatever order threads happen to write.
std::unique_ptr<Step> make_async_step(const StepParts& parts, Lookup& lookup);
/// Either, where pairs of a window share negatives: the positives have windows and the sampler can
/// share. Without a log-q correction.
std::unique_ptr<Step> make_window_step(const StepParts& parts, Lookup& lookup, bool async);
/// Deterministic, for graph neural encoders. `fresh_scores` makes the table exact before negatives
/// are drawn; otherwise rows are as old as their last use, at most an epoch.
std::unique_ptr<Step> make_gnn_step(const StepParts& parts, Encoder& encoder, bool fresh_scores);

}  // namespace mcns
