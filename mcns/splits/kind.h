// The kinds of splits by name, and what a split is made of.
#pragma once

#include <cstdint>
#include <string_view>

#include "mcns/core/task.h"
#include "mcns/splits/non_edges.h"

namespace mcns {

enum class SplitKind {
  kRandom,       ///< pairs at random; links hidden at random
  kTime,         ///< the latest pairs, or the latest of each user
  kLeaveOneOut,  ///< recommend: one pair of each user, the latest where times are known
  kPaper,        ///< recommend: equal parts, one of which is the test set; linkpred: connected
  kConnected,    ///< linkpred: train keeps the connected components
  kHidden,       ///< linkpred: links at random, whatever they hold together
};

enum class TimeCut { kGlobal, kUser };

/// Throws Error(kUsage) where the task has no such split, with those that it has.
SplitKind parse_split(std::string_view name, Task task);
/// "global" or "user"
TimeCut parse_time_cut(std::string_view word);

struct SplitRequest {
  SplitKind kind = SplitKind::kRandom;
  double valid = 0, test = 0;  ///< shares of all pairs; kLeaveOneOut: 0 or any other number
  int parts = 11, fold = 1;    ///< of kPaper for recommend
  TimeCut time_cut = TimeCut::kGlobal;
  Reciprocal reciprocal = Reciprocal::kApart;
  NonEdges non_edges = NonEdges::kUniform;  ///< of link prediction
  std::uint64_t seed = 1;
};

}  // namespace mcns
