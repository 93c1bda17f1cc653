#include "mcns/optim/registry.h"

namespace mcns {
namespace {

template <class OptimizerFn>
OptimizerEntry entry_of(const char* name, const char* help) {
  return {{name, help}, OptimizerFn{}};
}

}  // namespace

/// A new optimizer is a struct in formulas/optimizers.h, its name in `using Optimizer` of
/// optimizers.h with its kernel, and a line here.
const OptimizerRegistry& builtin_optimizers() {
  static const OptimizerRegistry all(
      "optimizer", {entry_of<Sgd>("sgd", "w -= lr g"),
                    entry_of<Adagrad>("adagrad", "w -= lr g / sqrt(sum of g^2), per parameter"),
                    entry_of<Adam>("adam", "moments 0.9 and 0.999, rows touched only")});
  return all;
}

Optimizer make_optimizer(const std::string& name) {
  const OptimizerEntry& entry = builtin_optimizers().find(name);
  given_parameters(entry, name);
  return entry.optimizer;
}

}  // namespace mcns
