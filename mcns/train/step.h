// One batch, and the parameters it learns: the only seam between the trainer and the hardware.
#pragma once

#include <memory>
#include <vector>

#include "mcns/core/archive.h"
#include "mcns/core/comm.h"
#include "mcns/encoders/lookup.h"
#include "mcns/losses/losses.h"
#include "mcns/optim/optimizers.h"
#include "mcns/positives/positive_sampler.h"
#include "mcns/samplers/session.h"
#include "mcns/train/step_totals.h"

// Plain floats where threads race on purpose: atomic ones, even relaxed, keep the loop from being
// vectorised and cost a factor of three. A torn or lost update is one noisy gradient among
// millions.
#define MCNS_RACY __attribute__((no_sanitize("thread")))

namespace mcns {

/// Owns whatever holds the parameters while training runs: the encoder's own tables on the host, or
/// copies of them on a device or in other processes. The trainer reads and saves the model through
/// it, so tables may live elsewhere without an edit of the trainer.
class Step {
 public:
  virtual ~Step() = default;
  /// Learns from the pairs with the learning rate `lr`. Throws if the loss is not finite; the
  /// sampler, the count of steps, and rows updated in place or used only once may have moved on.
  virtual void run(BatchKey key, const PairBatch& batch, float lr, StepTotals& totals) = 0;

  /// The model on the host, with current parameters and tables as of the last refresh.
  virtual Encoder& host() = 0;
  /// The host's parameters were changed (loaded, restored, warm started).
  virtual void host_changed() = 0;
  /// Computes the tables anew from the parameters, exactly.
  virtual void refresh() = 0;

  virtual bool is_finite() = 0;     ///< whether all parameters are
  virtual void keep_best() = 0;     ///< copies the parameters
  virtual void restore_best() = 0;  ///< puts the copy back
  /// Parameters, optimizer state, the best copy where there is one, and counters.
  virtual void visit_state(Archive& archive) = 0;
};

/// A step whose parameters are the encoder's, on the host.
class HostStep : public Step {
 public:
  HostStep(Encoder& encoder, ThreadPool& pool) : host_(encoder), host_pool_(pool) {}
  Encoder& host() override { return host_; }
  void host_changed() override {}
  void refresh() override { host_.refresh(); }
  bool is_finite() override;
  void keep_best() override;
  void restore_best() override;
  void visit_state(Archive& archive) override;

 protected:
  std::int64_t steps_ = 0;  ///< taken so far

 private:
  Encoder& host_;
  ThreadPool& host_pool_;
  std::vector<Matrix> best_;
};

struct StepParts {
  SamplerSession& session;
  Loss loss;
  Optimizer optimizer;
  float l2;
  ThreadPool& pool;
  Comm& comm = one_process();  ///< between the processes that share the model; batch step only
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

/// Deterministic, for every encoder: softmax against `size` targets that all pairs of the batch
/// share. The sampler must have a pool and the loss be softmax. With `log_q` a target of
/// probability q weighs 1 / (size q).
std::unique_ptr<Step> make_shared_step(const StepParts& parts, Encoder& encoder, int size,
                                       bool fresh_scores, bool log_q);

}  // namespace mcns
