// The energy of a score under a two-piece distribution function F (samplers/tail.h), for one number
// and for the vectors of a kernel. Always inlined: each instruction set compiles a copy of its own.
#pragma once

namespace mcns {

/// The distribution function and the power of it that a sampler aims at.
struct TailShape {
  float threshold, inverse_excess;      ///< of the node
  float share, log_body, slope, power;  ///< of the distribution
};

/// -power log F at z = (score - threshold) / excess. `Math` has exp_minus(x) = exp(-x) for x >= 0
/// and minus_log1m(x) = -log(1 - x) for x in [0, 1/4], over the same type.
template <class Math, class T>
[[gnu::always_inline]] inline T tail_energy(T z, const TailShape& t) {
  const T zero{};
  const T above = Math::minus_log1m(t.share * Math::exp_minus(z > zero ? z : zero));
  const T below = -t.log_body - t.slope * z;
  return t.power * (z >= zero ? above : below);
}

}  // namespace mcns
