// Forward push (Andersen, Chung and Lang 2006): residual mass that exceeds precision x degree is
// settled in part and passed on to the neighbours, until none does; at most
// 1 / (restart x precision) arc visits a source, whatever the size of the graph. Arcs out of a node
// in proportion to weight; mass at a node without arcs ends there. One source is one serial
// computation in first-in-first-out order, so the lists do not depend on the number of threads.
#include "mcns/samplers/pinsage_pagerank.h"

#include <algorithm>

namespace mcns {

void ForwardPush::add(NodeId v, double mass) {
  State& state = nodes_[v];
  state.residual += mass;
  if (!state.touched) {
    state.touched = true;
    touched_.push_back(v);
  }
  const auto degree = static_cast<double>(std::max<EdgeId>(1, graph_.degree(v)));
  if (!state.queued && state.residual > options_.precision * degree) {
    state.queued = true;
    queue_.push_back(v);
  }
}

void ForwardPush::spread(NodeId v) {
  State& state = nodes_[v];
  const double mass = state.residual;
  state.residual = 0;
  state.queued = false;
  state.settled += options_.restart * mass;
  const auto neighbors = graph_.neighbors(v);
  const auto weights = graph_.weights(v);
  if (weights.empty()) {
    const double share = (1 - options_.restart) * mass / static_cast<double>(neighbors.size());
    for (const NodeId u : neighbors) add(u, share);
    return;
  }
  const double total = graph_.weighted_degree(v);
  if (total <= 0) return;
  for (std::size_t i = 0; i < neighbors.size(); ++i)
    add(neighbors[i], (1 - options_.restart) * mass * weights[i] / total);
}

void ForwardPush::run(NodeId source) {
  for (const NodeId v : touched_) nodes_[v] = {};
  touched_.clear();
  queue_.clear();
  add(source, 1.0);
  // A first push even where the source's degree alone makes its share small.
  if (queue_.empty()) queue_.push_back(source);
  for (std::size_t head = 0; head < queue_.size(); ++head) spread(queue_[head]);
}

HardTargets::HardTargets(const Exclusion& exclusion, const PageRankOptions& options,
                         ThreadPool& pool) {
  constexpr std::int64_t kGrain = 256;
  const NodeId sources = exclusion.graph().sources().end;
  std::vector<std::vector<NodeId>> pieces((sources + kGrain - 1) / kGrain);
  std::vector<std::int64_t> counts(sources, 0);
  pool.for_ranges(sources, kGrain, [&](std::int64_t begin, std::int64_t end) {
    ForwardPush push(exclusion.graph(), options);
    std::vector<NodeId>& out = pieces[begin / kGrain];
    std::vector<NodeId> reached;
    for (auto u = static_cast<NodeId>(begin); u < end; ++u) {
      push.run(u);
      reached.clear();
      for (const NodeId v : push.touched())
        if (v != u && exclusion.targets().contains(v) && !exclusion.excluded(u, v))
          reached.push_back(v);
      const auto keep = std::min<std::size_t>(reached.size(), options.top);
      std::partial_sort(reached.begin(), reached.begin() + static_cast<std::ptrdiff_t>(keep),
                        reached.end(), [&](NodeId a, NodeId b) {
                          const double x = push.value(a), y = push.value(b);
                          return x != y ? x > y : a < b;
                        });
      out.insert(out.end(), reached.begin(), reached.begin() + static_cast<std::ptrdiff_t>(keep));
      counts[u] = static_cast<std::int64_t>(keep);
    }
  });
  offsets_.assign(static_cast<std::size_t>(sources) + 1, 0);
  for (NodeId u = 0; u < sources; ++u) offsets_[u + 1] = offsets_[u] + counts[u];
  ids_.reserve(offsets_.back());
  for (const auto& piece : pieces) ids_.insert(ids_.end(), piece.begin(), piece.end());
}

}  // namespace mcns
