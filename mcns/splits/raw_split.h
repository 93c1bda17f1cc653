// The files of a split joined line by line: common rows, nothing merged, nothing dropped, so that
// checks see what the user wrote.
#pragma once

#include <vector>

#include "mcns/core/names.h"
#include "mcns/core/types.h"
#include "mcns/io/dataset.h"

namespace mcns {

struct RawSplit {
  std::vector<Pair> train;
  HeldOut valid, test;
  Names names;
  NodeId users = 0;  ///< user-item: rows below are users, and every pair is (user, item)
};

/// Reads files as load_dataset does: `task` determines what a third column is, and a training file
/// whose format means users and items is read as Bipartite::kSeparate. Valid or test may be
/// missing.
RawSplit read_split(const DatasetFiles& files, Task task, const LoadOptions& options,
                    ThreadPool& pool);

}  // namespace mcns
