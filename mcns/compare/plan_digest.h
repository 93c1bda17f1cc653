// What an experiment comes to: a digest of every resolved setting of split and training and of the
// content of its files, so that a stored result is not taken for one of other defaults or other
// data. Seeds and folds are not in it: the key of a result has them already, and the settings of a
// cell are those of its first fold.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "mcns/train/experiment_data.h"

namespace mcns {

/// Whether the dataset of the experiment is on this machine.
bool data_is_here(const Experiment& experiment);

class PlanDigests {
 public:
  /// 16 digits. The data of the latest experiment are kept, so that others on them cost no reading.
  std::string of(const Experiment& experiment);

 private:
  struct Loaded {
    std::string key;
    ExperimentData data;
    std::string hashes;  ///< of the files
  };
  const Loaded& load(const Experiment& experiment);

  std::optional<Loaded> loaded_;
  std::map<std::string, std::string> found_;  ///< by what was given
};

}  // namespace mcns
