// The three parts of a split.
#pragma once

#include <cstdint>
#include <string_view>

namespace mcns {

enum class Part : std::uint8_t { kTrain, kValid, kTest };

constexpr std::string_view part_name(Part part) {
  constexpr std::string_view kNames[] = {"train", "valid", "test"};
  return kNames[static_cast<int>(part)];
}

}  // namespace mcns
