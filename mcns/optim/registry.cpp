#include "mcns/optim/registry.h"

namespace mcns {
namespace {

template <class OptimizerFn>
OptimizerEntry entry_of() {
  return {{std::string(OptimizerFn::kName), std::string(OptimizerFn::kHelp)}, OptimizerFn{}};
}

}  // namespace

/// A new optimizer is a struct in optimizers.h, its name in `using Optimizer` there, and a line
/// here.
const OptimizerRegistry& builtin_optimizers() {
  static const OptimizerRegistry all("optimizer",
                                     {entry_of<Sgd>(), entry_of<Adagrad>(), entry_of<Adam>()});
  return all;
}

Optimizer make_optimizer(const std::string& name) {
  const OptimizerEntry& entry = builtin_optimizers().find(name);
  given_parameters(entry, name);
  return entry.optimizer;
}

}  // namespace mcns
