// `mcns run` as a function: load, split, train, evaluate, write the model directory. One cell of a
// table.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mcns/io/dataset.h"
#include "mcns/io/directory_lock.h"
#include "mcns/io/model_directory.h"
#include "mcns/plan/memory.h"
#include "mcns/plan/plan.h"
#include "mcns/plan/rules.h"
#include "mcns/train/overfitting.h"
#include "mcns/train/split_options.h"
#include "mcns/train/trainer.h"

namespace mcns {

struct OutputOptions {
  std::string out;           ///< folder; empty writes nothing
  bool force = false;        ///< replace what is there
  bool resume = false;       ///< go on from a checkpoint where there is one
  bool other_kernels = false;  ///< go on, too, where the checkpoint's kernels were others
  int checkpoint_every = 0;  ///< epochs; 0: about every two minutes
  std::string init;          ///< model directory to start from
  std::uint64_t memory = 0;  ///< bytes that the run may take; 0: what the machine has
  std::string tensorboard;   ///< folder for event files of TensorBoard; empty writes none
  /// The caller has made the folder and holds it, as after tuning in it; else the run does so.
  const DirectoryLock* held = nullptr;
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
  FromConfig from_config = {};     ///< settings that a config file gave
  std::string config = {};         ///< that file; empty: none
  TunedSettings tuned = {};        ///< settings that a search found (tune/tune.h)
  TunedSettings tuned_split = {};  ///< those of them that are of the split
  /// Validation figures of these settings that a search measured: what a run reports that has no
  /// validation pairs.
  Metrics searched = {};
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
  /// Told of the trained model before it is written; may be empty. The views are of the call.
  std::function<void(const ModelFiles&, Encoder&)> trained = {};
  /// Told what a user should know and need not act on; may be empty.
  std::function<void(const std::string&)> notice = {};
  /// Told what makes the figures of the run doubtful; may be empty.
  std::function<void(const std::string&)> warning = {};
};

struct ExperimentResult {
  bool finished = false;  ///< false: interrupted, state saved
  std::string metrics_json;
  Metrics valid, test;
  /// Of several models (--repeats): the figures above are means, these their deviations.
  Metrics valid_deviation = {}, test_deviation = {};
  std::vector<GroupMetrics> test_groups;
  std::optional<Overfitting> overfitting;  ///< where validation fell after the best epoch
  std::vector<UserValue> test_by_user;     ///< the selection metric, ascending by user
  std::vector<EpochRecord> history;
  std::int64_t best_epoch = 0;
  StepTotals totals;
  std::vector<Setting> settings;  ///< of data, split and training
};

/// Several times where split.repeats says so (repeats.h).
ExperimentResult run_experiment(const Experiment& experiment, const ExperimentHooks& hooks);

/// What a run would do: data are read and split, every setting is resolved, nothing is written.
struct ExperimentPlan {
  std::vector<Setting> settings;   ///< of data, split and training
  std::vector<Rule> rules;         ///< behind defaults that follow the graph's sizes
  std::vector<MemoryPart> memory;  ///< predicted
  std::string json;                ///< all of it, and what was understood of the data
};
ExperimentPlan plan_experiment(const Experiment& experiment);

}  // namespace mcns
