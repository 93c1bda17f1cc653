// The training loop: epochs of batches, evaluation on valid, early stopping, checkpoints.
// Everything else hangs off Trainer::run.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mcns/core/archive.h"
#include "mcns/eval/evaluator.h"
#include "mcns/plan/plan.h"
#include "mcns/train/step.h"

namespace mcns {

/// One line of history.jsonl.
struct EpochRecord {
  std::int64_t epoch = 0;  ///< from 1
  double loss = 0;         ///< mean per positive
  double lr = 0;
  double seconds = 0, sample_seconds = 0, eval_seconds = 0;  ///< since the start of training
  Metrics valid;
  bool best = false;
};

/// What a progress display is told. Called from the training thread, between batches.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void batch_done(std::int64_t /*epoch*/, std::int64_t /*batch*/, std::int64_t /*batches*/,
                          const StepTotals& /*epoch so far*/) {}
  virtual void epoch_done(const EpochRecord&) {}
  /// After the epoch is in the trainer's state, so that a checkpoint may be taken.
  virtual void epoch_saved() {}
};

/// Saves the trainer's state somewhere safe; called at the end of an epoch, and when interrupted.
/// The state is sound then: no parameter is infinite or NaN.
using Checkpoint = std::function<void()>;

struct TrainerHooks {
  Observer* observer = nullptr;
  const std::atomic<bool>* interrupted = nullptr;  ///< set by a signal handler
  Checkpoint checkpoint;                           ///< may be empty
  int checkpoint_every = 0;                        ///< epochs; 0: only when interrupted
};

class Trainer {
 public:
  /// Everything but the plan must outlive the trainer. `valid` may be null, and so may `names`
  /// unless the sampler reads a file, and `features`: then every node has a free vector.
  /// `negatives` is told of all that are drawn; it may be null. Throws where a source has no
  /// negative and its pairs are not to be skipped; the message has its name if there are names.
  Trainer(const Plan& plan, std::uint64_t seed, const Graph& graph, const Evaluator* valid,
          ThreadPool& pool, const Names* names = nullptr, const Features* features = nullptr,
          NegativeObserver* negatives = nullptr);
  ~Trainer();

  /// Trains to the end; false if it was interrupted before. Throws where the loss or a parameter is
  /// not finite, and saves nothing then: the last checkpoint stays, and the trainer's own state is
  /// one that no run should go on from.
  bool run(const TrainerHooks& hooks);

  /// Everything that makes a continued run equal to an uninterrupted one.
  void visit_state(Archive& archive);

  const Encoder& model() const { return *encoder_; }
  const NegativeSampler& sampler() const { return *sampler_; }
  /// As asked, unless the sampler prescribes its own number.
  int negatives_per_positive() const {
    return sampler_->negatives_per_positive(*options_.negatives);
  }
  /// To start from other parameters.
  Encoder& mutable_model() { return *encoder_; }
  /// The two tables whose rows are multiplied under `--scores`.
  EmbeddingView scores_view() const;

  const std::vector<EpochRecord>& history() const { return history_; }
  std::int64_t epochs_done() const { return epoch_; }
  std::int64_t best_epoch() const { return best_epoch_; }
  const StepTotals& totals() const { return totals_; }
  double eval_seconds() const { return eval_seconds_; }

 private:
  bool epoch(const TrainerHooks& hooks);
  void finish_epoch(const TrainerHooks& hooks);
  bool should_stop() const;
  std::int64_t drop_saturated(PairBatch& batch) const;
  bool is_finite() const;
  float learning_rate() const;
  void visit_history(Archive& archive);
  void make_step(Loss loss, NegativeObserver* negatives);
  void check_batch() const;
  void check_log_q() const;
  void keep_best();
  void restore_best();

  TrainOptions options_;
  std::uint64_t seed_;
  const Graph& graph_;
  const Evaluator* valid_;
  ThreadPool& pool_;
  Exclusion exclusion_;
  std::vector<bool> saturated_;  ///< sources without any negative; empty where there are none
  Optimizer optimizer_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<PositiveSampler> positives_;
  std::unique_ptr<NegativeSampler> sampler_;
  std::unique_ptr<Step> step_;

  std::int64_t epoch_ = 0, batch_ = 0;  ///< next to do
  StepTotals totals_, epoch_totals_;
  double eval_seconds_ = 0;
  std::vector<Matrix> best_;  ///< the parameters of the best epoch
  double best_value_ = 0;
  std::int64_t best_epoch_ = 0, evaluations_since_best_ = 0;
  std::vector<EpochRecord> history_;
};

}  // namespace mcns
