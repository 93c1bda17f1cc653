// Forward push (Andersen, Chung and Lang 2006): residual mass that exceeds precision x degree is
// settled in part and passed on to the neighbours, until none does; at most
// 1 / (restart x precision) arc visits a source, whatever the size of the graph. Arcs out of a node
// in proportion to weight; mass at a node without arcs ends there. One source is one serial
// computation in first-in-first-out order, so the lists do not depend on the number of threads.
#include "mcns/samplers/pinsage_pagerank.h"

#include <algorithm>
#include <memory>
#include <mutex>

namespace mcns {
namespace {

/// Objects that are costly to make: a piece takes one and gives it back for later pieces.
template <class T>
class ObjectPool {
 public:
  template <class Make>
  std::unique_ptr<T> take(const Make& make) {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return std::make_unique<T>(make());
    auto out = std::move(idle_.back());
    idle_.pop_back();
    return out;
  }
  void give_back(std::unique_ptr<T> used) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(used));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace

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
                         ThreadPool& pool)
    : pieces_((exclusion.graph().sources().end + kSources - 1) / kSources) {
  ObjectPool<ForwardPush> pushes;  // a piece is cheap, an array over all nodes is not
  pool.for_ranges(exclusion.graph().sources().end, kSources, [&](std::int64_t begin, auto end) {
    auto push = pushes.take([&] { return ForwardPush(exclusion.graph(), options); });
    Piece& piece = pieces_[begin / kSources];
    std::vector<NodeId> lists, reached;
    for (auto u = static_cast<NodeId>(begin); u < end; ++u) {
      push->run(u);
      reached.clear();
      for (const NodeId v : push->touched())
        if (v != u && exclusion.targets().contains(v) && !exclusion.excluded(u, v))
          reached.push_back(v);
      const auto keep = std::min<std::size_t>(reached.size(), options.top);
      std::partial_sort(reached.begin(), reached.begin() + static_cast<std::ptrdiff_t>(keep),
                        reached.end(), [&](NodeId a, NodeId b) {
                          const double x = push->value(a), y = push->value(b);
                          return x != y ? x > y : a < b;
                        });
      lists.insert(lists.end(), reached.begin(),
                   reached.begin() + static_cast<std::ptrdiff_t>(keep));
      piece.ends[u - begin] = static_cast<std::int32_t>(lists.size());
    }
    piece.ids.assign(lists.begin(), lists.end());  // without room to grow
    pushes.give_back(std::move(push));
  });
}

std::size_t HardTargets::bytes() const {
  std::size_t ids = 0;
  for (const Piece& piece : pieces_) ids += piece.ids.size();
  return ids * sizeof(NodeId);
}

}  // namespace mcns
