#include "mcns/tune/tune.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>

#include "mcns/core/features.h"
#include "mcns/core/stopwatch.h"
#include "mcns/io/features_file.h"
#include "mcns/io/files.h"
#include "mcns/io/model_directory.h"
#include "mcns/system/libraries.h"
#include "mcns/system/process_memory.h"
#include "mcns/train/event_file.h"
#include "mcns/train/experiment_settings.h"
#include "mcns/train/output_folder.h"
#include "mcns/train/prepared.h"
#include "mcns/train/temperature_search.h"
#include "mcns/tune/trial_log.h"
#include "mcns/tune/tuned_file.h"

namespace mcns {
namespace {

constexpr double kFailed = std::numeric_limits<double>::quiet_NaN();

/// How much of a rung is done, from what its trials say of themselves.
class RungProgress {
 public:
  RungProgress(std::size_t trials, TuneObserver* observer) : shares_(trials), observer_(observer) {}

  void set(std::size_t trial, double share) {
    if (observer_ == nullptr) return;
    const std::lock_guard lock(mutex_);
    sum_ += share - std::exchange(shares_[trial], share);
    observer_->progressed(sum_ / static_cast<double>(shares_.size()));
  }
  void done(std::size_t trial, const Trial& result) {
    set(trial, 1);
    if (observer_ == nullptr) return;
    const std::lock_guard lock(mutex_);
    observer_->trial_done(result);
  }

 private:
  std::vector<double> shares_;
  double sum_ = 0;
  TuneObserver* observer_;
  std::mutex mutex_;
};

class TrialObserver final : public Observer {
 public:
  TrialObserver(RungProgress& progress, std::size_t trial, int epochs)
      : progress_(progress), trial_(trial), epochs_(epochs) {}
  void batch_done(std::int64_t epoch, std::int64_t batch, std::int64_t batches,
                  const StepTotals&) override {
    const double part = static_cast<double>(batch) / static_cast<double>(batches);
    progress_.set(trial_, (static_cast<double>(epoch) + part) / epochs_);
  }

 private:
  RungProgress& progress_;
  std::size_t trial_;
  int epochs_;
};

class Search {
 public:
  Search(const PreparedExperiment& prepared, const TuneHooks& hooks, int threads)
      : prepared_(prepared),
        hooks_(hooks),
        threads_(threads),
        space_(prepared.experiment, prepared.data.set.graph) {
    const Dataset& set = prepared.data.set;
    if (prepared.plan.options.features)
      features_ = read_features(*prepared.plan.options.features, set.graph, set.names);
  }

  const SearchSpace& space() const { return space_; }

  /// Throws where training could not begin with the defaults: a model or a list of negatives that
  /// was named may be amiss.
  void check_defaults() const {
    ThreadPool pool(threads_);
    make_trainer(prepared_.plan, pool);
  }

  /// The settings to try; those that are equal to one before are left out.
  void choose(int count) {
    std::set<TunedSettings> seen;
    for (int i = 0; i < count; ++i) {
      TunedSettings changes = i == 0 ? prepared_.experiment.tuned : space_.setting(i);
      if (seen.insert(changes).second) rows_.push_back({i, std::move(changes), {}, ""});
    }
    for (const TuneResult::Row& row : rows_) {
      try {
        epochs_.push_back(*space_.plan(row.changes).options.epochs);
      } catch (const Error&) {  // its trial will say why
        epochs_.push_back(epochs_.empty() ? 1 : epochs_[0]);
      }
    }
  }

  HalvingResult run(TrialLog& log) {
    log_ = &log;
    return successive_halving(static_cast<int>(rows_.size()), epochs_[0],
                              [&](const Rung& rung) { return run_rung(rung); });
  }

  std::vector<TuneResult::Row>& rows() { return rows_; }
  const std::vector<Trial>& trials() const { return trials_; }
  /// Cost of the trials, each in units of a run of its setting.
  double full_runs() const { return full_runs_; }

 private:
  /// The same share of a setting's epochs as of those of setting 0.
  int epochs_in(const Rung& rung, int row) const {
    const double share = static_cast<double>(rung.epochs) / epochs_[0];
    return std::max(1, static_cast<int>(std::lround(share * epochs_[row])));
  }

  bool stopped() const { return hooks_.interrupted != nullptr && hooks_.interrupted->load(); }

  /// How many trials run at once: all that there are threads for, where graph and memory allow it.
  int side_by_side(std::size_t trials) const {
    constexpr EdgeId kManyEdges = 2'000'000;
    const Graph& graph = prepared_.data.set.graph;
    const std::uint64_t bytes =
        total_bytes(estimate_memory(graph, prepared_.data.set.names, prepared_.plan));
    const int count = std::min<int>(threads_, static_cast<int>(trials));
    const bool fits = bytes * static_cast<std::uint64_t>(count) < physical_memory() / 2;
    return fits && graph.num_edges() < kManyEdges ? count : 1;
  }

  std::optional<std::vector<double>> run_rung(const Rung& rung) {
    if (hooks_.observer != nullptr) hooks_.observer->rung_begins(rung);
    const std::size_t count = rung.settings.size();
    const int at_once = side_by_side(count);
    RungProgress progress(count, hooks_.observer);
    std::vector<std::optional<Trial>> done(count);
    ThreadPool outer(at_once);
    outer.run(static_cast<std::int64_t>(count), [&](std::int64_t i) {
      if (stopped()) return;
      ThreadPool inner(std::max(1, threads_ / at_once));
      const int row = rung.settings[i], epochs = epochs_in(rung, row);
      TrialObserver observer(progress, i, epochs);
      done[i] = run_trial(rows_[row], epochs, inner, observer);
      if (done[i]) progress.done(i, *done[i]);
    });
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
      if (!done[i]) return std::nullopt;
      TuneResult::Row& row = rows_[rung.settings[i]];
      if (!done[i]->value) row.error = done[i]->error;
      values.push_back(done[i]->value.value_or(kFailed));
      full_runs_ += static_cast<double>(done[i]->epochs_done) / epochs_[rung.settings[i]];
      trials_.push_back(std::move(*done[i]));
    }
    return values;
  }

  /// From the log, or trained now; nothing where it was interrupted.
  std::optional<Trial> run_trial(const TuneResult::Row& row, int epochs, ThreadPool& pool,
                                 Observer& observer) {
    const Stopwatch watch;
    Trial trial;
    trial.setting = row.setting;
    trial.epochs = epochs;
    trial.changes = row.changes;
    std::string key = log_->key(row.changes, epochs);
    try {
      const Plan plan = space_.plan(row.changes, epochs);
      key = log_->key(plan.settings);
      if (const auto before = log_->find(key)) return before;
      if (!train(plan, pool, observer, trial)) return std::nullopt;
    } catch (const Error& error) {
      trial.value.reset();
      trial.error = error.what();
    }
    trial.seconds = watch.seconds();
    log_->add(key, trial);
    return trial;
  }

  std::unique_ptr<Trainer> make_trainer(const Plan& plan, ThreadPool& pool) const {
    const ExperimentData& data = prepared_.data;
    const Experiment& e = prepared_.experiment;
    auto out = std::make_unique<Trainer>(
        plan, e.random_seed(), data.set.graph, data.valid.get(), pool,
        TrainerInputs{.names = &data.set.names, .features = features_ ? &*features_ : nullptr});
    if (!e.output.init.empty())
      warm_start(*out, *plan.options.temperature, data.set, e.output.init);
    return out;
  }

  /// False if it was interrupted.
  bool train(const Plan& plan, ThreadPool& pool, Observer& observer, Trial& trial) {
    const auto made = make_trainer(plan, pool);
    Trainer& trainer = *made;
    if (!trainer.run({.observer = &observer, .interrupted = hooks_.interrupted, .checkpoint = {}}))
      return false;
    trial.epochs_done = trainer.epochs_done();
    trial.best_epoch = trainer.best_epoch();
    for (const EpochRecord& record : trainer.history()) {
      if (record.valid.empty()) continue;
      const double value = value_of(record.valid, prepared_.data.valid->selection_metric());
      trial.value = std::max(value, trial.value.value_or(value));
    }
    return true;
  }

  const PreparedExperiment& prepared_;
  const TuneHooks& hooks_;
  int threads_;
  SearchSpace space_;
  std::optional<Features> features_;
  TrialLog* log_ = nullptr;
  std::vector<TuneResult::Row> rows_;
  std::vector<int> epochs_;  ///< of a run of each row's setting
  std::vector<Trial> trials_;
  double full_runs_ = 0;
};

/// What can be refused before data are read.
void check_task(const Experiment& experiment) {
  require(experiment.task.has_value(),
          "tuning needs held-out pairs or labels, which training on a whole graph does not have; "
          "give --task");
}

/// A folder whose model is to go; every trial reads the one of --init.
void check_cleared(const OutputOptions& output) {
  if (output.out.empty() || output.init.empty() || !output.force || output.resume) return;
  const std::string read[] = {output.init + "/graph.bin"};
  require_inputs_apart(output.out, read);
}

/// What can be refused before anything is trained.
void check_search(const PreparedExperiment& prepared) {
  require(prepared.data.valid != nullptr,
          "tuning needs a validation part, and there is none; give {}--valid-share above 0",
          prepared.experiment.task == Task::kClassify ? "" : "--valid FILE with pairs, or ");
  require(*prepared.plan.options.epochs >= 1, "tuning needs epochs, got --epochs 0");
}

/// Setting 0 is what a run without a search does: its temperature is found as there. False if it
/// was interrupted.
bool find_defaults(PreparedExperiment& prepared, const TuneHooks& hooks) {
  ThreadPool pool(prepared.experiment.threads);
  const auto found = find_temperature(prepared, pool, hooks.interrupted);
  if (found && !found->value.empty()) take_tuned(prepared, "temperature", found->value);
  return !found || !found->value.empty();
}

/// Whether the model may learn from the valid pairs now that settings are found.
bool valid_is_free(const PreparedExperiment& prepared, const std::vector<Trial>& trials,
                   int setting) {
  const auto last = std::ranges::find(trials.rbegin(), trials.rend(), setting, &Trial::setting);
  const bool has_weights =
      prepared.experiment.files.valid.empty() || !prepared.data.set.graph.is_weighted();
  return prepared.experiment.task != Task::kClassify && has_weights &&
         last->best_epoch == last->epochs;
}

void fill_result(Search& search, const HalvingResult& found, TuneResult& out) {
  for (const auto& [rung, values] : found.rungs) {
    out.rung_epochs.push_back(rung.epochs);
    for (std::size_t i = 0; i < values.size(); ++i)
      search.rows()[rung.settings[i]].values.push_back(values[i]);
  }
  out.rows = std::move(search.rows());
  for (const Trial& trial : search.trials()) out.from_before += trial.from_before ? 1 : 0;
  out.trials = static_cast<int>(search.trials().size());
  out.full_runs = search.full_runs();
  out.finished = found.finished;
  out.best = found.best;
}

}  // namespace

TuneResult tune_experiment(const Experiment& given, const TuneOptions& options,
                           const TuneHooks& hooks) {
  const Stopwatch watch;
  const std::uint64_t program = resident_bytes();
  Experiment experiment = given;
  experiment.split.learn_from.reset();  // valid pairs decide here
  require(options.settings >= 1 && options.settings <= 10000,
          "the number of settings must be between 1 and 10000, got {}", options.settings);
  check_task(experiment);
  PreparedExperiment prepared = [&] {
    ThreadPool pool(experiment.threads);
    return prepare_experiment(experiment, pool, Evaluators::kValid);
  }();
  prepared.data.set.test = {};
  check_search(prepared);
  const OutputOptions& output = experiment.output;
  const int threads = experiment.threads > 0 ? experiment.threads : hardware_threads();
  check_cleared(output);
  check_memory(prepared, threads, program);
  Search search(prepared, hooks, threads);
  require(options.settings == 1 || !search.space().dimensions().empty(),
          "there is nothing to tune: every setting that could be was given; leave out --lr, --l2 "
          "or parameters of the sampler");
  TuneResult out;
  out.dimensions = search.space().dimensions();
  out.metric = prepared.data.valid->selection_metric();
  for (const std::string& text : prepared.data.warnings)
    if (hooks.warning) hooks.warning(text);
  if (hooks.ready) hooks.ready(prepared.data.set, prepared.plan);

  OutputFolder folder(output);
  // Otherwise nothing is lost, and settings that fail are found out by their trials.
  if (!output.out.empty() && output.force && !output.resume) search.check_defaults();
  if (!find_defaults(prepared, hooks)) return {};
  if (hooks.begins) hooks.begins();
  folder.begin();
  search.choose(options.settings);
  TrialLog log(output.out, resume_json(prepared.settings, prepared.experiment));
  fill_result(search, search.run(log), out);
  out.seconds = watch.seconds();
  if (!out.finished) return out;
  const TuneResult::Row& best = out.rows[out.best];
  if (std::isnan(best.values.back()))
    throw_error(ErrorKind::kRuntime, "every setting failed; the defaults: {}", out.rows[0].error);
  out.tuned = best.changes;
  out.valid_is_free = valid_is_free(prepared, search.trials(), best.setting);
  out.toml = tuned_toml(out, options, search.space().plan(out.tuned));
  if (!output.out.empty()) write_file_atomically(output.out + "/tuned.toml", out.toml);
  return out;
}

std::vector<Dimension> open_dimensions(const Experiment& experiment) {
  check_task(experiment);
  ThreadPool pool(experiment.threads);
  const PreparedExperiment prepared = prepare_experiment(experiment, pool, Evaluators::kValid);
  check_search(prepared);
  return SearchSpace(prepared.experiment, prepared.data.set.graph).dimensions();
}

bool tune_and_run(Experiment experiment, const TuneOptions& options, const TuneHooks& hooks,
                  const RunTuned& run) {
  OutputOptions& output = experiment.output;
  Experiment search = experiment;
  TuneHooks with_folder = hooks;
  std::optional<OutputFolder> folder;
  if (!output.out.empty()) {
    check_model_directory(output.out, output.force, output.resume);
    Experiment read = experiment;
    find_files(read);
    check_inputs_stay(read);
    check_cleared(output);
    search.output.out += "/tune";
    with_folder.ready = [&](const Dataset& data, const Plan& plan) {
      if (hooks.ready) hooks.ready(data, plan);
      folder.emplace(output);
    };
  }
  with_folder.begins = [&] {
    if (hooks.begins) hooks.begins();
    if (!output.tensorboard.empty()) EventFile::check_folder(output.tensorboard);
    if (folder) folder->begin();
  };
  const TuneResult found = tune_experiment(search, options, with_folder);
  if (!found.finished) return false;
  experiment.tuned = found.tuned;
  experiment.searched = {{found.metric, found.rows[found.best].values.back()}};
  if (found.valid_is_free && !experiment.split.learn_from && !experiment.train.patience)
    experiment.tuned_split["learn-from"] = "both";
  output.held = folder ? folder->lock() : nullptr;
  run(experiment, found);
  return true;
}

}  // namespace mcns
