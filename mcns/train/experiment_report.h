// What an experiment writes about itself: metrics.json, history.jsonl and run.json.
#pragma once

#include <string>

#include "mcns/train/experiment.h"
#include "mcns/train/experiment_data.h"

namespace mcns {

struct RunFacts {
  double final_eval_seconds;
  std::int64_t resumed_from;
  int threads;
};

std::string metrics_json(const Experiment& experiment, const Trainer& trainer,
                         const ExperimentResult& result, const RunFacts& facts,
                         const ExperimentData& data);
std::string history_jsonl(const Trainer& trainer);
/// Every setting, seed, version, build, CPU and data hash: enough to repeat the run.
std::string run_json(const Experiment& experiment, const ExperimentData& data);

/// The settings that a resumed run must share, and the name of its kernels, as JSON.
std::string settings_json(const Experiment& experiment);
/// Throws with the first setting that differs. An empty `before` (no checkpoint) is fine.
void require_same_settings(const std::string& before, const std::string& now);
/// What a user should know where the kernels are others, as on a CPU with other instruction sets;
/// empty where they are not.
std::string kernels_remark(const std::string& before, const std::string& now);

}  // namespace mcns
