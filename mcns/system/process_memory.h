// How much memory this process holds, and may hold.
#pragma once

#include <cstdint>

namespace mcns {

std::uint64_t resident_bytes();       ///< now
std::uint64_t peak_resident_bytes();  ///< the most so far
/// The most that may be resident: what the machine has, or a lower limit of the control group or of
/// `ulimit -v`.
std::uint64_t usable_bytes();

}  // namespace mcns
