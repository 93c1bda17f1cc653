// Optimizers of one row, as functors that inline into the update loops. `slots` is how many numbers
// of state a parameter has; the state of a row is slots consecutive pieces of `stride` floats.
#pragma once

#include <cmath>
#include <string_view>
#include <variant>

#include "mcns/core/kernels.h"

namespace mcns {

/// Learning rate now, and how many steps were taken before, this one included.
struct Tick {
  float lr;
  std::int64_t step;
};

struct Sgd {
  static constexpr std::string_view kName = "sgd";
  static constexpr std::string_view kHelp = "w -= lr g";
  static constexpr int kSlots = 0;
  void operator()(const Kernels& k, float* w, const float* g, float*, Tick t, int n) const {
    k.sgd(w, g, t.lr, n);
  }
};

/// Duchi et al. 2011. Rows that are seen seldom keep a large step.
struct Adagrad {
  static constexpr std::string_view kName = "adagrad";
  static constexpr std::string_view kHelp = "w -= lr g / sqrt(sum of g^2), per parameter";
  static constexpr int kSlots = 1;
  void operator()(const Kernels& k, float* w, const float* g, float* state, Tick t, int n) const {
    k.adagrad(w, g, state, t.lr, 1e-8F, n);
  }
};

/// Kingma and Ba 2015, lazily: moments of a row move only when the row is touched, the bias
/// correction counts all steps (as in sparse Adam elsewhere).
struct Adam {
  static constexpr std::string_view kName = "adam";
  static constexpr std::string_view kHelp = "moments 0.9 and 0.999, rows touched only";
  static constexpr int kSlots = 2;
  static constexpr float kBeta1 = 0.9F, kBeta2 = 0.999F;
  void operator()(const Kernels& k, float* w, const float* g, float* state, Tick t, int n) const {
    const auto step = static_cast<double>(t.step);
    const double unbias = std::sqrt(1 - std::pow(kBeta2, step)) / (1 - std::pow(kBeta1, step));
    k.adam(w, g, state, state + n, {static_cast<float>(t.lr * unbias), kBeta1, kBeta2, 1e-8F}, n);
  }
};

/// The loops over rows are compiled for each of these.
using Optimizer = std::variant<Sgd, Adagrad, Adam>;

inline int slots_of(const Optimizer& optimizer) {
  return std::visit([](const auto& o) { return o.kSlots; }, optimizer);
}

}  // namespace mcns
