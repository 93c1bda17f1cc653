#include "mcns/train/repeats.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/io/files.h"
#include "mcns/train/experiment_report.h"

namespace mcns {
namespace {

using Json = nlohmann::ordered_json;

/// The run of the i-th seed, from 0.
Experiment with_seed(const Experiment& first, int i) {
  Experiment out = first;
  if (i == 0) return out;
  const std::uint64_t seed = first.random_seed() + static_cast<std::uint64_t>(i);
  out.seed = seed;
  out.split.repeats.reset();
  out.split.split_seed =
      first.split.split_seed.value_or(static_cast<std::int64_t>(first.random_seed()));
  out.load.on_read = {};  // was told already
  out.output.held = nullptr;
  for (std::string* folder : {&out.output.out, &out.output.tensorboard})
    if (!folder->empty()) *folder += fmt::format("/seed-{}", seed);
  return out;
}

/// What metrics.json says of the whole, from that of the first run.
std::string combined_json(const std::vector<ExperimentResult>& runs,
                          const ExperimentResult& whole) {
  Json out = Json::parse(runs[0].metrics_json);
  out["repeats"] = runs.size();
  out["valid"] = metrics_object(whole.valid);
  out["valid_deviation"] = metrics_object(whole.valid_deviation);
  out["test"] = metrics_object(whole.test);
  out["test_deviation"] = metrics_object(whole.test_deviation);
  out["runs"] = Json::array();
  for (const ExperimentResult& run : runs) {
    const Json one = Json::parse(run.metrics_json);
    Json kept = Json::object();
    for (const char* key : {"seed", "epochs", "best_epoch", "train_seconds", "valid", "test"})
      kept[key] = one.at(key);
    out["runs"].push_back(std::move(kept));
  }
  return out.dump(2) + "\n";
}

}  // namespace

MetricSpread spread_of(std::span<const Metrics> runs) {
  MetricSpread out;
  const auto count = static_cast<double>(runs.size());
  for (std::size_t i = 0; i < runs[0].size(); ++i) {
    const std::string& name = runs[0][i].name;
    double sum = 0, squares = 0;
    for (const Metrics& run : runs) sum += value_of(run, name);
    for (const Metrics& run : runs) squares += std::pow(value_of(run, name) - sum / count, 2);
    out.mean.push_back({name, sum / count});
    out.deviation.push_back({name, std::sqrt(squares / (count - 1))});
  }
  return out;
}

ExperimentResult run_repeats(const Experiment& experiment, const ExperimentHooks& hooks,
                             const RunOnce& run_once) {
  const int repeats = *experiment.split.repeats;
  require(experiment.task.has_value(), "--repeats needs --task: there is no figure to average");
  std::vector<ExperimentResult> runs;
  for (int i = 0; i < repeats; ++i) {
    const Experiment one = with_seed(experiment, i);
    if (hooks.notice)
      hooks.notice(fmt::format("model {} of {}, seed {}", i + 1, repeats, one.random_seed()));
    runs.push_back(run_once(one, hooks));
    if (!runs.back().finished) return runs.back();
  }
  ExperimentResult whole = runs[0];
  std::vector<Metrics> valid, test;
  for (const ExperimentResult& run : runs) {
    valid.push_back(run.valid);
    test.push_back(run.test);
  }
  MetricSpread on_valid = spread_of(valid), on_test = spread_of(test);
  whole.valid = std::move(on_valid.mean);
  whole.valid_deviation = std::move(on_valid.deviation);
  whole.test = std::move(on_test.mean);
  whole.test_deviation = std::move(on_test.deviation);
  whole.metrics_json = combined_json(runs, whole);
  const std::string& out = experiment.output.out;
  if (!out.empty()) write_file_atomically(out + "/metrics.json", whole.metrics_json);
  return whole;
}

}  // namespace mcns
