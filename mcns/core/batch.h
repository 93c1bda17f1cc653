// A batch of true pairs, and the key that names it. The same key gives the same batch on any
// thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mcns/core/types.h"

namespace mcns {

struct BatchKey {
  std::uint64_t seed = 1;
  std::int64_t epoch = 0, batch = 0;
};

/// A part of a batch: the pieces [first, last) that its positives are made of.
struct Slice {
  std::int64_t first, last;
};

template <class T>
using Vector = std::vector<T>;
template <class T>
using ConstSpan = std::span<const T>;

/// How the pairs of a batch of walks lie: a window is a stretch of pairs with one target, its
/// middle, whose sources are nodes of the walk; or with one source, whose targets are. Its pairs
/// may share their negatives. `first_*` end with a count.
template <template <class> class Array>
struct WalkWindowsIn {
  Array<std::int32_t> first_pair;    ///< of a window
  Array<std::int32_t> first_window;  ///< of a walk
  Array<std::int32_t> first_node;    ///< of a walk
  Array<NodeId> nodes;               ///< of the walks, that stand around a middle
  Array<std::int32_t> other;         ///< of a pair, the one around the middle: place in `nodes`
  bool middle_is_source = false;     ///< else it is the target

  std::int64_t walks() const { return static_cast<std::int64_t>(first_window.size()) - 1; }
  std::int64_t windows() const { return static_cast<std::int64_t>(first_pair.size()) - 1; }
};
using WalkWindows = WalkWindowsIn<ConstSpan>;

/// A view: somebody else owns the memory.
struct PairBatch {
  std::span<const Pair> pairs;
  /// Of the pairs: unique within the epoch. The random streams of a pair follow from it.
  std::span<const std::uint64_t> serials;
  WalkWindows windows;  ///< empty where positives have none
};

/// Memory of a batch.
struct PairBuffer {
  std::vector<Pair> pairs;
  std::vector<std::uint64_t> serials;
  WalkWindowsIn<Vector> windows;

  void resize(std::size_t n) {
    pairs.resize(n);
    serials.resize(n);
  }
  operator PairBatch() const {  // NOLINT(implicit)
    return {pairs,
            serials,
            {windows.first_pair, windows.first_window, windows.first_node, windows.nodes,
             windows.other, windows.middle_is_source}};
  }
};

}  // namespace mcns
