#include "mcns/eval/top_k.h"

#include <algorithm>
#include <cmath>

namespace mcns {
namespace {

void keep_best(std::vector<ScoredNode>& all, std::size_t k) {
  const auto better = [](const ScoredNode& a, const ScoredNode& b) {
    return a.score != b.score ? a.score > b.score : a.node < b.node;
  };
  k = std::min(k, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all.end(), better);
  all.resize(k);
}

}  // namespace

std::vector<ScoredNode> best_targets(const Graph& graph, const Scorer& scorer, NodeId source,
                                     std::size_t k) {
  std::vector<ScoredNode> all;
  const auto known = graph.neighbors(source);
  auto next = known.begin();  // both ascend
  for (NodeId v = graph.targets().begin; v < graph.targets().end; ++v) {
    while (next != known.end() && *next < v) ++next;
    const bool is_known = next != known.end() && *next == v;
    if (v != source && !is_known) all.push_back({v, scorer(source, v)});
  }
  keep_best(all, k);
  return all;
}

std::vector<ScoredNode> nearest_nodes(ConstMatrixRef table, NodeId node, NodeRange among,
                                      std::size_t k) {
  const Scorer scorer{table, table};
  const auto length = [&](NodeId v) { return std::sqrt(scorer(v, v)); };
  const float own = length(node);
  std::vector<ScoredNode> all;
  for (NodeId v = among.begin; v < among.end; ++v) {
    const float lengths = own * length(v);
    if (v != node && lengths > 0) all.push_back({v, scorer(node, v) / lengths});
  }
  keep_best(all, k);
  return all;
}

}  // namespace mcns
