// Several models in one figure: a run with consecutive seeds on one split, and the mean of its
// metrics with their deviation.
#pragma once

#include <functional>
#include <span>

#include "mcns/train/experiment.h"

namespace mcns {

using RunOnce = std::function<ExperimentResult(const Experiment&, const ExperimentHooks&)>;

/// Runs experiment.split.repeats times. The model of the first seed lies in the folder of the
/// output, those of the others in its folders `seed-2`, `seed-3`, …; the metrics.json of the first
/// then has means, deviations and the figures of every run. Unfinished where a run is.
ExperimentResult run_repeats(const Experiment& experiment, const ExperimentHooks& hooks,
                             const RunOnce& run_once);

struct MetricSpread {
  Metrics mean, deviation;  ///< of a sample: divided by the number less one
};
/// Of the same metrics, run by run; at least two of them.
MetricSpread spread_of(std::span<const Metrics> runs);

}  // namespace mcns
