#include "mcns/train/experiment_report.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "mcns/core/error.h"
#include "mcns/io/sha256.h"
#include "mcns/system/process_memory.h"
#include "mcns/system/version.h"

namespace mcns {
namespace {

using Json = nlohmann::ordered_json;

/// "10/micro_f1" becomes {"10": {"micro_f1": ...}}.
Json nested(const Metrics& metrics) {
  Json out = Json::object();
  for (const auto& [name, value] : metrics) {
    const auto slash = name.find('/');
    if (slash == std::string::npos)
      out[name] = value;
    else
      out[name.substr(0, slash)][name.substr(slash + 1)] = value;
  }
  return out;
}

template <class T>
void put(Json& out, const char* name, const T& value) {
  out[name] = value;
}
template <class T>
void put(Json& out, const char* name, const std::optional<T>& value) {
  if (value) out[name] = *value;
}

Json option_values(const TrainOptions& options) {
  Json out = Json::object();
  for_each_option(options,
                  [&](const char* name, const auto& value, const char*) { put(out, name, value); });
  return out;
}

Json data_hashes(const Experiment& e) {
  const DatasetFiles& files = e.files;
  Json out = Json::object();
  const std::pair<const char*, const std::string&> all[] = {{"train", files.train},
                                                            {"valid", files.valid},
                                                            {"test", files.test},
                                                            {"labels", files.labels},
                                                            {"features", e.train.features}};
  for (const auto& [role, path] : all)
    if (!path.empty()) out[role] = {{"path", path}, {"sha256", sha256_of_file(path)}};
  return out;
}

Json load_values(const LoadOptions& load) {
  constexpr const char* kBipartite[] = {"none", "shared", "separate"};
  return {{"bipartite", kBipartite[static_cast<int>(load.bipartite)]},
          {"directed", load.directed},
          {"duplicates", load.repeated == Repeated::kMerge ? "merge" : "keep"},
          {"self-loops", load.self_loops == SelfLoops::kDrop ? "drop" : "keep"}};
}

Json split_values(const SplitOptions& split, Task task) {
  return {{"valid", split.valid_share(task)},
          {"test", split.test},
          {"parts", split.parts},
          {"fold", split.fold},
          {"candidates", split.candidates}};
}

}  // namespace

std::string metrics_json(const Experiment& e, const Trainer& trainer,
                         const ExperimentResult& result, const RunFacts& facts,
                         const ExperimentData& data) {
  const StepTotals& totals = trainer.totals();
  Json out;
  out["task"] = e.task ? task_name(*e.task) : "none";
  out["model"] = e.train.model.empty() ? *e.train.encoder : e.train.model;
  out["encoder"] = *e.train.encoder;
  out["sampler"] = *e.train.sampler;
  out["positives_from"] = *e.train.positives;
  out["loss"] = *e.train.loss;
  out["dim"] = *e.train.dim;
  out["seed"] = e.seed;
  out["threads"] = facts.threads;
  out["epochs"] = trainer.epochs_done();
  out["best_epoch"] = trainer.best_epoch();
  out["train_seconds"] = totals.seconds;
  out["sample_seconds"] = totals.sample_seconds;
  out["eval_seconds"] = trainer.eval_seconds() + facts.final_eval_seconds;
  out["positives"] = totals.pairs;
  out["skipped_positives"] = totals.skipped;
  out["negatives"] = trainer.negatives_per_positive();
  if (totals.checked > 0)
    out["collision_rate"] = double(totals.collisions) / static_cast<double>(totals.checked);
  for (const SamplerFigure& figure : trainer.sampler().figures())
    out["sampler_figures"][figure.name] = figure.value;
  out["positives_per_second"] =
      totals.seconds > 0 ? static_cast<double>(totals.pairs) / totals.seconds : 0.0;
  out["resumed_from_epoch"] = facts.resumed_from;
  out["peak_rss_mb"] = static_cast<double>(peak_resident_bytes()) / (1 << 20);
  out["nodes_unseen_in_train"] = data.set.report.nodes_unseen;
  out["valid"] = nested(result.valid);
  out["test"] = nested(result.test);
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
    if (!record.valid.empty()) line["valid"] = nested(record.valid);
    if (record.best) line["best"] = true;
    out += line.dump() + "\n";
  }
  return out;
}

std::string settings_json(const Experiment& e) {
  Json out;
  out["task"] = e.task ? task_name(*e.task) : "none";
  out["seed"] = e.seed;
  out["options"] = option_values(e.train);
  out["load"] = load_values(e.load);
  out["split"] = split_values(e.split, e.task.value_or(Task::kClassify));
  out["data"] = data_hashes(e);
  out["simd"] = kernels().name;
  return out.dump();
}

void require_same_settings(const std::string& before, const std::string& now) {
  if (before.empty()) return;
  auto old_settings = Json::parse(before), new_settings = Json::parse(now);
  // A longer or more patient run may go on from a shorter one.
  for (auto* settings : {&old_settings, &new_settings}) {
    (*settings)["options"].erase("epochs");
    (*settings)["options"].erase("patience");
    settings->erase("simd");
    for (auto& [role, file] : (*settings)["data"].items()) file.erase("path");
  }
  const Json difference = Json::diff(old_settings, new_settings);
  if (difference.empty()) return;
  const auto path = difference[0]["path"].get<std::string>();
  const Json::json_pointer pointer(path);
  throw_error(ErrorKind::kUsage, "cannot resume: {} was {} and is now {}; --force starts anew",
              path, old_settings.contains(pointer) ? old_settings[pointer].dump() : "unset",
              new_settings.contains(pointer) ? new_settings[pointer].dump() : "unset");
}

std::string kernels_remark(const std::string& before, const std::string& now) {
  if (before.empty()) return "";
  const auto simd = [](const std::string& settings) {
    return Json::parse(settings).value("simd", std::string());
  };
  const std::string then = simd(before), today = simd(now);
  if (then.empty() || then == today) return "";
  return fmt::format(
      "the checkpoint was made with {} kernels and this run goes on with {} ones, which round "
      "otherwise: the result will not have the bits of an uninterrupted run",
      then, today);
}

std::string run_json(const Experiment& e, const ExperimentData& data) {
  Json out = Json::parse(settings_json(e));
  out["nodes"] = data.set.graph.num_nodes();
  out["edges"] = data.set.graph.num_edges();
  out["version"] = version();
  out["build"] = build_type();
  out["cpu"] = cpu_name();
  return out.dump(2) + "\n";
}

}  // namespace mcns
