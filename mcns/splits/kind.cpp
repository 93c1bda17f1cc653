#include "mcns/splits/kind.h"

#include <string>
#include <vector>

#include "mcns/core/error.h"

namespace mcns {
namespace {

struct Row {
  std::string_view name;
  SplitKind kind;
  bool recommend, linkpred;
};

constexpr Row kRows[] = {
    {"random", SplitKind::kRandom, true, true},
    {"time", SplitKind::kTime, true, true},
    {"leave-one-out", SplitKind::kLeaveOneOut, true, false},
    {"paper", SplitKind::kPaper, true, true},
    {"connected", SplitKind::kConnected, false, true},
    {"hidden", SplitKind::kHidden, false, true},
};

}  // namespace

SplitKind parse_split(std::string_view name, Task task) {
  std::vector<std::string> known;
  for (const Row& row : kRows) {
    const bool fits =
        (task == Task::kRecommend && row.recommend) || (task == Task::kLinkpred && row.linkpred);
    if (fits && row.name == name) return row.kind;
    if (fits) known.emplace_back(row.name);
  }
  throw_unknown("split of --task " + std::string(task_name(task)), name, known);
}

TimeCut parse_time_cut(std::string_view word) {
  return word == "user" ? TimeCut::kUser : TimeCut::kGlobal;
}

}  // namespace mcns
