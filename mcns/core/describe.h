// Components for people: what `mcns list` prints of one, whoever registered it.
#pragma once

#include <string>

#include "mcns/core/registry.h"

namespace mcns {

/// "integer in [1, 100]", "paper|exp"
std::string type_text(const ParameterInfo& parameter);

/// Name and help, which begins at the column, then a line for every parameter.
std::string describe(const Component& component, int column = 18);

template <class Entry>
std::string describe(const Registry<Entry>& registry) {
  std::string out;
  for (const Entry& entry : registry) out += describe(entry);
  return out;
}

}  // namespace mcns
