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

std::string metrics_json(const Experiment& experiment, const Plan& plan, const Trainer& trainer,
                         const ExperimentResult& result, const RunFacts& facts,
                         const ExperimentData& data);
std::string history_jsonl(const Trainer& trainer);
/// Every setting with its origin, version, build, CPU and data hash: enough to repeat the run.
std::string run_json(const Experiment& experiment, const std::vector<Setting>& settings,
                     const ExperimentData& data);

}  // namespace mcns
