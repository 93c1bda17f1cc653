// Functions of one number that losses and samplers share.
#pragma once

#include <algorithm>
#include <cmath>

namespace mcns {

/// log(1 + exp(x)) without overflow.
inline float softplus(float x) { return std::max(x, 0.0F) + std::log1p(std::exp(-std::fabs(x))); }

inline float sigmoid(float x) {
  const float e = std::exp(-std::fabs(x));
  return (x >= 0 ? 1.0F : e) / (1.0F + e);
}

}  // namespace mcns
