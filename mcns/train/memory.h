// How much memory a run needs, before it starts. Adds up what is allocated
// for its whole length: the graph, the tables with their padding, the optimizer's state, the copy
// of the best epoch, and what positives and negatives are drawn from. Of lookup a batch and its
// gradients (a few MB) are left out; of a network they are what its largest batch would take.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mcns/core/graph.h"
#include "mcns/core/names.h"

namespace mcns {

struct MemoryRequest {
  int dim = 128;
  int tables = 2;
  std::string optimizer = "adam";
  std::string encoder = "lookup";
  int batch = 1024, negatives = 1;  ///< of a network
};

struct MemoryPart {
  std::string what, how;  ///< a name, and the formula with its numbers
  std::uint64_t bytes;
};

std::vector<MemoryPart> estimate_memory(const Graph& graph, const Names& names,
                                        const MemoryRequest& request);

std::uint64_t total_bytes(const std::vector<MemoryPart>& parts);

}  // namespace mcns
