// Random orders of splits: Fisher-Yates over one keyed stream, so a split is named by its seed.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"

namespace mcns {

/// Streams within Domain::kSplit. Append only: the values are part of saved results.
enum class SplitStream : std::uint64_t {
  kInteractions = 1,
  kHoldOut = 2,
  kEdgeOrder = 3,
  kNonEdges = 4,
  kOrientation = 5,
  kNonEdgeKeys = 6,
};

/// A uniform random order of 0 .. n - 1.
inline std::vector<std::int64_t> shuffled_order(std::int64_t n, Rng& rng) {
  std::vector<std::int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t i = n - 1; i > 0; --i) std::swap(order[i], order[rng.below(i + 1)]);
  return order;
}

inline std::vector<std::int64_t> shuffled_order(std::int64_t n, std::uint64_t seed,
                                                SplitStream stream) {
  Rng rng(seed, Domain::kSplit, static_cast<std::uint64_t>(stream));
  return shuffled_order(n, rng);
}

inline void require_fractions(double valid, double test) {
  require(
      valid >= 0 && test >= 0 && valid + test < 1,
      "held-out fractions must be at least 0 and together less than 1, got valid {} and test {}",
      valid, test);
}

}  // namespace mcns
