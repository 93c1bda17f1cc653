// Self-contrast: the distributions p_n(u|v) that the paper's principle p_n ~ p_d^alpha gives once
// p_d is read off the model's own score s = u.v. `exact` draws from them by enumeration, `mcns` by
// a chain; both take their target from here.
//
//   paper     max(s, floor)^alpha           the paper's (u.v)^alpha, defined where s <= 0
//   exp       exp(alpha / (1 - alpha) s)    from Theorem 1, s = log p_d - log(k p_n)
//   quantile  F(s)^M - F(s-)^M              F: distribution of v's scores over the allowed targets;
//                                           the distribution of DNS with M candidates, shared among
//                                           ties
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "mcns/core/component.h"
#include "mcns/core/rng.h"

namespace mcns {

enum class Form { kPaper, kExp, kQuantile };

struct SelfContrast {
  Form form = Form::kExp;
  double alpha = 0.5;     ///< paper: the exponent; exp: the sub-linear exponent of p_d
  double floor = 1e-3;    ///< paper: the smallest score
  double candidates = 5;  ///< quantile: M, from 1; of 2.3, 0.3 of the draws are the best of 3

  /// log of the unnormalised target, for `paper` and `exp`: it depends on the score alone.
  double log_weight(float score) const {
    if (form == Form::kPaper) return alpha * std::log(std::max<double>(score, floor));
    return alpha / (1 - alpha) * score;
  }
  /// That the best of M is at a score of this F or below.
  double quantile_power(double at_or_below) const {
    const double whole = std::floor(candidates), rest = candidates - whole;
    return std::pow(at_or_below, whole) * (1 - rest + rest * at_or_below);
  }
  /// The probability, before it is shared among ties, that `quantile` gives to a score with F(s-) =
  /// below and F(s) = at_or_below.
  double quantile_mass(double below, double at_or_below) const {
    return quantile_power(at_or_below) - quantile_power(below);
  }
};

/// log of the mean over draws of target / target at `score`, of `paper` or `exp`: what normalises
/// the target. `draw(rng)` gives the score of a draw from where the target starts.
template <class Draw>
double log_mean_ratio(const SelfContrast& target, float score, const Draw& draw, Rng rng) {
  constexpr int kDraws = 256;
  double sum = 0;
  for (int i = 0; i < kDraws; ++i)
    sum += std::exp(target.log_weight(draw(rng)) - target.log_weight(score));
  return std::log(sum / kDraws);
}

/// `form`, `alpha` and `floor`: the parameters that `exact` and `mcns` share.
std::vector<ParameterInfo> form_parameters(const std::string& default_form);
SelfContrast read_form(const Parameters& parameters);

/// The distribution over a source's allowed targets, given all their scores. O(n), O(n log n) for
/// `quantile`.
void self_contrast_distribution(const SelfContrast& target, std::span<const float> scores,
                                std::span<double> probabilities);

}  // namespace mcns
