// Non-edges by degree, and those with a common neighbour.
//
// Both draw candidates from a distribution in which an accepted one has the weight of its kind.
// Where the candidates of a generous budget do not suffice, the rest comes from all non-edges of
// the kind in the order of keys -log(U) / weight, which is that of draws without replacement
// (Efraimidis and Spirakis 2006): the distribution is the same either way. That takes O(nodes^2) by
// degree, O(sum of squared degrees) for two hops, and memory for the sample alone.
#include <algorithm>
#include <cmath>
#include <queue>

#include "mcns/core/alias_table.h"
#include "mcns/core/error.h"
#include "mcns/splits/non_edges_draw.h"

namespace mcns {
namespace {

/// Keeps, of all that is offered, what a sequence of weighted draws without replacement would take
/// first.
class WeightedOrder {
 public:
  WeightedOrder(std::uint64_t seed, std::size_t count)
      : streams_(seed, Domain::kSplit, static_cast<std::uint64_t>(SplitStream::kNonEdgeKeys)),
        count_(count) {}

  void offer(Pair pair, double weight) {
    ++offered_;
    const double key = -std::log1p(-streams_.at(key_of(pair)).uniform()) / weight;
    if (first_.size() == count_ && !(Keyed{key, pair} < first_.top())) return;
    first_.push({key, pair});
    if (first_.size() > count_) first_.pop();
  }
  std::uint64_t offered() const { return offered_; }

  std::vector<Pair> take() {
    std::vector<Pair> out(first_.size());
    for (auto place = out.rbegin(); place != out.rend(); ++place) {
      *place = first_.top().pair;
      first_.pop();
    }
    return out;
  }

 private:
  struct Keyed {
    double key;
    Pair pair;
    bool operator<(const Keyed& other) const {
      return key != other.key ? key < other.key : pair < other.pair;
    }
  };

  Streams streams_;
  std::size_t count_;
  std::uint64_t offered_ = 0;
  std::priority_queue<Keyed> first_;
};

/// What candidates may cost before all non-edges are gone through.
std::uint64_t budget(EdgeId count) { return 64 * static_cast<std::uint64_t>(count) + 256; }

/// Appends what is missing to `drawn` from for_each(f(pair, weight)), which has all non-edges of
/// the kind.
template <class ForEach>
std::vector<Pair> completed(std::vector<Pair> drawn, const NonEdgeRequest& request,
                            const char* kind, const ForEach& for_each) {
  const auto wanted = static_cast<std::size_t>(request.count);
  if (drawn.size() == wanted) return drawn;
  std::unordered_set<std::uint64_t> seen;
  for (const Pair pair : drawn) seen.insert(key_of(pair));
  WeightedOrder rest(request.seed, wanted - drawn.size());
  for_each([&](Pair pair, double weight) {
    if (!seen.contains(key_of(pair))) rest.offer(pair, weight);
  });
  const std::uint64_t all = drawn.size() + rest.offered();
  if (all < wanted)
    throw_error(ErrorKind::kData,
                "--non-edges {}: {} are needed, as many as edges are held out, but the graph has "
                "{} of them; hold out a smaller fraction, or take --non-edges uniform",
                kind, wanted, all);
  const std::vector<Pair> missing = rest.take();
  drawn.insert(drawn.end(), missing.begin(), missing.end());
  return drawn;
}

/// Distinct neighbours other than the node itself, counted at the sources and at the targets of
/// arcs; of both together where pairs have no order.
struct Degrees {
  std::vector<double> source, target;

  explicit Degrees(const PairSpace& space)
      : source(space.graph().num_nodes()), target(space.graph().num_nodes()) {
    const Graph& graph = space.graph();
    for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u) {
      NodeId previous = u;
      for (const NodeId v : graph.neighbors(u)) {
        if (v != u && v != previous) {
          ++source[u];
          ++target[v];
        }
        previous = v;
      }
    }
    if (!space.unordered()) return;
    for (std::size_t v = 0; v < source.size(); ++v) source[v] = target[v] += source[v];
  }
};

/// Whether the two ascending lists have an element in common that is below `end`.
bool meet_below(std::span<const NodeId> a, std::span<const NodeId> b, NodeId end) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size() && a[i] < end && b[j] < end;) {
    if (a[i] == b[j]) return true;
    a[i] < b[j] ? ++i : ++j;
  }
  return false;
}

/// Pairs with a common neighbour in a graph without directions, loops and repeated edges.
class TwoHop {
 public:
  TwoHop(const PairSpace& space, ThreadPool& pool)
      : space_(space),
        plain_(build_graph({edge_list(space.graph()).pairs, {}}, space.graph().num_nodes(), {},
                           pool)) {
    std::vector<double> paths(plain_.num_nodes());
    for (NodeId v = 0; v < plain_.num_nodes(); ++v) {
      const auto degree = static_cast<double>(plain_.degree(v));
      paths_ += paths[v] = degree * (degree - 1);
    }
    if (paths_ > 0) middles_ = AliasTable(paths);
  }

  /// From all pairs where those are fewer than paths of two links, else from paths.
  std::optional<Pair> propose(Rng& rng) const {
    if (paths_ == 0) return std::nullopt;
    const auto ordered_pairs = static_cast<double>(space_.size()) * (space_.unordered() ? 2 : 1);
    const std::optional<Pair> pair = ordered_pairs < paths_ ? any_pair(rng) : ends_of_path(rng);
    return pair && space_.is_non_edge(*pair) ? pair : std::nullopt;
  }

  template <class F>
  void for_each(const F& f) const {
    std::vector<NodeId> reached_from(plain_.num_nodes(), -1);
    for (NodeId u = 0; u < plain_.num_nodes(); ++u)
      for (const NodeId middle : plain_.neighbors(u))
        for (const NodeId v : plain_.neighbors(middle)) {
          if (reached_from[v] == u || (space_.unordered() && v < u)) continue;
          reached_from[v] = u;
          if (space_.is_non_edge({u, v})) f(Pair{u, v}, 1.0);
        }
  }

 private:
  std::optional<Pair> any_pair(Rng& rng) const {
    const Pair pair = space_.draw(rng);
    const bool near = meet_below(plain_.neighbors(pair.source), plain_.neighbors(pair.target),
                                 plain_.num_nodes());
    return near ? std::optional(pair) : std::nullopt;
  }

  /// A path counts only where its middle is the least common neighbour of its ends: every pair then
  /// has one path in each direction.
  std::optional<Pair> ends_of_path(Rng& rng) const {
    const NodeId middle = middles_.draw(rng);
    const auto around = plain_.neighbors(middle);
    const auto i = rng.below(around.size());
    auto j = rng.below(around.size() - 1);
    j += j >= i ? 1 : 0;
    const NodeId u = around[i], v = around[j];
    if (meet_below(plain_.neighbors(u), plain_.neighbors(v), middle)) return std::nullopt;
    return space_.ordered(u, v);
  }

  const PairSpace& space_;
  Graph plain_;
  double paths_ = 0;  ///< of two links, in both directions
  AliasTable middles_;
};

}  // namespace

std::vector<Pair> draw_by_degree(const PairSpace& space, const NonEdgeRequest& request,
                                 ThreadPool& pool) {
  const Degrees degrees(space);
  const AliasTable sources(degrees.source), targets(degrees.target);
  auto drawn =
      draw_by_rejection(request, pool, budget(request.count), [&](Rng& rng) -> std::optional<Pair> {
        const NodeId u = sources.draw(rng), v = targets.draw(rng);
        const Pair pair = space.ordered(u, v);
        return space.is_non_edge(pair) ? std::optional(pair) : std::nullopt;
      });
  return completed(std::move(drawn), request, "degree", [&](const auto& f) {
    space.for_each_non_edge([&](Pair pair) {
      const double weight = degrees.source[pair.source] * degrees.target[pair.target];
      if (weight > 0) f(pair, weight);
    });
  });
}

std::vector<Pair> draw_two_hop(const PairSpace& space, const NonEdgeRequest& request,
                               ThreadPool& pool) {
  require(!space.graph().is_bipartite(),
          "--non-edges two-hop: a user and an item have no common neighbour; valid on user-item "
          "graphs: uniform, degree");
  const TwoHop two_hop(space, pool);
  auto drawn = draw_by_rejection(request, pool, budget(request.count),
                                 [&](Rng& rng) { return two_hop.propose(rng); });
  return completed(std::move(drawn), request, "two-hop",
                   [&](const auto& f) { two_hop.for_each(f); });
}

}  // namespace mcns
