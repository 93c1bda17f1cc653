// The losses by name.
#pragma once

#include <functional>
#include <string>

#include "mcns/core/registry.h"
#include "mcns/losses/losses.h"

namespace mcns {

struct LossEntry : Component {
  /// The margin is that of --margin; a loss without one ignores it.
  std::function<Loss(double margin)> make = nullptr;
};
using LossRegistry = Registry<LossEntry>;

const LossRegistry& builtin_losses();

Loss make_loss(const std::string& name, double margin,
               const LossRegistry& registry = builtin_losses());

}  // namespace mcns
