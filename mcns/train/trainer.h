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

/// Puts another step around the one that was chosen: tables on a device, or in other processes.
using WrapStep = std::function<std::unique_ptr<Step>(std::unique_ptr<Step>)>;

/// What a trainer may be given beside plan and graph; each may be null or empty.
struct TrainerInputs {
  const Names* names = nullptr;           ///< of the nodes
  const Features* features = nullptr;     ///< of the nodes; null: every node has a free vector
  NegativeObserver* negatives = nullptr;  ///< is told of all negatives that are drawn
  WrapStep wrap_step = {};
};

class Trainer {
 public:
  /// Everything but the plan must outlive the trainer. `valid` may be null; names are needed where
  /// the sampler reads a file. Throws where a source has no negative and its pairs are not to be
  /// skipped; the message has its name if there are names.
  Trainer(const Plan& plan, std::uint64_t seed, const Graph& graph, const Evaluator* valid,
          ThreadPool& pool, const TrainerInputs& inputs = {});
  ~Trainer();

  /// Trains to the end; false if it was interrupted before. Throws where the loss or a parameter is
  /// not finite, and saves nothing then: the last checkpoint stays, and the trainer's own state is
  /// one that no run should go on from.
  bool run(const TrainerHooks& hooks);

  /// Everything that makes a continued run equal to an uninterrupted one.
  void visit_state(Archive& archive);

  /// On the host, with the parameters of the last batch.
  const Encoder& model() const { return step_->host(); }
  Encoder& model() { return step_->host(); }  ///< to be read; changes go through change_model
  const NegativeSampler& sampler() const { return session_.sampler(); }
  int negatives_per_positive() const { return session_.negatives_per_positive(); }
  /// To start from other parameters.
  void change_model(const std::function<void(Encoder&)>& change);
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
  std::int64_t drop_saturated(PairBuffer& batch) const;
  float learning_rate() const;
  void visit_history(Archive& archive);
  void check_state() const;
  void make_step(Loss loss, const WrapStep& wrap);
  void restore_best();
  bool shares_by_source() const;
  void check_batch() const;
  void check_log_q() const;

  TrainOptions options_;
  std::uint64_t seed_;
  const Graph& graph_;
  const Evaluator* valid_;
  ThreadPool& pool_;
  SamplerSession session_;
  std::vector<bool> saturated_;  ///< sources without any negative; empty where there are none
  Optimizer optimizer_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<PositiveSampler> positives_;
  std::unique_ptr<Step> step_;

  std::int64_t epoch_ = 0, batch_ = 0;  ///< next to do
  StepTotals totals_, epoch_totals_;
  double eval_seconds_ = 0;
  double best_value_ = 0;
  std::int64_t best_epoch_ = 0, evaluations_since_best_ = 0;
  std::vector<EpochRecord> history_;
};

}  // namespace mcns
