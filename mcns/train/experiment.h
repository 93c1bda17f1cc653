// `mcns run` as a function: load, split, train, evaluate, write the model directory. One cell of a
// table.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mcns/io/dataset.h"
#include "mcns/plan/memory.h"
#include "mcns/plan/plan.h"
#include "mcns/train/split_options.h"
#include "mcns/train/trainer.h"

namespace mcns {

struct OutputOptions {
  std::string out;           ///< folder; empty writes nothing
  bool force = false;        ///< replace what is there
  bool resume = false;       ///< go on from a checkpoint where there is one
  int checkpoint_every = 0;  ///< epochs; 0: about every two minutes
  std::string init;          ///< model directory to start from
  std::string tensorboard;   ///< folder for event files of TensorBoard; empty writes none
};

struct Experiment {
  std::optional<Task> task;  ///< none: train on the whole graph, evaluate nothing
  std::string data;          ///< a dataset by name or folder, in place of files
  DatasetFiles files;
  LoadOptions load;
  TrainOptions train;
  SplitOptions split;
  OutputOptions output;
  std::optional<std::uint64_t> seed;  ///< 1 unless given
  int threads = 0;
  FromConfig from_config = {};  ///< settings that a config file gave
  const Components* components = &builtin_components();

  std::uint64_t random_seed() const { return seed.value_or(1); }
};

struct ExperimentHooks {
  Observer* observer = nullptr;
  const std::atomic<bool>* interrupted = nullptr;
  /// Told once, when data are loaded and settings resolved.
  std::function<void(const Dataset&, const Plan&)> ready;
  /// Asked once, after `ready`, who is to see the negatives; may be empty.
  std::function<NegativeObserver*()> negatives = {};
  /// Told what a user should know and need not act on; may be empty.
  std::function<void(const std::string&)> notice = {};
  /// Told what makes the figures of the run doubtful; may be empty.
  std::function<void(const std::string&)> warning = {};
};

struct ExperimentResult {
  bool finished = false;  ///< false: interrupted, state saved
  std::string metrics_json;
  Metrics valid, test;
  std::vector<GroupMetrics> test_groups;
};

ExperimentResult run_experiment(Experiment experiment, const ExperimentHooks& hooks);

/// What a run would do: data are read and split, every setting is resolved, nothing is written.
struct ExperimentPlan {
  std::vector<Setting> settings;   ///< of data, split and training
  std::vector<MemoryPart> memory;  ///< predicted
  std::string json;                ///< both, and what was understood of the data
};
ExperimentPlan plan_experiment(const Experiment& experiment);

}  // namespace mcns
