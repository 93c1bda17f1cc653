// A set of nodes that is filled in any order, by any threads, and read in ascending order.
//
// Whoever walks over rows of nodes in ascending order streams through tables and adjacency; in
// order of appearance every row is somewhere else. A bit a node, and a bit for every 64 of them:
// reading costs O(members + nodes / 4096).
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "mcns/core/types.h"

namespace mcns {

class NodeSet {
 public:
  /// Members are in [0, nodes).
  explicit NodeSet(std::int64_t nodes)
      : words_(static_cast<std::size_t>(nodes + 63) / 64), filled_((words_.size() + 63) / 64) {}

  /// Threads may add at the same time.
  void add(NodeId v) {
    const std::size_t word = static_cast<std::size_t>(v) / 64;
    if (set(words_[word], static_cast<unsigned>(v) % 64) == 0)
      set(filled_[word / 64], static_cast<unsigned>(word) % 64);
  }

  /// Calls member(v) in ascending order, and leaves the set empty.
  template <class Member>
  void drain(const Member& member) {
    each_bit(filled_, 0, filled_.size(), [&](std::size_t word) {
      each_bit(words_, word, word + 1, [&](std::size_t v) { member(static_cast<NodeId>(v)); });
    });
  }

 private:
  using Words = std::vector<std::uint64_t>;

  /// The word as it was before.
  static std::uint64_t set(std::uint64_t& place, unsigned bit) {
    const std::atomic_ref<std::uint64_t> word(place);
    const std::uint64_t mask = std::uint64_t{1} << bit, now = word.load(std::memory_order_relaxed);
    return (now & mask) != 0 ? now : word.fetch_or(mask, std::memory_order_relaxed);
  }

  /// Calls use(number of the bit) for those set in words [begin, end), and clears them.
  template <class Use>
  static void each_bit(Words& words, std::size_t begin, std::size_t end, const Use& use) {
    for (std::size_t w = begin; w < end; ++w)
      for (std::uint64_t left = std::exchange(words[w], 0); left != 0; left &= left - 1)
        use(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
  }

  Words words_;
  Words filled_;  ///< which of the words are not zero
};

}  // namespace mcns
