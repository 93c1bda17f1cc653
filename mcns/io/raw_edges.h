// What every reader produces, before names become rows: pairs of provisional ids.
#pragma once

#include <string>
#include <vector>

#include "mcns/core/types.h"

namespace mcns {

struct RawEdges {
  /// First and second column as provisional ids: the integer itself where `numeric`, else an index
  /// into `names`.
  std::vector<Pair> pairs;
  /// Third column (weight, rating or label) as long as `pairs`, or empty.
  std::vector<float> values;
  bool numeric = true;
  std::vector<std::string> names;
  /// Ids that the file declares although no pair has them (matrix formats); kept as isolated nodes.
  std::vector<NodeId> isolated;
};

}  // namespace mcns
