// A batch of true pairs, and the key that names it. The same key gives the same batch on any
// thread.
#pragma once

#include <cstdint>
#include <vector>

#include "mcns/core/types.h"

namespace mcns {

struct BatchKey {
  std::uint64_t seed = 1;
  std::int64_t epoch = 0, batch = 0;
};

/// How the pairs of a batch of walks lie: a window is a stretch of pairs with one target, whose
/// sources are nodes of the walk. Its pairs may share their negatives. `first_*` end with a count.
struct WalkWindows {
  std::vector<std::int32_t> first_pair;    ///< of a window
  std::vector<std::int32_t> first_window;  ///< of a walk
  std::vector<std::int32_t> first_node;    ///< of a walk
  std::vector<NodeId> nodes;               ///< of the walks that are sources
  std::vector<std::int32_t> source;        ///< of a pair, in `nodes`

  std::int64_t walks() const { return static_cast<std::int64_t>(first_window.size()) - 1; }
  std::int64_t windows() const { return static_cast<std::int64_t>(first_pair.size()) - 1; }
};

struct PairBatch {
  std::vector<Pair> pairs;
  /// Of the pairs: unique within the epoch. The random streams of a pair follow from it.
  std::vector<std::uint64_t> serials;
  WalkWindows windows;  ///< empty where positives have none
  void resize(std::size_t n) {
    pairs.resize(n);
    serials.resize(n);
  }
};

}  // namespace mcns
