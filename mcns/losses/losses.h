// Losses by value: the formulas of mcns/formulas/losses.h on the CPU, and losses of the user's own.
#pragma once

#include <cmath>
#include <functional>
#include <variant>

#include "mcns/core/kernels.h"
#include "mcns/formulas/losses.h"

namespace mcns {

/// A loss of the user's own, by value semantics: what a program adds to a LossRegistry. Scores and
/// slopes as in pair_loss(). It costs an indirect call for each positive.
struct CustomLoss {
  std::function<float(float* s, const float* weight, int n)> function;
};

template <class List>
struct LossVariant;
template <class... LossFns>
struct LossVariant<TypeList<LossFns...>> {
  using Type = std::variant<LossFns..., CustomLoss>;
};
using Loss = LossVariant<BuiltinLosses>::Type;

/// What the formulas of losses ask for, in floats and doubles.
struct StandardMath {
  static float exp_minus(float x) { return std::exp(-x); }
  static float exp(float x) { return std::exp(x); }
  static float log(float x) { return std::log(x); }
  static double log(double x) { return std::log(x); }
  static float abs(float x) { return std::fabs(x); }
  static float positive(float x, float a, float b) { return x > 0 ? a : b; }
};

/// The loss of one positive with its negatives, slopes in place of scores.
template <class LossFn>
float loss_of_pair(const LossFn& loss, float* s, const float* weight, int n) {
  return pair_loss<StandardMath>(loss, s, weight, n);
}
inline float loss_of_pair(const CustomLoss& loss, float* s, const float* weight, int n) {
  return loss.function(s, weight, n);
}

/// The same of `pairs` positives with their n - 1 negatives each, one after the other in s.
template <class LossFn>
double loss_of_pairs(const LossFn& loss, float* s, const float* weight, int pairs, int n) {
  double total = 0;
  for (int i = 0; i < pairs; ++i, s += n) total += loss_of_pair(loss, s, weight, n);
  return total;
}
/// In vectors, to about 1e-6.
inline double loss_of_pairs(const Logistic& loss, float* s, const float* weight, int pairs, int n) {
  if (weight != nullptr) return loss_of_pairs<Logistic>(loss, s, weight, pairs, n);
  return kernels().logistic_losses(loss, s, pairs, n);
}

}  // namespace mcns
