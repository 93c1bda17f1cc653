// `mcns reproduce` as a function: runs the cells of an experiment fold by fold and keeps each
// finished one as a file, so that a run may be killed at any time and goes on where it was, and
// several processes may share the work.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "mcns/compare/record_store.h"
#include "mcns/compare/run_record.h"
#include "mcns/reproduce/spec.h"

namespace mcns {

struct ReproduceOptions {
  std::string out;                 ///< folder; NAME/ below it holds the files of an experiment
  std::vector<std::string> only;   ///< patterns of cells; empty: all
  std::vector<std::string> kinds;  ///< of settings; empty: all
  int folds = 0;                   ///< 0: those of the experiment
  bool quick = false;   ///< the small subset that the experiment names, kept in NAME-quick/
  bool stored = false;  ///< run nothing, take what is there
  bool plan = false;    ///< tell what would be run, and run nothing
  int threads = 0;
};

struct ReproducePlan {
  int runs = 0, searches = 0;  ///< to be done
  int stored = 0;              ///< of both, done before
  int without_data = 0;        ///< of both, on datasets that are not here
  double seconds = 0;          ///< about, for what is to be done
};

struct ReproduceHooks {
  const std::atomic<bool>* interrupted = nullptr;
  Observer* observer = nullptr;  ///< of the run at work
  /// Once, before anything is run.
  std::function<void(const ReproducePlan&)> planned = {};
  /// Before each piece of work: what, its number from 1, of how many, seconds left about.
  std::function<void(const std::string&, int, int, double)> begins = {};
  std::function<void(const RunRecord&)> done = {};
  /// A piece of work ended with an error: what, and why. The others go on.
  std::function<void(const std::string&, const std::string&)> failed = {};
  std::function<void(const std::string&)> warning = {};
};

/// What is known of a cell.
struct CellResult {
  CellSpec cell;
  std::vector<RunRecord> runs;  ///< by fold; empty: not run
  bool wanted = false;          ///< among those that were asked for
  std::string trouble = {};     ///< `failed: REASON` of this call, or `no data`; empty: neither
};

struct ReproduceResult {
  bool finished = false;
  int failures = 0;       ///< pieces of work that ended with an error
  bool has_data = false;  ///< some wanted cell has
  ExperimentSpec spec;
  std::vector<CellResult> cells;  ///< all of the experiment, also those that were not asked for
};

/// Runs what is missing. A search for settings comes before the folds that use it. An error in one
/// cell does not end the others, nor does a dataset that is not here.
ReproduceResult reproduce(const ExperimentSpec& spec, const ReproduceOptions& options,
                          const ReproduceHooks& hooks = {});

/// `movielens/deepwalk/mcns.paper.fold03.json`, below the folder of the experiment.
std::string fold_file(const CellSpec& cell, int fold);

}  // namespace mcns
