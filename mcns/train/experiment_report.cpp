#include "mcns/train/experiment_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/core/json_object.h"
#include "mcns/system/process_memory.h"
#include "mcns/system/version.h"
#include "mcns/train/experiment_settings.h"

namespace mcns {
namespace {

using Json = nlohmann::ordered_json;

Json cold_json(const ColdCounts& cold, const Graph& graph) {
  Json out = graph.is_bipartite() ? Json{{"users", cold.users}, {"items", cold.items}}
                                  : Json{{"nodes", cold.users}};
  out.update({{"pairs", cold.pairs}, {"of", cold.of}});
  return out;
}

/// Whether the model is that of this epoch. Several were the best one so far.
bool is_kept(const EpochRecord& record, const Trainer& trainer) {
  return record.best && record.epoch == trainer.best_epoch();
}

Json group_json(const GroupMetrics& group) {
  Json out{{"users", group.users}, {"pairs", group.pairs}};
  out.update(metrics_object(group.metrics));
  return out;
}

}  // namespace

nlohmann::ordered_json metrics_object(const Metrics& metrics) {
  Json out = Json::object();
  for (const auto& [name, value] : metrics) {
    const auto slash = name.find('/');
    if (slash == std::string::npos)
      out[name] = value;
    else
      object_at(out, name.substr(0, slash))[name.substr(slash + 1)] = value;
  }
  return out;
}

std::string metrics_json(const Experiment& e, const Plan& plan, const Trainer& trainer,
                         const ExperimentResult& result, const RunFacts& facts,
                         const ExperimentData& data) {
  const StepTotals& totals = trainer.totals();
  Json out = Json::object();
  out["task"] = e.task ? task_name(*e.task) : "none";
  out["model"] = e.train.model.value_or(plan.encoder().name);
  out["encoder"] = plan.chosen("encoder");
  out["sampler"] = plan.chosen("sampler");
  out["positives_from"] = plan.chosen("positives");
  out["loss"] = *plan.options.loss;
  out["dim"] = *plan.options.dim;
  out["seed"] = e.random_seed();
  out["threads"] = facts.threads;
  out["epochs"] = trainer.epochs_done();
  out["best_epoch"] = trainer.best_epoch();
  if (result.overfitting)
    out["overfitting"] = {{"best", result.overfitting->best},
                          {"last", result.overfitting->last},
                          {"last_epoch", result.overfitting->last_epoch},
                          {"fall", result.overfitting->fall()}};
  out["train_seconds"] = totals.seconds;
  out["sample_seconds"] = totals.sample_seconds;
  if (totals.update_seconds > 0) out["update_seconds"] = totals.update_seconds;
  if (facts.search_seconds > 0) out["search_seconds"] = facts.search_seconds;
  out["eval_seconds"] = trainer.eval_seconds() + facts.final_eval_seconds;
  out["positives"] = totals.pairs;
  out["skipped_positives"] = totals.skipped;
  const NegativeCount negatives = *plan.options.negatives;
  out["negatives"] = negatives.shared ? negatives.count : trainer.negatives_per_positive();
  out["shared"] = negatives.shared;
  if (totals.checked > 0)
    out["collision_rate"] = double(totals.collisions) / static_cast<double>(totals.checked);
  for (const SamplerFigure& figure : trainer.sampler().figures())
    object_at(out, "sampler_figures")[figure.name] = figure.value;
  out["positives_per_second"] =
      totals.seconds > 0 ? static_cast<double>(totals.pairs) / totals.seconds : 0.0;
  out["resumed_from_epoch"] = facts.resumed_from;
  out["peak_rss_mb"] = static_cast<double>(peak_resident_bytes()) / (1 << 20);
  out["nodes_unseen_in_train"] = data.set.report.nodes_unseen;
  if (!data.non_edges.empty()) out["non_edges"] = data.non_edges;
  out["valid"] = metrics_object(result.valid);
  out["test"] = metrics_object(result.test);
  for (const auto& [part, cold] : {std::pair{"valid", &data.cold_valid}, {"test", &data.cold_test}})
    if (cold->of > 0) object_at(out, "cold")[part] = cold_json(*cold, data.set.graph);
  for (const GroupMetrics& group : result.test_groups)
    object_at(object_at(out, "groups"), group.of)[group.name] = group_json(group);
  return out.dump(2) + "\n";
}

std::string history_jsonl(const Trainer& trainer) {
  std::string out;
  for (const EpochRecord& record : trainer.history()) {
    Json line{{"epoch", record.epoch},
              {"loss", record.loss},
              {"lr", record.lr},
              {"train_seconds", record.seconds},
              {"sample_seconds", record.sample_seconds},
              {"eval_seconds", record.eval_seconds}};
    if (!record.valid.empty()) line["valid"] = metrics_object(record.valid);
    if (is_kept(record, trainer)) line["best"] = true;
    out += line.dump() + "\n";
  }
  return out;
}

std::string history_csv(const Trainer& trainer) {
  std::vector<std::string> metrics;  // in the order of their first appearance
  for (const EpochRecord& record : trainer.history())
    for (const auto& [name, value] : record.valid)
      if (std::ranges::find(metrics, name) == metrics.end()) metrics.push_back(name);
  std::string out = "epoch,loss,lr,train_seconds,sample_seconds,eval_seconds,best";
  for (const auto& name : metrics) out += ",valid_" + name;
  out += '\n';
  for (const EpochRecord& record : trainer.history()) {
    out +=
        fmt::format("{},{},{},{},{},{},{}", record.epoch, record.loss, record.lr, record.seconds,
                    record.sample_seconds, record.eval_seconds, is_kept(record, trainer) ? 1 : 0);
    for (const auto& name : metrics) {
      const auto found = std::ranges::find(record.valid, name, &Metric::name);
      out += found == record.valid.end() ? "," : fmt::format(",{}", found->value);
    }
    out += '\n';
  }
  return out;
}

Metrics scalars(const EpochRecord& record) {
  Metrics out = {{"train/loss", record.loss},
                 {"train/lr", record.lr},
                 {"seconds/train", record.seconds},
                 {"seconds/sample", record.sample_seconds},
                 {"seconds/eval", record.eval_seconds}};
  for (const auto& [name, value] : record.valid) out.push_back({"valid/" + name, value});
  return out;
}

std::string run_json(const Experiment& e, const std::vector<Setting>& settings,
                     const ExperimentData& data) {
  Json out = Json::object();
  out["task"] = e.task ? task_name(*e.task) : "none";
  out["settings"] = Json::parse(settings_json(settings));
  out["data"] = Json::parse(data_json(e));
  out["nodes"] = data.set.graph.num_nodes();
  out["edges"] = data.set.graph.num_edges();
  out["version"] = version();
  out["build"] = build_type();
  out["cpu"] = cpu_name();
  out["simd"] = kernels().name;
  return out.dump(2) + "\n";
}

}  // namespace mcns
