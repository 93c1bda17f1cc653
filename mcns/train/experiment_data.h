// The data of an experiment by the paper's protocols: files or folds, a hold-out for early stopping
// where none is given, and the evaluators over them.
#pragma once

#include <memory>

#include "mcns/eval/evaluator.h"
#include "mcns/io/dataset.h"
#include "mcns/splits/cold.h"
#include "mcns/train/experiment.h"

namespace mcns {

struct ExperimentData {
  Dataset set;  ///< its graph is what training sees
  std::unique_ptr<Evaluator> valid, test;
  std::string non_edges;  ///< kind of those that were drawn for test; empty: none were
  std::vector<Setting> split_settings;  ///< as resolved
  ColdCounts cold_valid, cold_test;
  std::vector<std::string> warnings;  ///< what makes figures doubtful
};

/// Finds the files of a dataset that is given by name, and how the task reads them.
void find_files(Experiment& experiment);

/// Which evaluators are made. Whoever chooses settings has none of the test pairs.
enum class Evaluators { kAll, kValid };

/// Reads and splits the files of the experiment.
ExperimentData prepare_data(const Experiment& experiment, ThreadPool& pool,
                            Evaluators evaluators = Evaluators::kAll);

/// Vectors of a saved model replace the first values of nodes with the same name. They are taken
/// before the run's scaling by its temperature, so that it gives them back.
void warm_start(Trainer& trainer, double temperature, const Dataset& data,
                const std::string& model_directory);

}  // namespace mcns
