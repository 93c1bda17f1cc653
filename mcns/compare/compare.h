// `mcns compare` as a function: samplers, or whole settings, on one dataset and one split, several
// seeds each, at equal epochs, equal seconds or an equal budget of tuning. Every run is stored when
// it is finished; a comparison that was stopped goes on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mcns/compare/record_store.h"
#include "mcns/compare/run_record.h"
#include "mcns/compare/verdict.h"

namespace mcns {

enum class Budget { kEpochs, kSeconds, kTuning };
Budget parse_budget(const std::string& name);

struct CompareOptions {
  std::string out;  ///< folder
  int seeds = 3;
  Budget budget = Budget::kEpochs;
  double seconds = 0;  ///< of training for each run, about: kSeconds
  int tune = 0;        ///< settings that are tried for each contestant: kTuning
  std::vector<std::string> baselines;
};

struct Contestant {
  std::string label;
  Experiment experiment;
};

struct CompareHooks {
  const std::atomic<bool>* interrupted = nullptr;
  Observer* observer = nullptr;  ///< of the run at work
  /// Before each piece of work: what it is, its number from 1 and of how many.
  std::function<void(const std::string&, int, int)> begins = {};
  std::function<void(const RunRecord&, bool from_before)> done = {};
  std::function<void(const std::string&)> warning = {};
};

struct CompareResult {
  struct Row {
    std::string label;
    std::vector<RunRecord> runs;
    /// The first contestant minus this one; p values corrected for the number of rows.
    Comparison against;
    double p_value = 1;
    Verdict verdict = Verdict::kTied;
  };
  bool finished = false;
  std::string metric;
  std::vector<Row> rows;                 ///< the first contestant first
  std::optional<std::size_t> strongest;  ///< of the others, on validation
  CompareOptions options;
  int epochs = 0;  ///< that all had, with --budget epochs
};

/// A setting that is not the same for all, samplers and their parameters apart: what a difference
/// may come from beside the sampler.
struct DifferingSetting {
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;  ///< by label
};
std::vector<DifferingSetting> differing_settings(const CompareResult& result);

/// At equal epochs or seconds nothing stops early (patience 0); at equal epochs all have the number
/// that was given, or the largest of their defaults. Throws for two contestants of one label, for
/// baselines of another task than recommend, for a budget without its number, and for epochs or a
/// patience that were given and are not the same for all.
CompareResult compare(std::vector<Contestant> contestants, const CompareOptions& options,
                      const CompareHooks& hooks = {});

std::string compare_json(const CompareResult& result);

/// A label as part of a file's name.
std::string file_name_of(const std::string& label);

}  // namespace mcns
