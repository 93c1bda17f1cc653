// Losses over a positive and its negatives, as functors that inline into the training loops.
//
// On entry s[0] is the positive's score and s[1..n) are its negatives'; on return each holds dL/ds.
// `weight` has n - 1 entries, one per negative, or is null where all are 1. Returns L.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "mcns/core/kernels.h"
#include "mcns/core/scalar_math.h"

namespace mcns {

/// A sum of softplus(x): one exponential a term, and one logarithm for all of them.
class SoftplusSum {
 public:
  /// Returns sigmoid(x).
  float add(float x) {
    const float e = std::exp(-std::fabs(x));
    linear_ += std::max(x, 0.0F);
    product_ *= 1.0 + e;
    if (product_ > 1e300) linear_ += std::log(std::exchange(product_, 1.0));
    return (x >= 0 ? 1.0F : e) / (1.0F + e);
  }
  /// Returns w sigmoid(x).
  float add(float x, float w) {
    linear_ += w * softplus(x);
    return w * sigmoid(x);
  }
  float value() const { return static_cast<float>(linear_ + std::log(product_)); }

 private:
  double linear_ = 0, product_ = 1;
};

/// Bayesian personalised ranking: sum of -log sigma(s0 - sj).
struct Bpr {
  static constexpr std::string_view kName = "bpr";
  static constexpr std::string_view kHelp = "-log sigma(positive - negative), per negative";
  float operator()(float* s, const float* weight, int n) const {
    SoftplusSum loss;
    float positive = 0;
    for (int j = 1; j < n; ++j) {
      const float gap = s[j] - s[0];
      s[j] = weight == nullptr ? loss.add(gap) : loss.add(gap, weight[j - 1]);
      positive -= s[j];
    }
    s[0] = positive;
    return loss.value();
  }
};

/// The paper's gamma-skewed hinge: sum of max(0, sj - s0 + margin).
struct Hinge {
  static constexpr std::string_view kName = "hinge";
  static constexpr std::string_view kHelp = "max(0, negative - positive + margin), per negative";
  float margin = 0.1F;
  float operator()(float* s, const float* weight, int n) const {
    float loss = 0, positive = 0;
    for (int j = 1; j < n; ++j) {
      const float w = weight == nullptr ? 1.0F : weight[j - 1];
      const float violation = s[j] - s[0] + margin;
      const float g = violation > 0 ? w : 0.0F;
      loss += g * violation;
      s[j] = g;
      positive -= g;
    }
    s[0] = positive;
    return loss;
  }
};

/// Cross entropy of Algorithm 1, -log sigma(s0 - m) - sum of log sigma(m - sj). The margin m moves
/// the optimum of Theorem 1 up by m: with m near log(nodes) unrelated pairs rest at 0, and scores
/// of different centres can be compared, as link prediction does.
struct Logistic {
  static constexpr std::string_view kName = "logistic";
  static constexpr std::string_view kHelp =
      "-log sigma(positive - margin) - log sigma(margin - negative)";
  float margin = 0;
  float operator()(float* s, const float* weight, int n) const {
    SoftplusSum loss;
    s[0] = -loss.add(margin - s[0]);
    for (int j = 1; j < n; ++j) {
      const float x = s[j] - margin;
      s[j] = weight == nullptr ? loss.add(x) : loss.add(x, weight[j - 1]);
    }
    return loss.value();
  }
};

/// Sampled softmax: -s0 + log(exp(s0) + sum of wj exp(sj) + exp(m)). A log-q correction weighs a
/// negative by 1 / (k q). The margin m, where it is above 0, is one more negative of that score: it
/// ties the scores of different centres together, which the rest leaves free to drift apart.
struct Softmax {
  static constexpr std::string_view kName = "softmax";
  static constexpr std::string_view kHelp =
      "-log of the positive's share among exp(scores), a margin above 0 being one of them";
  float margin = 0;
  float operator()(float* s, const float* weight, int n) const {
    const float positive = s[0];
    float top = margin > 0 ? std::max(positive, margin) : positive;
    for (int j = 1; j < n; ++j)  // a score that weighs nothing must not make the others underflow
      if (weight == nullptr || weight[j - 1] > 0) top = std::max(top, s[j]);
    float total = margin > 0 ? std::exp(margin - top) : 0.0F;
    for (int j = 0; j < n; ++j) {
      const float w = j == 0 || weight == nullptr ? 1.0F : weight[j - 1];
      s[j] = w > 0 ? w * std::exp(s[j] - top) : 0.0F;
      total += s[j];
    }
    for (int j = 0; j < n; ++j) s[j] /= total;
    s[0] -= 1.0F;
    return std::log(total) + top - positive;
  }
};

/// Losses of `rows` positives with their n - 1 negatives each, one after the other in s.
template <class LossFn>
double block_loss(const LossFn& loss, float* s, const float* weight, int rows, int n) {
  double total = 0;
  for (int i = 0; i < rows; ++i) total += loss(s + i * n, weight, n);
  return total;
}

/// In vectors, to about 1e-6.
inline double block_loss(const Logistic& loss, float* s, const float* weight, int rows, int n) {
  if (weight != nullptr) return block_loss<Logistic>(loss, s, weight, rows, n);
  const int count = rows * n;
  for (int i = 0; i < count; ++i) s[i] -= loss.margin;
  for (int i = 0; i < count; i += n) s[i] = -s[i];
  const double total = kernels().softplus_sum(s, count);
  for (int i = 0; i < count; i += n) s[i] = -s[i];
  return total;
}

/// A loss of the user's own, by value semantics: what a program adds to a LossRegistry. It costs an
/// indirect call for each positive.
struct CustomLoss {
  std::function<float(float* s, const float* weight, int n)> function;
  float operator()(float* s, const float* weight, int n) const { return function(s, weight, n); }
};

/// The loops over pairs are compiled for each of these.
using Loss = std::variant<Bpr, Hinge, Logistic, Softmax, CustomLoss>;

}  // namespace mcns
