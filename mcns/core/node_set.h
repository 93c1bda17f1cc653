// A set of nodes that is filled in any order, by any threads, and read in ascending order.
//
// Whoever walks over rows of nodes in ascending order streams through tables and adjacency; in
// order of appearance every row is somewhere else. A bit a node: reading costs O(nodes / 64 +
// members).
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

#include "mcns/core/types.h"

namespace mcns {

class NodeSet {
 public:
  /// Members are in [0, nodes).
  explicit NodeSet(std::int64_t nodes) : words_(static_cast<std::size_t>(nodes + 63) / 64) {}

  /// Threads may add at the same time.
  void add(NodeId v) {
    const std::atomic_ref<std::uint64_t> word(words_[static_cast<std::size_t>(v) / 64]);
    const std::uint64_t bit = std::uint64_t{1} << (v % 64);
    if ((word.load(std::memory_order_relaxed) & bit) == 0)
      word.fetch_or(bit, std::memory_order_relaxed);
  }

  /// Calls member(v) in ascending order, and leaves the set empty.
  template <class Member>
  void drain(const Member& member) {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
        member(static_cast<NodeId>(w * 64 + static_cast<std::size_t>(std::countr_zero(left))));
      words_[w] = 0;
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace mcns
