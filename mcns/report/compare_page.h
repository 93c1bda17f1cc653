// The report of a comparison (compare/compare.h).
#pragma once

#include <string>

#include "mcns/compare/compare.h"

namespace mcns {

std::string compare_page(const CompareResult& result);

/// One line per group of runs: the selection metric on validation over seconds of training, a line
/// for each run, those of a group in one colour.
struct NamedRuns {
  std::string name;
  std::vector<const RunRecord*> runs;
};
std::string quality_over_time(const std::string& title, const std::vector<NamedRuns>& groups);

/// All settings, a column for the first run of each group.
std::string settings_table(const std::vector<NamedRuns>& groups);

}  // namespace mcns
