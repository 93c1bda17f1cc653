#include "mcns/train/experiment.h"

#include <nlohmann/json.hpp>

#include "mcns/core/error.h"
#include "mcns/core/features.h"
#include "mcns/core/json_object.h"
#include "mcns/core/stopwatch.h"
#include "mcns/io/checkpoint.h"
#include "mcns/io/features_file.h"
#include "mcns/io/model_directory.h"
#include "mcns/io/read_report.h"
#include "mcns/model/weights.h"
#include "mcns/system/process_memory.h"
#include "mcns/train/event_file.h"
#include "mcns/train/experiment_report.h"
#include "mcns/train/experiment_settings.h"
#include "mcns/train/output_folder.h"
#include "mcns/train/prepared.h"
#include "mcns/train/repeats.h"
#include "mcns/train/temperature_search.h"

namespace mcns {
namespace {

/// The checkpoints of a run, in its folder.
class Checkpoints {
 public:
  Checkpoints(std::string folder, std::string settings, Trainer& trainer)
      : folder_(std::move(folder)), settings_(std::move(settings)), trainer_(trainer) {}

  /// Goes on from the newest one, where there is one.
  void load(bool other_kernels) {
    const std::string before = checkpoint_settings(folder_);
    require_same_settings(before, settings_);
    if (!other_kernels) require_same_kernels(before, settings_);
    if (load_checkpoint(folder_, [&](Archive& a) { trainer_.visit_state(a); }))
      epochs_ = trainer_.epochs_done();
  }
  void save() {
    save_checkpoint(folder_, settings_, [&](Archive& a) { trainer_.visit_state(a); });
    epochs_ = trainer_.epochs_done();
    since_last_ = Stopwatch();
  }
  /// Unless one was made in the last two minutes.
  void save_if_due() {
    if (since_last_.seconds() > 120) save();
  }
  /// Whole epochs in the newest one that this run loaded or saved.
  std::optional<std::int64_t> epochs() const { return epochs_; }

 private:
  std::string folder_, settings_;
  Trainer& trainer_;
  std::optional<std::int64_t> epochs_;
  Stopwatch since_last_;
};

/// Passes events on, writes them for TensorBoard, and saves at the end of an epoch when two minutes
/// have gone by.
class SavingObserver final : public Observer {
 public:
  SavingObserver(Observer* inner, Checkpoints* checkpoints, EventFile* events)
      : inner_(inner), checkpoints_(checkpoints), events_(events) {}
  void batch_done(std::int64_t epoch, std::int64_t batch, std::int64_t batches,
                  const StepTotals& totals) override {
    if (inner_ != nullptr) inner_->batch_done(epoch, batch, batches, totals);
  }
  void epoch_done(const EpochRecord& record) override {
    if (inner_ != nullptr) inner_->epoch_done(record);
    if (events_ != nullptr) events_->write(record.epoch, scalars(record));
  }
  void epoch_saved() override {
    if (checkpoints_ != nullptr) checkpoints_->save_if_due();
  }

 private:
  Observer* inner_;
  Checkpoints* checkpoints_;
  EventFile* events_;
};

/// Trains; an error says from where the run can be resumed. False if it was interrupted.
bool train(Trainer& trainer, const Experiment& experiment, const ExperimentHooks& hooks,
           Checkpoints& checkpoints, EventFile* events) {
  const OutputOptions& output = experiment.output;
  const bool by_time = !output.out.empty() && output.checkpoint_every == 0;
  SavingObserver observer(hooks.observer, by_time ? &checkpoints : nullptr, events);
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

/// Nodes that test has and train does not; empty where there are none.
std::string cold_remark(const ExperimentData& data) {
  const ColdCounts& cold = data.cold_test;
  if (cold.pairs == 0) return "";
  const std::string nodes = data.set.graph.is_bipartite()
                                ? fmt::format("{} users and {} items", cold.users, cold.items)
                                : fmt::format("{} nodes", cold.users);
  return fmt::format("{} of the test pairs have no training edge (cold): {} of {} pairs", nodes,
                     cold.pairs, cold.of);
}

/// What makes the figures doubtful, if anything.
std::vector<std::string> doubts(const ExperimentData& data, const Plan& plan,
                                const Metrics& valid) {
  std::vector<std::string> out;
  if (!plan.task) return out;
  const bool one_table = *plan.options.tables == 1 || *plan.options.scores == "in-in";
  if (plan.task == Task::kLinkpred && data.set.graph.is_directed() && one_table)
    out.push_back(
        fmt::format("edges have a direction, but {} with --tables {} --scores {} gives a pair the "
                    "same score in both directions",
                    plan.encoder().name, *plan.options.tables, *plan.options.scores));
  if (!data.valid || data.valid->selection_metric() != "auc") return out;
  const double auc = value_of(valid, "auc");
  if (auc < 0.5)
    out.push_back(fmt::format(
        "validation AUC {:.3f} is below 0.5: held-out edges score lower than non-edges; "
        "check {}, --scores and the valid pairs",
        auc, data.set.graph.is_directed() ? "the direction of the edges" : "--directed"));
  return out;
}

/// Values of the metric that chose the epoch. `error` is that of the kept model; 0: not measured.
ValidationCurve validation_curve(const Trainer& trainer, const Evaluator& valid, double error,
                                 std::int64_t planned) {
  ValidationCurve curve{{}, trainer.best_epoch(), error, planned};
  for (const EpochRecord& record : trainer.history()) {
    if (record.valid.empty()) continue;
    const double value = value_of(record.valid, valid.selection_metric());
    curve.points.push_back({record.epoch, value});
    if (record.epoch == curve.best_epoch && error == 0)
      curve.standard_error = valid.standard_error(value);
  }
  return curve;
}

nlohmann::ordered_json data_facts(const Dataset& data) {
  const Graph& graph = data.graph;
  nlohmann::ordered_json out{{"nodes", graph.num_nodes()}, {"edges", graph.num_edges()}};
  if (graph.is_bipartite())
    out.update({{"users", graph.num_users()}, {"items", graph.num_items()}});
  out.update({{"weighted", graph.is_weighted()},
              {"directed", graph.is_directed()},
              {"self_loops", data.report.train.self_loops},
              {"nodes_unseen_in_train", data.report.nodes_unseen},
              {"valid", data.valid.pairs.size()},
              {"test", data.test.pairs.size()}});
  out.update(nlohmann::ordered_json::parse(report_json(data.report.read)));
  return out;
}

/// Tells of the model, and writes it where there is a folder.
void deliver_model(const PreparedExperiment& prepared, Trainer& trainer, const std::string& metrics,
                   const ExperimentHooks& hooks) {
  const std::string& out = prepared.experiment.output.out;
  if (out.empty() && !hooks.trained) return;
  const ExperimentData& data = prepared.data;
  const Encoder& model = trainer.model();
  ModelFiles files{data.set.graph,
                   data.set.names,
                   model.node_table(),
                   {},
                   run_json(prepared.experiment, prepared.settings, data),
                   history_jsonl(trainer),
                   history_csv(trainer),
                   metrics};
  if (model.has_context()) files.context = model.context_table();
  if (hooks.trained) hooks.trained(files, trainer.model());
  if (out.empty()) return;
  if (prepared.plan.encoder().network) save_weights(out + "/weights.npz", trainer.model());
  write_model_directory(out, files);
}

ExperimentResult run_once(const Experiment& experiment, const ExperimentHooks& hooks) {
  const std::uint64_t program = resident_bytes();
  ThreadPool pool(experiment.threads);
  PreparedExperiment prepared = prepare_experiment(experiment, pool);
  const Plan& plan = prepared.plan;
  const ExperimentData& data = prepared.data;
  check_memory(prepared, pool.threads(), program);
  for (const std::string& text : data.warnings)
    if (hooks.warning) hooks.warning(text);
  const std::string cold = cold_remark(data);
  if (hooks.notice && !cold.empty()) hooks.notice(cold);
  if (hooks.ready) hooks.ready(data.set, plan);
  const OutputOptions& output = experiment.output;
  OutputFolder folder(output);
  double search_seconds = 0;
  if (const auto found = find_temperature(prepared, pool, hooks.interrupted)) {
    if (found->value.empty()) return {};
    take_tuned(prepared, "temperature", found->value);
    if (hooks.notice && !found->remark.empty()) hooks.notice(found->remark);
    search_seconds = found->seconds;
  }

  std::optional<Features> features;
  if (plan.options.features)
    features = read_features(*plan.options.features, data.set.graph, data.set.names);
  Trainer trainer(plan, experiment.random_seed(), data.set.graph, data.valid.get(), pool,
                  {.names = &data.set.names,
                   .features = features ? &*features : nullptr,
                   .negatives = hooks.negatives ? hooks.negatives() : nullptr});
  Checkpoints checkpoints(output.out + "/checkpoint",
                          resume_json(prepared.settings, prepared.experiment), trainer);
  if (!output.init.empty()) warm_start(trainer, *plan.options.temperature, data.set, output.init);
  if (!output.out.empty() && output.resume) checkpoints.load(output.other_kernels);
  std::optional<EventFile> events;
  if (!output.tensorboard.empty()) events.emplace(output.tensorboard, trainer.epochs_done() + 1);
  folder.begin();
  const std::int64_t resumed_from = checkpoints.epochs().value_or(0);

  ExperimentResult result;
  result.finished = train(trainer, experiment, hooks, checkpoints, events ? &*events : nullptr);
  if (!result.finished) return result;

  const Stopwatch watch;
  const EmbeddingView view = trainer.scores_view();
  if (data.valid) {
    Evaluation valid = data.valid->evaluate_fully(view, pool);
    result.valid = std::move(valid.metrics);
    result.overfitting = find_overfitting(
        validation_curve(trainer, *data.valid, valid.selection_error, *plan.options.epochs));
  } else {
    result.valid = experiment.searched;
  }
  if (data.test) {
    Evaluation test = data.test->evaluate_fully(view, pool);
    result.test = std::move(test.metrics);
    result.test_groups = std::move(test.groups);
    result.test_by_user = std::move(test.by_user);
  }
  for (const std::string& doubt : doubts(data, plan, result.valid))
    if (hooks.warning) hooks.warning(doubt);
  if (hooks.notice && result.overfitting)
    hooks.notice(
        overfitting_remark(*result.overfitting, data.valid->selection_metric(), plan.options));
  result.metrics_json =
      metrics_json(experiment, plan, trainer, result,
                   {watch.seconds(), resumed_from, pool.threads(), search_seconds}, data);
  result.history = trainer.history();
  result.best_epoch = trainer.best_epoch();
  result.totals = trainer.totals();
  result.settings = prepared.settings;
  deliver_model(prepared, trainer, result.metrics_json, hooks);
  return result;
}

}  // namespace

ExperimentResult run_experiment(const Experiment& experiment, const ExperimentHooks& hooks) {
  const bool several = experiment.split.repeats.value_or(1) > 1;
  return several ? run_repeats(experiment, hooks, run_once) : run_once(experiment, hooks);
}

ExperimentPlan plan_experiment(const Experiment& experiment) {
  MemoryRequest request;
  request.program = resident_bytes();
  ThreadPool pool(experiment.threads);
  const PreparedExperiment prepared = prepare_experiment(experiment, pool);
  const Dataset& set = prepared.data.set;
  request.threads = pool.threads();
  ExperimentPlan out;
  out.settings = prepared.settings;
  out.rules = rules_of(prepared.plan);
  out.memory = estimate_memory(set.graph, set.names, prepared.plan, request);
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  document["settings"] = nlohmann::ordered_json::parse(settings_json(out.settings));
  for (const Rule& rule : out.rules) document["settings"][rule.setting]["rule"] = rule.formula;
  document["memory"] = total_bytes(out.memory);
  for (const MemoryPart& part : out.memory)
    object_at(document, "memory_parts")[part.what] = part.bytes;
  document["data"] = data_facts(set);
  out.json = document.dump(2) + "\n";
  return out;
}

}  // namespace mcns
