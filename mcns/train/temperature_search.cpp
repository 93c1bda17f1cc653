#include "mcns/train/temperature_search.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace mcns {
namespace {

constexpr double kLadder[] = {0.07, 0.1, 0.14, 0.2};
constexpr int kSteps = static_cast<int>(std::size(kLadder));
constexpr int kEpochsPerTrialEpoch = 10;

bool is_open(const PreparedExperiment& prepared) {
  const TrainOptions& options = prepared.plan.options;
  const Setting* temperature = find_setting(prepared.plan.settings, "temperature");
  return temperature->from == Origin::kDefault && *options.similarity == "cosine" &&
         prepared.data.valid != nullptr && prepared.experiment.output.init.empty() &&
         *options.epochs >= kEpochsPerTrialEpoch;
}

int nearest_step(double temperature) {
  const auto distance = [&](double step) { return std::abs(std::log(step / temperature)); };
  return static_cast<int>(std::ranges::min_element(kLadder, {}, distance) - std::begin(kLadder));
}

/// The best validation figure of a short run; nothing where it was interrupted.
std::optional<double> try_temperature(const PreparedExperiment& prepared, double temperature,
                                      int epochs, ThreadPool& pool,
                                      const std::atomic<bool>* interrupted) {
  const Experiment& e = prepared.experiment;
  const ExperimentData& data = prepared.data;
  TrainOptions options = e.train;
  options.epochs = epochs;
  options.eval_every = epochs;
  options.temperature = temperature;
  const Plan plan =
      make_plan(options, e.task, data.set.graph, *e.components, e.from_config, e.tuned);
  Trainer trainer(plan, e.random_seed(), data.set.graph, data.valid.get(), pool,
                  {.names = &data.set.names});
  if (!trainer.run({.observer = nullptr, .interrupted = interrupted, .checkpoint = {}}))
    return std::nullopt;
  return value_of(trainer.history().back().valid, data.valid->selection_metric());
}

}  // namespace

std::optional<Climb> climb(int steps, int start,
                           const std::function<std::optional<double>(int)>& value) {
  Climb out{{}, start};
  double best = 0;
  const auto is_better = [&](int step) -> std::optional<bool> {
    const auto found = value(step);
    if (!found) return std::nullopt;
    out.tried.emplace_back(step, *found);
    if (out.tried.size() > 1 && !(*found > best)) return false;
    best = *found;
    out.best = step;
    return true;
  };
  if (!is_better(start)) return std::nullopt;
  for (const int direction : {-1, 1}) {
    for (int step = start + direction; step >= 0 && step < steps; step += direction) {
      const auto better = is_better(step);
      if (!better) return std::nullopt;
      if (!*better) break;
    }
    if (out.best != start) break;
  }
  return out;
}

std::optional<FoundTemperature> find_temperature(const PreparedExperiment& prepared,
                                                 ThreadPool& pool,
                                                 const std::atomic<bool>* interrupted) {
  if (!is_open(prepared)) return std::nullopt;
  const int epochs =
      (*prepared.plan.options.epochs + kEpochsPerTrialEpoch - 1) / kEpochsPerTrialEpoch;
  const auto found = climb(kSteps, nearest_step(*prepared.plan.options.temperature), [&](int step) {
    return try_temperature(prepared, kLadder[step], epochs, pool, interrupted);
  });
  if (!found) return FoundTemperature{};
  FoundTemperature out{fmt::format("{}", kLadder[found->best]), ""};
  std::string others;
  double best = 0;
  for (const auto& [step, value] : found->tried) {
    if (step == found->best)
      best = value;
    else
      others += fmt::format(", {} has {:.4f}", kLadder[step], value);
  }
  out.remark = fmt::format("temperature {}: valid {} {:.4f} after {} epoch{}{}", out.value,
                           prepared.data.valid->selection_metric(), best, epochs,
                           epochs == 1 ? "" : "s", others);
  return out;
}

}  // namespace mcns
