// An experiment whose data are read and whose settings are resolved: what a run, its plan and the
// trials of a search begin with.
#pragma once

#include <vector>

#include "mcns/train/experiment.h"
#include "mcns/train/experiment_data.h"

namespace mcns {

struct PreparedExperiment {
  Experiment experiment;  ///< files found
  LoadOptions given_load;
  ExperimentData data;
  Plan plan;
  std::vector<Setting> settings;  ///< of data, split and training
};

/// What can be refused is refused before data are read.
PreparedExperiment prepare_experiment(const Experiment& given, ThreadPool& pool,
                                      Evaluators evaluators = Evaluators::kAll);

/// Throws where --force would remove a file that the run reads. The files are found.
void check_inputs_stay(const Experiment& experiment);

/// Throws where the run would take more memory than it may. `program`: bytes that were resident
/// before data were read.
void check_memory(const PreparedExperiment& prepared, int threads, std::uint64_t program);

/// The same data with a setting that was found for them.
void take_tuned(PreparedExperiment& prepared, const std::string& setting, const std::string& value);

}  // namespace mcns
