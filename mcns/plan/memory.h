// How much memory a run needs, before it starts. Adds up what stays allocated for its whole length,
// from the plan: the program, the graph, the parameters with their padding, the optimizer's state,
// the copy of the best epoch where one is kept, what positives and negatives are drawn from, and
// what a batch works with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mcns/core/graph.h"
#include "mcns/core/names.h"
#include "mcns/plan/plan.h"

namespace mcns {

/// What the plan does not contain.
struct MemoryRequest {
  int threads = 1;
  std::uint64_t program = 0;      ///< resident before anything was read
  std::uint64_t peak_so_far = 0;  ///< reading the graph took so much: a run will as well
};

struct MemoryPart {
  std::string what, how;  ///< a name, and the formula with its numbers
  std::uint64_t bytes;
};

std::vector<MemoryPart> estimate_memory(const Graph& graph, const Names& names, const Plan& plan,
                                        const MemoryRequest& request = {});

/// Throws where the parts need more than `most` bytes: a run that cannot end is not begun.
void require_memory(const std::vector<MemoryPart>& parts, std::uint64_t most);

std::uint64_t total_bytes(const std::vector<MemoryPart>& parts);

}  // namespace mcns
