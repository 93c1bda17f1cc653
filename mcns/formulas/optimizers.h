// Optimizers of one parameter w with gradient g. `kSlots` is how many numbers of state it has;
// `rate()` is the step size of a batch, from the learning rate and the number of steps so far, this
// one included.
#pragma once

#include "mcns/formulas/formula.h"

namespace mcns {

struct Sgd {
  static constexpr int kSlots = 0;
  template <class Math>
  MCNS_FORMULA float rate(float lr, double) const {
    return lr;
  }
  template <class Math, class V>
  MCNS_FORMULA void step(V& w, V g, V*, float rate) const {
    w -= rate * g;
  }
};

/// Duchi et al. 2011. Rows that are seen seldom keep a large step.
struct Adagrad {
  static constexpr int kSlots = 1;
  float epsilon = 1e-8F;
  template <class Math>
  MCNS_FORMULA float rate(float lr, double) const {
    return lr;
  }
  template <class Math, class V>
  MCNS_FORMULA void step(V& w, V g, V* sum, float rate) const {
    *sum += g * g;
    w -= rate * g / (Math::sqrt(*sum) + epsilon);
  }
};

/// Kingma and Ba 2015, lazily: moments of a row move only when the row is touched, the bias
/// correction counts all steps (as in sparse Adam elsewhere).
struct Adam {
  static constexpr int kSlots = 2;
  float beta1 = 0.9F, beta2 = 0.999F;  ///< decay of the moments
  float epsilon = 1e-8F;
  template <class Math>
  MCNS_FORMULA float rate(float lr, double step) const {
    const double unbias = Math::sqrt(1 - Math::pow(beta2, step)) / (1 - Math::pow(beta1, step));
    return static_cast<float>(lr * unbias);
  }
  template <class Math, class V>
  MCNS_FORMULA void step(V& w, V g, V* moments, float rate) const {
    moments[0] += (1 - beta1) * (g - moments[0]);
    moments[1] += (1 - beta2) * (g * g - moments[1]);
    w -= rate * moments[0] / (Math::sqrt(moments[1]) + epsilon);
  }
};

}  // namespace mcns
