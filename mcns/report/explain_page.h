// The page of `mcns explain --html`.
#pragma once

#include <string>

#include "mcns/core/names.h"
#include "mcns/theory/explain.h"

namespace mcns {

/// `frozen`: the draws are rounds against vectors that do not change, not epochs of training.
std::string explain_page(const Explanation& explanation, const Names& names, bool frozen);

}  // namespace mcns
