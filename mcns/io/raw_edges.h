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
  /// The format itself says that the columns are users and items with ids of their own.
  bool user_item = false;
  /// The format itself says that pairs have a direction.
  bool directed = false;
  /// Each pair stands for both directions (a symmetric matrix stores one triangle).
  bool symmetric = false;
  /// Ids that the file declares although no pair has them, kept as isolated nodes: of the first
  /// column (of both, where the columns share their ids), and of the second where it has its own.
  std::vector<NodeId> isolated, isolated_items;
};

}  // namespace mcns
