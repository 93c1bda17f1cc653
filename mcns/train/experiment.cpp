#include "mcns/train/experiment.h"

#include <chrono>

#include "mcns/core/error.h"
#include "mcns/core/features.h"
#include "mcns/io/checkpoint.h"
#include "mcns/io/features_file.h"
#include "mcns/io/model_directory.h"
#include "mcns/model/weights.h"
#include "mcns/train/experiment_data.h"
#include "mcns/train/experiment_report.h"

namespace mcns {
namespace {

/// The checkpoints of a run, in its folder.
class Checkpoints {
 public:
  Checkpoints(std::string folder, std::string settings, Trainer& trainer)
      : folder_(std::move(folder)), settings_(std::move(settings)), trainer_(trainer) {}

  /// Goes on from the newest one, where there is one.
  void load(const ExperimentHooks& hooks) {
    const std::string before = checkpoint_settings(folder_);
    require_same_settings(before, settings_);
    if (!load_checkpoint(folder_, [&](Archive& a) { trainer_.visit_state(a); })) return;
    epochs_ = trainer_.epochs_done();
    const std::string remark = kernels_remark(before, settings_);
    if (hooks.notice && !remark.empty()) hooks.notice(remark);
  }
  void save() {
    save_checkpoint(folder_, settings_, [&](Archive& a) { trainer_.visit_state(a); });
    epochs_ = trainer_.epochs_done();
    last_ = std::chrono::steady_clock::now();
  }
  /// Unless one was made in the last two minutes.
  void save_if_due() {
    if (std::chrono::steady_clock::now() - last_ > std::chrono::minutes(2)) save();
  }
  /// Whole epochs in the newest one that this run loaded or saved.
  std::optional<std::int64_t> epochs() const { return epochs_; }

 private:
  std::string folder_, settings_;
  Trainer& trainer_;
  std::optional<std::int64_t> epochs_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Passes events on and saves at the end of an epoch when two minutes have gone by.
class SavingObserver final : public Observer {
 public:
  SavingObserver(Observer* inner, Checkpoints* checkpoints)
      : inner_(inner), checkpoints_(checkpoints) {}
  void batch_done(std::int64_t epoch, std::int64_t batch, std::int64_t batches,
                  const StepTotals& totals) override {
    if (inner_ != nullptr) inner_->batch_done(epoch, batch, batches, totals);
  }
  void epoch_done(const EpochRecord& record) override {
    if (inner_ != nullptr) inner_->epoch_done(record);
  }
  void epoch_saved() override {
    if (checkpoints_ != nullptr) checkpoints_->save_if_due();
  }

 private:
  Observer* inner_;
  Checkpoints* checkpoints_;
};

/// Trains; an error says from where the run can be resumed. False if it was interrupted.
bool train(Trainer& trainer, const Experiment& experiment, const ExperimentHooks& hooks,
           Checkpoints& checkpoints) {
  const OutputOptions& output = experiment.output;
  const bool by_time = !output.out.empty() && output.checkpoint_every == 0;
  SavingObserver observer(hooks.observer, by_time ? &checkpoints : nullptr);
  TrainerHooks trainer_hooks{&observer, hooks.interrupted, {}, output.checkpoint_every};
  if (!output.out.empty()) trainer_hooks.checkpoint = [&] { checkpoints.save(); };
  try {
    return trainer.run(trainer_hooks);
  } catch (const Error& error) {
    if (!checkpoints.epochs()) throw;
    throw_error(error.kind(), "{}; the checkpoint is of epoch {}: --resume goes on from there",
                error.what(), *checkpoints.epochs());
  }
}

}  // namespace

ExperimentResult run_experiment(Experiment experiment, const ExperimentHooks& hooks) {
  ThreadPool pool(experiment.threads);
  const ExperimentData data = prepare_data(experiment, pool);
  resolve_options(experiment.train, experiment.task, data.set.graph);
  if (hooks.ready) hooks.ready(data.set, experiment.train);

  std::optional<Features> features;
  if (!experiment.train.features.empty())
    features = read_features(experiment.train.features, data.set.graph, data.set.names);
  Trainer trainer(experiment.train, experiment.seed, data.set.graph, data.valid.get(), pool,
                  &data.set.names, features ? &*features : nullptr,
                  hooks.negatives ? hooks.negatives() : nullptr);
  const OutputOptions& output = experiment.output;
  Checkpoints checkpoints(output.out + "/checkpoint", settings_json(experiment), trainer);
  if (!output.init.empty()) warm_start(trainer, data.set, output.init);
  std::optional<DirectoryLock> lock;
  if (!output.out.empty()) {
    lock.emplace(prepare_model_directory(output.out, output.force, output.resume));
    if (output.resume) checkpoints.load(hooks);
  }
  const std::int64_t resumed_from = checkpoints.epochs().value_or(0);

  ExperimentResult result;
  result.finished = train(trainer, experiment, hooks, checkpoints);
  if (!result.finished) return result;

  const auto start = std::chrono::steady_clock::now();
  if (data.valid) result.valid = data.valid->evaluate(trainer.scores_view(), pool);
  if (data.test) result.test = data.test->evaluate(trainer.scores_view(), pool);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.metrics_json =
      metrics_json(experiment, trainer, result, {seconds, resumed_from, pool.threads()}, data);
  if (!output.out.empty()) {
    const Encoder& model = trainer.model();
    ModelFiles files{data.set.graph,
                     data.set.names,
                     model.node_table(),
                     {},
                     run_json(experiment, data),
                     history_jsonl(trainer),
                     result.metrics_json};
    if (model.has_context()) files.context = model.context_table();
    if (!is_lookup(*experiment.train.encoder))
      save_weights(output.out + "/weights.npz", trainer.mutable_model());
    write_model_directory(output.out, files);
  }
  return result;
}

}  // namespace mcns
