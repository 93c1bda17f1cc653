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

/// Saves at most every two minutes unless told a rhythm in epochs.
class Rhythm {
 public:
  explicit Rhythm(std::function<void()> save) : save_(std::move(save)) {}
  void now() {
    save_();
    last_ = std::chrono::steady_clock::now();
  }
  void maybe() {
    if (std::chrono::steady_clock::now() - last_ > std::chrono::minutes(2)) now();
  }

 private:
  std::function<void()> save_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Passes events on and saves at the end of an epoch when two minutes have gone by.
class SavingObserver final : public Observer {
 public:
  SavingObserver(Observer* inner, Rhythm* rhythm) : inner_(inner), rhythm_(rhythm) {}
  void batch_done(std::int64_t epoch, std::int64_t batch, std::int64_t batches,
                  const StepTotals& totals) override {
    if (inner_ != nullptr) inner_->batch_done(epoch, batch, batches, totals);
  }
  void epoch_done(const EpochRecord& record) override {
    if (inner_ != nullptr) inner_->epoch_done(record);
  }
  void epoch_saved() override {
    if (rhythm_ != nullptr) rhythm_->maybe();
  }

 private:
  Observer* inner_;
  Rhythm* rhythm_;
};

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
  const std::string settings = settings_json(experiment);
  const std::string checkpoints = output.out + "/checkpoint";
  std::int64_t resumed_from = 0;
  if (!output.init.empty()) warm_start(trainer, data.set, output.init);
  if (!output.out.empty()) {
    prepare_model_directory(output.out, output.force, output.resume);
    if (output.resume) {
      require_same_settings(checkpoint_settings(checkpoints), settings);
      if (load_checkpoint(checkpoints, [&](Archive& a) { trainer.visit_state(a); }))
        resumed_from = trainer.epochs_done();
    }
  }

  Rhythm rhythm(
      [&] { save_checkpoint(checkpoints, settings, [&](Archive& a) { trainer.visit_state(a); }); });
  const bool by_time = !output.out.empty() && output.checkpoint_every == 0;
  SavingObserver observer(hooks.observer, by_time ? &rhythm : nullptr);
  TrainerHooks trainer_hooks{&observer, hooks.interrupted, {}, output.checkpoint_every};
  if (!output.out.empty()) trainer_hooks.checkpoint = [&] { rhythm.now(); };

  ExperimentResult result;
  result.finished = trainer.run(trainer_hooks);
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
