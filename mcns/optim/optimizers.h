// Optimizers by value: the formulas of mcns/formulas/optimizers.h on rows of the CPU. The state of
// a row is kSlots consecutive pieces of `n` floats.
#pragma once

#include <cmath>
#include <cstdint>
#include <variant>

#include "mcns/core/kernels.h"
#include "mcns/formulas/optimizers.h"

namespace mcns {

/// Learning rate now, and how many steps were taken before, this one included.
struct Tick {
  float lr;
  std::int64_t step;
};

/// The loops over rows are compiled for each of these.
using Optimizer = std::variant<Sgd, Adagrad, Adam>;

inline int slots_of(const Optimizer& optimizer) {
  return std::visit([](const auto& o) { return o.kSlots; }, optimizer);
}

inline auto update_kernel(const Sgd&) { return kernels().sgd; }
inline auto update_kernel(const Adagrad&) { return kernels().adagrad; }
inline auto update_kernel(const Adam&) { return kernels().adam; }

/// A step of an optimizer, for the rows of a batch.
template <class OptimizerFn>
class RowUpdate {
 public:
  RowUpdate(const OptimizerFn& optimizer, Tick tick)
      : optimizer_(optimizer),
        rate_(optimizer.template rate<Math>(tick.lr, static_cast<double>(tick.step))),
        kernel_(update_kernel(optimizer)) {}

  void operator()(float* w, const float* g, float* state, int n) const {
    kernel_(optimizer_, w, g, state, rate_, n);
  }

 private:
  struct Math {
    static double sqrt(double x) { return std::sqrt(x); }
    static double pow(double x, double y) { return std::pow(x, y); }
  };
  using Kernel = decltype(update_kernel(OptimizerFn{}));

  OptimizerFn optimizer_;
  float rate_;
  Kernel kernel_;
};

}  // namespace mcns
