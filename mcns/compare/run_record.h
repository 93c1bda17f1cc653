// What is kept of a finished run: enough to compare it, to test it, to draw it and to repeat it,
// without the vectors. One JSON file each.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mcns/eval/evaluator.h"
#include "mcns/train/experiment.h"

namespace mcns {

struct RunRecord {
  struct CurvePoint {
    std::int64_t epoch = 0;
    double seconds = 0, value = 0;  ///< of training so far; selection metric on validation
    friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
  };

  std::string name;  ///< `movielens/deepwalk/mcns`, or the label of a contestant
  std::string kind;  ///< `paper`, `tuned`, `default` or `baseline`
  int repeat = 1;    ///< seed or fold, from 1
  std::string key;   ///< digest of what was asked for
  std::string command;
  std::string metric;  ///< by which epochs and settings are chosen
  Metrics valid, test;
  std::vector<UserValue> users;  ///< of test
  std::vector<CurvePoint> curve;
  std::int64_t epochs = 0, best_epoch = 0, positives = 0;
  double seconds = 0, sample_seconds = 0, update_seconds = 0;  ///< of training
  double wall_seconds = 0;                                     ///< of the whole run
  std::map<std::string, double> figures;                       ///< what the sampler tells of itself
  std::map<std::string, std::string> settings;                 ///< all, resolved
  std::string version, cpu;
  int threads = 0;

  /// On validation; of test where there is no validation.
  double selection() const;
};

/// The program and the processor that runs are made with here.
struct Environment {
  std::string version, cpu;
};
Environment environment_here();

std::string record_json(const RunRecord& record);
/// Throws Error(kData) for a text that is no record; `path` is for the message.
RunRecord parse_record(const std::string& text, const std::string& path);

/// Runs the experiment and fills the record but for its name, kind, repeat, key and command.
/// Nothing where it was interrupted.
std::optional<RunRecord> record_run(const Experiment& experiment, const ExperimentHooks& hooks);

/// The `mcns run` that repeats it; `settings` are all of the run, resolved. Quoted for a shell.
std::string run_command(const Experiment& experiment,
                        const std::map<std::string, std::string>& settings);

/// 16 digits of SHA-256.
std::string short_digest(const std::string& text);
/// A digest of all that the experiment was given and of `more`; what it comes to is in
/// plan_digest.h.
std::string experiment_key(const Experiment& experiment, const std::string& more);

/// Sets an option of training, of the split or of the seed by its name. Throws for an unknown one.
void set_option(Experiment& experiment, const std::string& name, const std::string& value);

}  // namespace mcns
