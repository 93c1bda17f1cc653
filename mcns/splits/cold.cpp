#include "mcns/splits/cold.h"

#include <fmt/format.h>

namespace mcns {

std::vector<std::uint8_t> nodes_with_edges(const Graph& train) {
  std::vector<std::uint8_t> out(train.num_nodes(), 0);
  // On directed graphs a node may have arcs that only its neighbours list.
  for (NodeId v = 0; v < train.num_nodes(); ++v)
    for (const NodeId neighbor : train.neighbors(v)) out[v] = out[neighbor] = 1;
  return out;
}

ColdCounts count_cold(const Graph& train, const HeldOut& part) {
  const std::vector<std::uint8_t> warm = nodes_with_edges(train);
  std::vector<std::uint8_t> counted(train.num_nodes(), 0);
  ColdCounts out;
  for (std::size_t i = 0; i < part.pairs.size(); ++i) {
    if (part.labels[i] == 0) continue;
    const auto [u, v] = part.pairs[i];
    ++out.of;
    out.pairs += warm[u] == 0 || warm[v] == 0;
    for (const NodeId node : {u, v}) {
      if (warm[node] != 0 || counted[node] != 0) continue;
      counted[node] = 1;
      ++(train.sources().contains(node) ? out.users : out.items);
    }
  }
  return out;
}

SharedPairs shared_with_train(const Graph& train, const HeldOut& part, std::uint8_t label,
                              const Names& names) {
  constexpr std::size_t kExamples = 3;
  SharedPairs out;
  for (std::size_t i = 0; i < part.pairs.size(); ++i) {
    if (part.labels[i] != label) continue;
    const auto [u, v] = part.pairs[i];
    ++out.of;
    if (!train.has_edge(u, v)) continue;
    ++out.count;
    if (out.examples.size() < kExamples)
      out.examples.push_back(fmt::format("{} {}", names.name(u), names.name(v)));
  }
  return out;
}

}  // namespace mcns
