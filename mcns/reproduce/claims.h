// Whether what the paper claims is seen here. A difference counts where a paired test finds it:
// over folds, or, where there is one fold only, over its users. What the test does not find is not
// decided.
//
//   first       MCNS wins its column of a table (judge.h), or ties and is not decided
//   falls       the metric falls from the first point of a series to the last
//   rises       it rises
//   peaks       it is highest at a point between them, above both ends
//   below       every point of the series is below the level of mcns
//   fastest     mcns trains in less time than all others, by a factor of two
//   under NAME  no point is above that of the series NAME, and some are under it; exact, no test
//   trend       no claim of the paper: what is seen is told
#pragma once

#include <string>
#include <vector>

#include "mcns/reproduce/judge.h"

namespace mcns {

enum class Outcome { kHolds, kFails, kOpen, kTold };

struct Claim {
  std::string experiment, column, kind;
  Outcome outcome = Outcome::kTold;
  std::string text;  ///< a whole sentence but for its end
};

/// Of one experiment, for what was run of it.
std::vector<Claim> claims_of(const ReproduceResult& result,
                             const std::vector<ColumnVerdict>& verdicts);

}  // namespace mcns
