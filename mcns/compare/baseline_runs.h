// Methods without negatives, run on the data of an experiment: what samplers have to beat.
//
//   popularity  items by their number of training pairs
//   als         baselines/als.h, its weight and l2 chosen on validation from a fixed grid
#pragma once

#include <string>
#include <vector>

#include "mcns/compare/run_record.h"
#include "mcns/train/prepared.h"

namespace mcns {

/// Names that `--baselines` takes.
const std::vector<std::string>& baseline_names();

/// The record of a run but for its name, kind, repeat, key and command. The seed starts als. Throws
/// unless the task is recommend and there are validation pairs.
RunRecord run_baseline(const std::string& name, const PreparedExperiment& prepared,
                       std::uint64_t seed, ThreadPool& pool);

}  // namespace mcns
