// The files of a split joined line by line: common rows, nothing merged, nothing dropped, so that
// checks see what the user wrote. Ids are sorted and looked up by binary search: O(n log n).
#pragma once

#include <array>
#include <vector>

#include "mcns/core/names.h"
#include "mcns/core/types.h"
#include "mcns/io/dataset.h"
#include "mcns/io/raw_edges.h"

namespace mcns {

struct RawSplit {
  std::vector<Pair> train;
  HeldOut valid, test;
  Names names;
  NodeId users = 0;  ///< user-item: rows below are users, and every pair is (user, item)
};

/// `files` are train, valid and test; the last two may be empty. In link prediction their values
/// are labels, 0 or 1; all lines are true pairs where there are none.
RawSplit join_split(const std::array<RawEdges, 3>& files, Task task, Bipartite bipartite);

}  // namespace mcns
