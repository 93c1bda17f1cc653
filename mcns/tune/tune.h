// `mcns tune` as a function: settings of an experiment that are good on its validation pairs. Data
// are read and split once, every setting is a Trainer of its own with the evaluator of the
// validation pairs; test pairs have no evaluator at all.
//
// Trials of small graphs run side by side, those of large ones on all threads one after the other.
// Results do not depend on it (but for --update async).
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "mcns/train/experiment.h"
#include "mcns/tune/halving.h"
#include "mcns/tune/space.h"
#include "mcns/tune/trial.h"

namespace mcns {

struct TuneOptions {
  int settings = 20;         ///< how many are tried, the defaults among them; 1 to 10000
  std::string command = {};  ///< for the first line of tuned.toml; may be empty
};

/// What a display is told, by one thread at a time.
class TuneObserver {
 public:
  virtual ~TuneObserver() = default;
  virtual void rung_begins(const Rung&) {}
  /// How much of the rung is done, from 0 to 1.
  virtual void progressed(double /*share*/) {}
  virtual void trial_done(const Trial&) {}
};

struct TuneHooks {
  TuneObserver* observer = nullptr;
  const std::atomic<bool>* interrupted = nullptr;
  /// Told once, when data are loaded and before anything is written or trained; may be empty.
  std::function<void(const Dataset&, const Plan&)> ready = {};
  /// Told what makes figures doubtful; may be empty.
  std::function<void(const std::string&)> warning = {};
  /// Told once, when all that can be refused was checked and trials are about to begin; may be
  /// empty.
  std::function<void()> begins = {};
};

struct TuneResult {
  /// A setting with its value in each rung that it reached, NaN where it failed.
  struct Row {
    int setting = 0;
    TunedSettings changes;
    std::vector<double> values;
    std::string error;
  };
  bool finished = false;         ///< false: interrupted; finished trials are in the log
  std::string metric;            ///< what was maximised
  std::vector<int> rung_epochs;  ///< of setting 0
  std::vector<Dimension> dimensions;
  std::vector<Row> rows;
  int best = 0;          ///< row; of the defaults it is 0
  double full_runs = 0;  ///< epochs of all trials, each in units of a run of its setting
  double seconds = 0;    ///< of this call
  int trials = 0, from_before = 0;
  TunedSettings tuned;  ///< what the best setting changes
  /// Nothing is left to choose on the valid pairs: the best setting was best after its last epoch.
  bool valid_is_free = false;
  std::string toml;  ///< the same as a config file
};

/// Searches. With `experiment.output.out` trials.jsonl and tuned.toml are written there. Throws
/// where there are no validation pairs, nothing is open, or every setting fails.
TuneResult tune_experiment(const Experiment& experiment, const TuneOptions& options,
                           const TuneHooks& hooks = {});

/// What a search would change: data are read, nothing is written.
std::vector<Dimension> open_dimensions(const Experiment& experiment);

/// Searches, in the folder `tune` of `experiment.output.out` where it has one, and calls `run` with
/// the experiment as it was found to be best; what `run` does with run_experiment resumes as well.
/// It learns from the valid pairs too where these are free and neither --learn-from nor --patience
/// is given.
/// False where the search was interrupted.
using RunTuned = std::function<void(const Experiment&, const TuneResult&)>;
bool tune_and_run(Experiment experiment, const TuneOptions& options, const TuneHooks& hooks,
                  const RunTuned& run);

}  // namespace mcns
