// Losses over a positive and its negatives.
//
// bpr, hinge and logistic are sums of terms, one for each negative or for each score: a term is a
// functor of one number. softmax looks at all scores of a pair at once. pair_loss() is a loss of
// one pair: on entry s[0] is the positive's score and s[1..n) are its negatives'; on return each
// holds dL/ds. `weight` has n - 1 entries, one per negative, or is null where all are 1.
#pragma once

#include "mcns/formulas/formula.h"

namespace mcns {

/// A term of a loss and its slope. Its value is linear + log(factor), so that a sum of terms takes
/// one logarithm of the factors' product.
template <class V>
struct LossTerm {
  V linear, factor, slope;
};

/// log(1 + exp(x)) without overflow; not finite where x is not: (x + |x|) / 2 is max(x, 0), but NaN
/// for NaN and for minus infinity.
template <class Math, class V>
MCNS_FORMULA LossTerm<V> softplus_term(V x) {
  const V magnitude = Math::abs(x), e = Math::exp_minus(magnitude), factor = e + 1.0F;
  return {(x + magnitude) * 0.5F, factor, Math::positive(x, V{} + 1.0F, e) / factor};
}

/// Sums of terms over negatives look at negative - positive, or at each score alone.
enum class LossShape { kGaps, kScores, kWhole };

/// Bayesian personalised ranking: sum of -log sigma(s0 - sj).
struct Bpr {
  static constexpr LossShape kShape = LossShape::kGaps;
  template <class Math, class V>
  MCNS_FORMULA LossTerm<V> term(V gap) const {
    return softplus_term<Math>(gap);
  }
};

/// The paper's gamma-skewed hinge: sum of max(0, sj - s0 + margin).
struct Hinge {
  static constexpr LossShape kShape = LossShape::kGaps;
  float margin = 0.1F;
  template <class Math, class V>
  MCNS_FORMULA LossTerm<V> term(V gap) const {
    const V violation = gap + margin, one = V{} + 1.0F;
    const V slope = Math::positive(violation, one, V{});
    return {slope * violation, one, slope};  // the product is NaN where the gap is not finite
  }
};

/// Cross entropy of Algorithm 1, -log sigma(s0 - m) - sum of log sigma(m - sj). The margin m moves
/// the optimum of Theorem 1 up by m: with m near log(nodes) unrelated pairs rest at 0, and scores
/// of different centres can be compared, as link prediction does.
struct Logistic {
  static constexpr LossShape kShape = LossShape::kScores;
  float margin = 0;
  /// `sign` is -1 for a positive and 1 for a negative. The slope is that of the score.
  template <class Math, class V>
  MCNS_FORMULA LossTerm<V> term(V score, V sign) const {
    LossTerm<V> t = softplus_term<Math>(sign * (score - margin));
    t.slope = sign * t.slope;
    return t;
  }
};

/// Sampled softmax: -s0 + log(exp(s0) + sum of wj exp(sj) + exp(m)). A log-q correction weighs a
/// negative by 1 / (k q). The margin m, where it is above 0, is one more negative of that score: it
/// ties the scores of different centres together, which the rest leaves free to drift apart.
struct Softmax {
  static constexpr LossShape kShape = LossShape::kWhole;
  float margin = 0;

  /// What a negative adds to a sum of exponentials that is kept over exp(top).
  template <class Math, class V>
  MCNS_FORMULA V exponential(V score, V top) const {
    return Math::exp(score - top);
  }

  /// A pair's loss, the slope of its positive, and `share`: times exponential(s, top) of a
  /// negative it is that one's slope.
  struct Pair {
    float loss, slope, share;
  };
  /// Of a positive among negatives whose exponentials over exp(top) sum up to `others`.
  template <class Math>
  MCNS_FORMULA Pair among(float positive, float top, float others) const {
    const float least = margin > 0 && margin > positive ? margin : positive;
    const float highest = least > top ? least : top;
    const float own = positive == highest ? 1.0F : Math::exp(positive - highest);
    const float scale = top == highest ? 1.0F : Math::exp(top - highest);
    const float total = own + others * scale + (margin > 0 ? Math::exp(margin - highest) : 0.0F);
    return {Math::log(total) + highest - positive, own / total - 1.0F, scale / total};
  }

  template <class Math>
  MCNS_FORMULA float whole(float* s, const float* weight, int n) const {
    const float positive = s[0];
    float top = positive;
    for (int j = 1; j < n; ++j)  // a score that weighs nothing must not make the others underflow
      if ((weight == nullptr || weight[j - 1] > 0) && s[j] > top) top = s[j];
    float others = 0;
    for (int j = 1; j < n; ++j) {
      const float w = weight == nullptr ? 1.0F : weight[j - 1];
      s[j] = w > 0 ? w * exponential<Math>(s[j], top) : 0.0F;
      others += s[j];
    }
    const Pair pair = among<Math>(positive, top, others);
    for (int j = 1; j < n; ++j) s[j] *= pair.share;
    s[0] = pair.slope;
    return pair.loss;
  }
};

template <class... Types>
struct TypeList {};

/// The loops over pairs are compiled for each of these.
using BuiltinLosses = TypeList<Bpr, Hinge, Logistic, Softmax>;

/// A sum of terms.
template <class Math>
struct LossSum {
  double linear = 0, product = 1;

  /// Returns the slope, times the weight.
  MCNS_FORMULA float add(LossTerm<float> t) {
    linear += t.linear;
    product *= t.factor;
    if (product > 1e300) {
      linear += Math::log(product);
      product = 1;
    }
    return t.slope;
  }
  MCNS_FORMULA float add(LossTerm<float> t, float weight) {
    linear += weight * (t.linear + Math::log(t.factor));
    return weight * t.slope;
  }
  MCNS_FORMULA float add(LossTerm<float> t, const float* weight, int j) {
    return weight == nullptr ? add(t) : add(t, weight[j - 1]);
  }
  MCNS_FORMULA float value() const { return static_cast<float>(linear + Math::log(product)); }
};

template <class Math, class LossFn>
MCNS_FORMULA float pair_loss(const LossFn& loss, float* s, const float* weight, int n) {
  if constexpr (LossFn::kShape == LossShape::kWhole) {
    return loss.template whole<Math>(s, weight, n);
  } else {
    LossSum<Math> sum;
    float positive = 0;
    if constexpr (LossFn::kShape == LossShape::kScores) {
      s[0] = sum.add(loss.template term<Math>(s[0], -1.0F));
      for (int j = 1; j < n; ++j) s[j] = sum.add(loss.template term<Math>(s[j], 1.0F), weight, j);
    } else {
      for (int j = 1; j < n; ++j) {
        s[j] = sum.add(loss.template term<Math>(s[j] - s[0]), weight, j);
        positive -= s[j];
      }
      s[0] = positive;
    }
    return sum.value();
  }
}

}  // namespace mcns
