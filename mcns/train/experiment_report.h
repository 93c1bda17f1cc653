// What an experiment writes about itself: metrics.json, history.jsonl, history.csv and run.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "mcns/train/experiment.h"
#include "mcns/train/experiment_data.h"

namespace mcns {

struct RunFacts {
  double final_eval_seconds;
  std::int64_t resumed_from;
  int threads;
  double search_seconds;  ///< of training, to find the temperature
};

/// "10/micro_f1" becomes {"10": {"micro_f1": ...}}.
nlohmann::ordered_json metrics_object(const Metrics& metrics);
std::string metrics_json(const Experiment& experiment, const Plan& plan, const Trainer& trainer,
                         const ExperimentResult& result, const RunFacts& facts,
                         const ExperimentData& data);
/// `best` stands at the one epoch whose model was kept.
std::string history_jsonl(const Trainer& trainer);
/// The same as a table, with a column for every metric on valid.
std::string history_csv(const Trainer& trainer);
/// The numbers of an epoch by their names in TensorBoard.
Metrics scalars(const EpochRecord& record);
/// Every setting with its origin, version, build, CPU and data hash: enough to repeat the run.
std::string run_json(const Experiment& experiment, const std::vector<Setting>& settings,
                     const ExperimentData& data);

}  // namespace mcns
