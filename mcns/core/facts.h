// What a default may depend on: named facts about the graph and the settings chosen so far,
// formulas over them and conditions on them. So a default is data that can be printed, not code.
//
//   formula    0.02*(negatives+1)         + - * / and parentheses; min, max, sqrt, log, round,
//              clamp(edges/100,1024,8192)  floor, ceil, clamp, and pow2: the next power of two
//   condition  task=recommend arcs>1000000 network
//              all of them hold; a bare name holds where the fact is there and not `false`
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace mcns {

/// Values as text. Numbers are written so that reading them gives the same number again.
using Facts = std::map<std::string, std::string>;

/// Throws std::logic_error for a formula that cannot be read or names an unknown fact: formulas are
/// the program's, not the user's.
double evaluate_formula(std::string_view formula, const Facts& facts);

/// An empty condition holds.
bool holds(std::string_view condition, const Facts& facts);

/// The shortest text that reads back as the same number.
std::string number_text(double value);

}  // namespace mcns
