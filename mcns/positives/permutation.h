// A keyed permutation of [0, n) in O(1) memory: a four-round Feistel network over the smallest even
// power of two that holds n, walked until it lands inside (at most about four tries on average).
// Every edge then occurs exactly once an epoch, in an order that any thread can compute.
#pragma once

#include <bit>

#include "mcns/core/rng.h"

namespace mcns {

class KeyedPermutation {
 public:
  KeyedPermutation(std::uint64_t n, Rng rng) : n_(n) {
    const int bits = std::max(2, static_cast<int>(std::bit_width(n - 1)));
    half_ = (bits + 1) / 2;
    mask_ = (std::uint64_t{1} << half_) - 1;
    for (auto& key : keys_) key = rng.next();
  }

  std::uint64_t operator()(std::uint64_t i) const {
    do {
      std::uint64_t left = i >> half_, right = i & mask_;
      for (const std::uint64_t key : keys_) {
        const std::uint64_t mixed = left ^ (mix64(right + key) & mask_);
        left = right;
        right = mixed;
      }
      i = (left << half_) | right;
    } while (i >= n_);
    return i;
  }

 private:
  std::uint64_t n_, mask_ = 0;
  int half_ = 1;
  std::uint64_t keys_[4] = {};
};

}  // namespace mcns
