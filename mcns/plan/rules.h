// Defaults that follow the sizes of the graph: the rule behind a value, with its numbers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mcns/plan/plan.h"

namespace mcns {

struct Rule {
  std::string setting, formula;
  std::vector<std::pair<std::string, std::string>> numbers;  ///< what the formula names

  /// "edges 810128, sources 29858"
  std::string numbers_text() const;
};

/// Of every setting of the plan whose default or preset is a formula, in the plan's order.
std::vector<Rule> rules_of(const Plan& plan);

}  // namespace mcns
