// The optimizers by name.
#pragma once

#include <string>

#include "mcns/core/registry.h"
#include "mcns/optim/optimizers.h"

namespace mcns {

struct OptimizerEntry : Component {
  Optimizer optimizer;
};
using OptimizerRegistry = Registry<OptimizerEntry>;

const OptimizerRegistry& builtin_optimizers();

Optimizer make_optimizer(const std::string& name);

}  // namespace mcns
