#include "mcns/positives/breadth.h"

#include <algorithm>
#include <map>

#include "mcns/core/rng.h"

namespace mcns {
namespace {

constexpr int kNodes = 16, kWalks = 256;

/// A node at a distance as windows have them: d is as probable as it is that a window reaches it.
NodeId walk_from(const Graph& graph, NodeId v, WindowShape shape, Rng& rng) {
  const int reach = shape.shrink ? 1 + static_cast<int>(rng.below(shape.window)) : shape.window;
  for (int left = 1 + static_cast<int>(rng.below(reach)); left > 0; --left) {
    const auto row = graph.neighbors(v);
    if (row.empty()) break;
    v = row[rng.below(row.size())];
  }
  return v;
}

/// Of one node; 0 where it has no positive that may be a negative.
double breadth_of(const Graph& graph, NodeId v, WindowShape shape, bool without_links, Rng rng) {
  std::map<NodeId, double> counts;
  double draws = 0;
  for (int i = 0; i < kWalks; ++i) {
    const NodeId u = walk_from(graph, v, shape, rng);
    if (u == v || !graph.targets().contains(u)) continue;
    if (without_links && graph.has_edge(v, u)) continue;
    ++counts[u];
    ++draws;
  }
  if (draws < 2) return 0;
  double same = 0;
  for (const auto& [u, count] : counts) same += count * (count - 1);
  const double most = static_cast<double>(graph.targets().size());
  const double effective = draws * (draws - 1) / std::max(same, 1.0);
  // Where links are left out, what remains of the positives counts.
  return std::min(1.0, effective / most) * draws / kWalks;
}

}  // namespace

double walk_breadth(const Graph& graph, WindowShape shape, bool without_links) {
  std::vector<NodeId> linked;
  for (NodeId v = graph.sources().begin; v < graph.sources().end; ++v)
    if (graph.degree(v) > 0) linked.push_back(v);
  if (linked.empty()) return 0;
  double total = 0;
  for (std::uint64_t i = 0; i < kNodes; ++i) {
    const NodeId v = linked[i * linked.size() / kNodes];
    total += breadth_of(graph, v, shape, without_links, Rng(1, Domain::kWalk, i));
  }
  return total / kNodes;
}

}  // namespace mcns
