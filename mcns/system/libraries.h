// The libraries this build runs with, for `mcns doctor` and bug reports.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace mcns {

/// Names and versions; of the loaded library where it reports them.
std::vector<std::pair<std::string, std::string>> library_versions();

std::string compiler();  ///< that built the library

/// Instruction sets of this CPU that have kernels, the smallest first.
std::vector<std::string> simd_levels();

std::uint64_t physical_memory();  ///< bytes

}  // namespace mcns
