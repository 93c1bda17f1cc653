// The distribution of a node's scores over its allowed negatives, as far as a hard target needs it:
// the upper tail, kept in two numbers per node and updated by small steps from uniform proposals.
//
//   F(s) = 1 - p exp(-(s - q) / b)           for s >= q, the (1 - p) quantile
//   F(s) = (1 - p) exp(p (s - q) / ((1 - p) b))  below: continuous, with a continuous slope
//
// p follows the hardness M of the target F^(M-1), which lives where F > 1 - a few / M: p = 6 / M,
// at most 1/4. Training positives must not be fed: they sit at the top and push the estimate out of
// reach.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "mcns/core/kernels.h"

namespace mcns {

/// State of one node; excess 0 means that nothing is known yet.
struct Tail {
  float threshold = 0, excess = 0;
};

class TailDistribution {
 public:
  explicit TailDistribution(double candidates)
      : power_(static_cast<float>(candidates - 1)),
        share_(std::clamp(6.0F / static_cast<float>(candidates), 0.02F, 0.25F)),
        log_body_(std::log1p(-share_)),
        slope_(share_ / (1 - share_)) {}

  /// -(M - 1) log F(s): the energy of a Metropolis step, at least 0.
  float energy(Tail tail, float score) const {
    return tail_energy<ExactMath>((score - tail.threshold) / tail.excess, shape(tail));
  }

  TailShape shape(Tail tail) const {
    return {tail.threshold, 1 / tail.excess, share_, log_body_, slope_, power_};
  }

  /// The share of scores above the threshold.
  float share() const { return share_; }

  /// Whether a tail so far from these scores cannot follow them in small steps: the model has moved
  /// fast.
  bool is_lost(Tail tail, int count, int above, float excess) const {
    const float expected = share_ * static_cast<float>(count);
    if (static_cast<float>(above) > 3 * expected + 4) return true;
    if (above == 0) return expected > 8;
    const float mean = excess / static_cast<float>(above);
    return mean > 4 * tail.excess || (above > 4 && mean < tail.excess / 4);
  }

  /// From a first sample of scores, reordered here.
  Tail first(std::span<float> scores) const {
    const auto above = std::max<std::size_t>(
        1, static_cast<std::size_t>(share_ * static_cast<float>(scores.size())));
    const auto cut = scores.end() - static_cast<std::ptrdiff_t>(std::min(above + 1, scores.size()));
    std::nth_element(scores.begin(), cut, scores.end());
    float excess = 0;
    for (auto s = cut + 1; s < scores.end(); ++s) excess += *s - *cut;
    return {*cut, std::max(excess / static_cast<float>(above), kSmallest)};
  }

  /// `above` of `count` scores exceeded the threshold, together by `excess`. Steps of rate `kRate`
  /// per full sample; the threshold moves in units of the excess.
  void update(Tail& tail, int count, int above, float excess) const {
    const float n = static_cast<float>(count);
    const float rate = kRate * n / (n + 16);
    const float surprise = static_cast<float>(above) / (n * share_) - 1;
    tail.threshold += rate * tail.excess * std::clamp(surprise, -1.0F, 4.0F);
    if (above == 0) return;
    const float mean = excess / static_cast<float>(above);
    const float weight = rate * std::min(1.0F, static_cast<float>(above) / (n * share_));
    tail.excess = std::max(kSmallest, tail.excess + weight * (mean - tail.excess));
  }

 private:
  struct ExactMath {
    static float exp_minus(float x) { return std::exp(-x); }
    static float minus_log1m(float x) { return -std::log1p(-x); }
  };
  static constexpr float kRate = 0.2F, kSmallest = 1e-6F;
  float power_, share_, log_body_, slope_;
};

}  // namespace mcns
