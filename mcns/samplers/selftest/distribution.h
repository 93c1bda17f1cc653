// A distribution over few targets, written out.
#pragma once

#include <map>

#include "mcns/core/types.h"

namespace mcns {

using Distribution = std::map<NodeId, double>;

/// Stands for "nothing was found" in a distribution and in counts.
inline constexpr NodeId kNothing = -1;

/// Weights divided by their sum.
inline Distribution normalised(Distribution weights) {
  double total = 0;
  for (const auto& [v, weight] : weights) total += weight;
  for (auto& [v, weight] : weights) weight /= total;
  return weights;
}

}  // namespace mcns
