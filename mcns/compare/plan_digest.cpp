#include "mcns/compare/plan_digest.h"

#include <nlohmann/json.hpp>

#include "mcns/compare/run_record.h"
#include "mcns/core/error.h"
#include "mcns/train/experiment_settings.h"

namespace mcns {
namespace {

Experiment of_first_fold(Experiment experiment) {
  experiment.seed = 1;
  experiment.split.split_seed = 1;
  experiment.split.fold.reset();
  experiment.output = {};
  return experiment;
}

/// Digests without paths, which differ between machines.
std::string hashes_of(const Experiment& experiment) {
  std::string out;
  const auto files = nlohmann::json::parse(data_json(experiment));
  for (const auto& [role, file] : files.items())
    out += fmt::format("\n{} {}", role, file.value("sha256", ""));
  return out;
}

void add_settings(const std::vector<Setting>& settings, std::string& to) {
  for (const Setting& setting : settings) to += fmt::format("\n{}={}", setting.name, setting.value);
}

}  // namespace

bool data_is_here(const Experiment& experiment) {
  try {
    Experiment found = experiment;
    find_files(found);
    return true;
  } catch (const Error&) {
    return false;
  }
}

const PlanDigests::Loaded& PlanDigests::load(const Experiment& experiment) {
  // The split does not depend on training, but for the preset and for whether anything is chosen.
  Experiment only_data = experiment;
  only_data.train = {};
  only_data.train.preset = experiment.train.preset;
  only_data.train.patience = experiment.train.patience;
  only_data.tuned.clear();
  const std::string key = experiment_key(only_data, "data");
  if (loaded_ && loaded_->key == key) return *loaded_;
  ThreadPool pool(experiment.threads);
  loaded_.reset();
  Experiment found = only_data;
  find_files(found);
  loaded_ = Loaded{key, prepare_data(found, pool), hashes_of(found)};
  return *loaded_;
}

std::string PlanDigests::of(const Experiment& given) {
  const Experiment experiment = of_first_fold(given);
  const std::string key = experiment_key(experiment, "plan");
  if (const auto known = found_.find(key); known != found_.end()) return known->second;
  const Loaded& loaded = load(experiment);
  const Plan plan = make_plan(experiment.train, experiment.task, loaded.data.set.graph,
                              *experiment.components, experiment.from_config, experiment.tuned);
  std::string text = loaded.hashes;
  add_settings(loaded.data.split_settings, text);
  add_settings(plan.settings, text);
  return found_[key] = short_digest(text);
}

}  // namespace mcns
