// What of held-out pairs training has seen: nodes without any training edge ("cold"), and pairs
// that are in train already. O(pairs log degree), on rows; leaks.h looks at lines as they are
// written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mcns/core/graph.h"
#include "mcns/core/names.h"
#include "mcns/io/dataset.h"

namespace mcns {

/// Distinct nodes of true pairs without any edge in train; users and items apart where the graph
/// has them, all of them in `users` otherwise. `pairs` have at least one such node.
struct ColdCounts {
  std::int64_t users = 0, items = 0, pairs = 0, of = 0;
};
ColdCounts count_cold(const Graph& train, const HeldOut& part);

/// By node: whether it has an edge in `train`, in either direction.
std::vector<std::uint8_t> nodes_with_edges(const Graph& train);

/// Held-out pairs with `label` that are edges of train; where it has no direction, in any order.
struct SharedPairs {
  std::int64_t count = 0, of = 0;
  std::vector<std::string> examples;  ///< up to three, "a b"
};
SharedPairs shared_with_train(const Graph& train, const HeldOut& part, std::uint8_t label,
                              const Names& names);

}  // namespace mcns
