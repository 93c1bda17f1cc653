// The name that somebody may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mcns {

/// The one of `known` with the fewest edits from `given`; empty where none is near.
std::string nearest_name(std::string_view given, const std::vector<std::string>& known);

}  // namespace mcns
