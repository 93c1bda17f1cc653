// How much memory this process holds.
#pragma once

#include <cstdint>

namespace mcns {

std::uint64_t resident_bytes();       ///< now
std::uint64_t peak_resident_bytes();  ///< the most so far

}  // namespace mcns
