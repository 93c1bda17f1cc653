// What `mcns list` says of a component: a line, and its parameters with their defaults.
#pragma once

#include <string>
#include <vector>

#include "mcns/core/spec.h"

namespace mcns {

struct ComponentInfo {
  std::string name, help;
  std::vector<ParameterInfo> parameters = {};
};

}  // namespace mcns
