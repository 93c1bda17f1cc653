// Training and tuning on data in memory, with callbacks into Python; plans of runs.
#include "mcns/train/experiment.h"
#include "mcns/tune/tune.h"

#include "src/model.h"

namespace mcns::python {
namespace {

/// What Python is told of a run; each may be None.
struct Callbacks {
  nb::object on_epoch, on_batch, notice, warning;
};

class CallingObserver final : public Observer {
 public:
  CallingObserver(const Callbacks& callbacks, Signals& signals)
      : callbacks_(callbacks), signals_(signals) {}

  void batch_done(std::int64_t epoch, std::int64_t batch, std::int64_t batches,
                  const StepTotals& totals) override {
    signals_.look();
    if (!has_progress_) return;
    const auto now = std::chrono::steady_clock::now();
    if (batch < batches && now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    const double loss = totals.loss / static_cast<double>(std::max<std::int64_t>(1, totals.pairs));
    signals_.call([&] { callbacks_.on_batch(epoch, batch, batches, loss); });
  }
  void epoch_done(const EpochRecord& record) override {
    signals_.look(true);
    if (!has_epochs_) return;
    signals_.call([&] {
      nb::dict out;
      out["epoch"] = record.epoch;
      out["loss"] = record.loss;
      out["lr"] = record.lr;
      out["train_seconds"] = record.seconds;
      out["sample_seconds"] = record.sample_seconds;
      nb::dict valid;
      for (const auto& [name, value] : record.valid) valid[name.c_str()] = value;
      out["valid"] = valid;
      out["best"] = record.best;
      callbacks_.on_epoch(out);
    });
  }

 private:
  const Callbacks& callbacks_;
  Signals& signals_;
  bool has_progress_ = !callbacks_.on_batch.is_none(), has_epochs_ = !callbacks_.on_epoch.is_none();
  std::chrono::steady_clock::time_point last_;
};

/// How an experiment is described by Python.
struct Request {
  const EdgeData& train;
  const EdgeData* valid = nullptr;
  const EdgeData* test = nullptr;
  const TextSettings& settings;
  const TextSettings& output;
  std::uint64_t seed = 1;
  int threads = 0;
};

std::string text_of(const TextSettings& settings, const char* name) {
  const auto found = settings.find(name);
  return found == settings.end() ? "" : found->second;
}

Experiment experiment_of(const Request& request, const Components& components) {
  Experiment out;
  out.files = memory_files(request.train, request.valid, request.test);
  out.load = request.train.load();
  take_text(request.settings, out.train);
  take_text(request.settings, out.split);
  out.output.out = text_of(request.output, "out");
  out.output.init = text_of(request.output, "init");
  out.output.tensorboard = text_of(request.output, "tensorboard");
  out.output.force = text_of(request.output, "force") == "true";
  out.output.resume = text_of(request.output, "resume") == "true";
  out.output.other_kernels = text_of(request.output, "other_kernels") == "true";
  const std::string every = text_of(request.output, "checkpoint_every");
  if (!every.empty()) read_text(every, out.output.checkpoint_every);
  out.seed = request.seed;
  out.threads = request.threads;
  out.components = &components;
  return out;
}

ExperimentHooks hooks_of(const Callbacks& callbacks, Signals& signals, Observer& observer) {
  ExperimentHooks hooks;
  hooks.observer = &observer;
  hooks.interrupted = &signals.interrupted();
  hooks.notice = [&](const std::string& text) { signals.call([&] { callbacks.notice(text); }); };
  hooks.warning = [&](const std::string& text) { signals.call([&] { callbacks.warning(text); }); };
  return hooks;
}

/// The trained model; None where it was interrupted without an exception.
std::unique_ptr<Model> train(const EdgeData& data, const EdgeData* valid,
                             const TextSettings& settings, const TextSettings& output,
                             std::uint64_t seed, int threads, const Callbacks& callbacks,
                             const PythonSamplers& samplers) {
  const Components components = with_samplers(samplers);
  const Experiment experiment = experiment_of({.train = data,
                                               .valid = valid,
                                               .settings = settings,
                                               .output = output,
                                               .seed = seed,
                                               .threads = threads},
                                              components);
  Signals signals;
  CallingObserver observer(callbacks, signals);
  ExperimentHooks hooks = hooks_of(callbacks, signals, observer);
  std::unique_ptr<Model> model;
  hooks.trained = [&](const ModelFiles& files, Encoder& encoder) {
    model = copy_of(files, encoder);
  };
  {
    const nb::gil_scoped_release released;
    run_experiment(experiment, hooks);
  }
  signals.rethrow();
  return model;
}

std::string plan(const EdgeData& data, const EdgeData* valid, const TextSettings& settings,
                 std::uint64_t seed, int threads, const PythonSamplers& samplers) {
  const TextSettings none;
  const Components components = with_samplers(samplers);
  const nb::gil_scoped_release released;
  return plan_experiment(experiment_of({.train = data,
                                        .valid = valid,
                                        .settings = settings,
                                        .output = none,
                                        .seed = seed,
                                        .threads = threads},
                                       components))
      .json;
}

class CallingTuneObserver final : public TuneObserver {
 public:
  CallingTuneObserver(Signals& signals, const nb::object& on_trial)
      : signals_(signals), on_trial_(on_trial), has_trials_(!on_trial.is_none()) {}
  void progressed(double) override { signals_.look(); }
  void trial_done(const Trial& trial) override {
    signals_.look();
    if (!has_trials_) return;
    signals_.call([&] { on_trial_(trial.setting, trial.epochs, trial.value); });
  }

 private:
  Signals& signals_;
  const nb::object& on_trial_;
  bool has_trials_;
};

nb::dict to_dict(const TuneResult& found) {
  nb::dict out;
  out["metric"] = found.metric;
  out["rung_epochs"] = found.rung_epochs;
  nb::list rows, dimensions;
  for (const TuneResult::Row& row : found.rows) {
    nb::dict one;
    one["setting"] = row.setting;
    one["changes"] = row.changes;
    one["values"] = row.values;
    one["error"] = row.error;
    rows.append(one);
  }
  for (const Dimension& dimension : found.dimensions) {
    nb::dict one;
    one["name"] = dimension.name;
    one["default"] = dimension.value;
    one["range"] = dimension.range_text();
    dimensions.append(one);
  }
  out["rows"] = rows;
  out["dimensions"] = dimensions;
  out["best"] = found.best;
  out["full_runs"] = found.full_runs;
  out["seconds"] = found.seconds;
  out["trials"] = found.trials;
  out["tuned"] = found.tuned;
  out["toml"] = found.toml;
  return out;
}

nb::object tune(const std::string& task, const EdgeData& data, const EdgeData* valid,
                const TextSettings& settings, const TextSettings& output, std::uint64_t seed,
                int threads, int trials, const nb::object& on_trial, const nb::object& warning,
                const PythonSamplers& samplers) {
  const Components components = with_samplers(samplers);
  Experiment experiment = experiment_of({.train = data,
                                         .valid = valid,
                                         .settings = settings,
                                         .output = output,
                                         .seed = seed,
                                         .threads = threads},
                                        components);
  experiment.task = parse_task(task);
  Signals signals;
  CallingTuneObserver observer(signals, on_trial);
  TuneHooks hooks{.observer = &observer, .interrupted = &signals.interrupted()};
  hooks.warning = [&](const std::string& text) { signals.call([&] { warning(text); }); };
  TuneResult found;
  {
    const nb::gil_scoped_release released;
    found = tune_experiment(experiment, {.settings = trials, .command = ""}, hooks);
  }
  signals.rethrow();
  return to_dict(found);
}

}  // namespace

void bind_train(nb::module_& m) {
  using nb::arg;
  m.def(
      "train",
      [](const EdgeData& data, const EdgeData* valid, const TextSettings& settings,
         const TextSettings& output, std::uint64_t seed, int threads, nb::object on_epoch,
         nb::object on_batch, nb::object notice, nb::object warning,
         const PythonSamplers& samplers) {
        const Callbacks callbacks{std::move(on_epoch), std::move(on_batch), std::move(notice),
                                  std::move(warning)};
        return train(data, valid, settings, output, seed, threads, callbacks, samplers);
      },
      arg("data"), arg("valid").none(), arg("settings"), arg("output"), arg("seed"), arg("threads"),
      arg("on_epoch").none(), arg("on_batch").none(), arg("notice"), arg("warning"),
      arg("samplers"));
  m.def("plan", &plan, arg("data"), arg("valid").none(), arg("settings"), arg("seed"),
        arg("threads"), arg("samplers"));
  m.def("tune", &tune, arg("task"), arg("data"), arg("valid").none(), arg("settings"),
        arg("output"), arg("seed"), arg("threads"), arg("trials"), arg("on_trial").none(),
        arg("warning"), arg("samplers"));
}

}  // namespace mcns::python
