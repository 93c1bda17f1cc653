// `mcns run` as a function: load, split, train, evaluate, write the model directory. One cell of a
// table.
#pragma once

#include <optional>
#include <string>

#include "mcns/io/dataset.h"
#include "mcns/train/trainer.h"

namespace mcns {

struct OutputOptions {
  std::string out;           ///< folder; empty writes nothing
  bool force = false;        ///< replace what is there
  bool resume = false;       ///< go on from a checkpoint where there is one
  int checkpoint_every = 0;  ///< epochs; 0: about every two minutes
  std::string init;          ///< model directory to start from
};

struct SplitOptions {
  /// Share of train held out for early stopping where no valid file is given; what the task needs
  /// unless said.
  std::optional<double> valid;
  double test = 0.3;         ///< linkpred: share of edges to hold out where no test file is given
  int parts = 11, fold = 1;  ///< recommend without a test file: the paper's folds
  std::int64_t candidates = 0;  ///< items to rank against; 0: all

  /// Every held-out link is one that training lacks, and few tell the epochs apart.
  double valid_share(Task task) const {
    return valid.value_or(task == Task::kLinkpred ? 0.02 : 0.05);
  }
};

struct Experiment {
  std::optional<Task> task;  ///< none: train on the whole graph, evaluate nothing
  DatasetFiles files;
  LoadOptions load;
  TrainOptions train;
  SplitOptions split;
  OutputOptions output;
  std::uint64_t seed = 1;
  int threads = 0;
};

struct ExperimentHooks {
  Observer* observer = nullptr;
  const std::atomic<bool>* interrupted = nullptr;
  /// Told once, when data are loaded and settings resolved.
  std::function<void(const Dataset&, const TrainOptions&)> ready;
  /// Asked once, after `ready`, who is to see the negatives; may be empty.
  std::function<NegativeObserver*()> negatives = {};
  /// Told what a user should know and need not act on; may be empty.
  std::function<void(const std::string&)> notice = {};
};

struct ExperimentResult {
  bool finished = false;  ///< false: interrupted, state saved
  std::string metrics_json;
  Metrics valid, test;
};

ExperimentResult run_experiment(Experiment experiment, const ExperimentHooks& hooks);

}  // namespace mcns
