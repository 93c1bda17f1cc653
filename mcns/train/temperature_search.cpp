#include "mcns/train/temperature_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/io/checkpoint.h"
#include "mcns/io/features_file.h"

namespace mcns {
namespace {

constexpr double kLadder[] = {0.07, 0.1, 0.14, 0.2, 0.28};
constexpr int kSteps = static_cast<int>(std::size(kLadder));
constexpr int kEpochsPerTrialEpoch = 10, kMostTrialEpochs = 10, kLeastTrialDim = 64;

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

int trial_dim(int dim) { return std::min(dim, std::max(kLeastTrialDim, dim / 2)); }

/// A tenth of the epochs, and more of them where vectors are narrower: the products cost the same.
int trial_epochs(int epochs, int dim, int narrow) {
  const std::int64_t tenths = std::int64_t{epochs} * dim / narrow;
  return static_cast<int>(std::clamp<std::int64_t>((tenths - 1) / kEpochsPerTrialEpoch + 1, 1,
                                                   kMostTrialEpochs));
}

/// Short runs with one temperature or another.
class Trials {
 public:
  Trials(const PreparedExperiment& prepared, ThreadPool& pool, const std::atomic<bool>* interrupted)
      : prepared_(prepared),
        pool_(pool),
        interrupted_(interrupted),
        dim_(trial_dim(*prepared.plan.options.dim)),
        epochs_(trial_epochs(*prepared.plan.options.epochs, *prepared.plan.options.dim, dim_)) {
    const Dataset& set = prepared.data.set;
    if (const auto& file = prepared.plan.options.features)
      features_ = read_features(*file, set.graph, set.names);
  }

  int epochs() const { return epochs_; }
  int dim() const { return dim_; }
  double seconds() const { return seconds_; }

  /// The validation figure, worse than any where training failed; nothing where it was interrupted.
  std::optional<double> run(double temperature) {
    const Experiment& e = prepared_.experiment;
    const ExperimentData& data = prepared_.data;
    TrainOptions options = e.train;
    options.dim = dim_;
    options.epochs = epochs_;
    options.eval_every = epochs_;
    options.temperature = temperature;
    const Plan plan =
        make_plan(options, e.task, data.set.graph, *e.components, e.from_config, e.tuned);
    try {
      Trainer trainer(plan, e.random_seed(), data.set.graph, data.valid.get(), pool_,
                      {.names = &data.set.names, .features = features_ ? &*features_ : nullptr});
      const bool done =
          trainer.run({.observer = nullptr, .interrupted = interrupted_, .checkpoint = {}});
      seconds_ += trainer.totals().seconds;
      if (!done) return std::nullopt;
      return value_of(trainer.history().back().valid, data.valid->selection_metric());
    } catch (const Error&) {  // scores that overflow with this one need not with another
      return -std::numeric_limits<double>::infinity();
    }
  }

 private:
  const PreparedExperiment& prepared_;
  ThreadPool& pool_;
  const std::atomic<bool>* interrupted_;
  int dim_, epochs_;
  std::optional<Features> features_;
  double seconds_ = 0;
};

/// That of the checkpoint from which the run will go on: searching again could find another, as
/// other epochs are planned or another machine rounds otherwise.
std::optional<std::string> resumed_temperature(const OutputOptions& output) {
  if (!output.resume || output.out.empty()) return std::nullopt;
  const std::string before = checkpoint_settings(output.out + "/checkpoint");
  if (before.empty()) return std::nullopt;
  const auto settings = nlohmann::json::parse(before);
  if (!settings.contains("temperature") || !settings["temperature"].is_number())
    return std::nullopt;
  return number_text(settings["temperature"].get<double>());
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
  if (auto before = resumed_temperature(prepared.experiment.output))
    return FoundTemperature{std::move(*before)};
  Trials trials(prepared, pool, interrupted);
  const auto found = climb(kSteps, nearest_step(*prepared.plan.options.temperature),
                           [&](int step) { return trials.run(kLadder[step]); });
  if (!found) return FoundTemperature{};
  std::string others;
  double best = 0;
  for (const auto& [step, value] : found->tried) {
    if (step == found->best)
      best = value;
    else
      others += fmt::format(", {} has {:.4f}", kLadder[step], value);
  }
  const std::string value = fmt::format("{}", kLadder[found->best]);
  return FoundTemperature{value,
                          fmt::format("temperature {}: valid {} {:.4f} after {} epoch{} with {} "
                                      "dimensions{}",
                                      value, prepared.data.valid->selection_metric(), best,
                                      trials.epochs(), trials.epochs() == 1 ? "" : "s",
                                      trials.dim(), others),
                          trials.seconds()};
}

}  // namespace mcns
