// The pages of `mcns theory --html`: the theorems, and a model's departure from p_d^alpha.
#pragma once

#include <string>
#include <vector>

#include "mcns/theory/departure.h"
#include "mcns/theory/hinge.h"
#include "mcns/theory/theorems.h"

namespace mcns {

std::string theorems_page(const std::vector<Theorem1Case>& first, const Theorem2& second,
                          const HingeTheory& hinge);
std::string departure_page(const Departure& departure);

}  // namespace mcns
