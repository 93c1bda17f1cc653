#include "mcns/splits/non_edges.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "mcns/core/error.h"
#include "mcns/splits/shuffle.h"

namespace mcns {
namespace {

bool takes_together(const Graph& graph, Reciprocal reciprocal) {
  return graph.kind() == GraphKind::kUndirected ||
         (graph.is_directed() && reciprocal == Reciprocal::kTogether);
}

/// The possible pairs of a graph: which there are, and which of them are edges.
class PairSpace {
 public:
  PairSpace(const Graph& graph, Reciprocal reciprocal)
      : graph_(graph), unordered_(takes_together(graph, reciprocal)) {}

  std::uint64_t size() const {
    const auto sources = static_cast<std::uint64_t>(graph_.sources().size());
    const auto targets = static_cast<std::uint64_t>(graph_.targets().size());
    if (graph_.is_bipartite()) return sources * targets;
    const std::uint64_t ordered = sources * (targets == 0 ? 0 : targets - 1);
    return unordered_ ? ordered / 2 : ordered;
  }

  bool is_edge(Pair pair) const {
    return graph_.has_edge(pair.source, pair.target) ||
           (unordered_ && graph_.is_directed() && graph_.has_edge(pair.target, pair.source));
  }

  /// Distinct edges without self loops, reciprocal arcs once where they are taken together.
  std::uint64_t edges() const {
    std::uint64_t count = 0;
    for (NodeId u = graph_.sources().begin; u < graph_.sources().end; ++u) {
      NodeId previous = u;
      for (const NodeId v : graph_.neighbors(u)) {
        const bool counted_at_v = unordered_ && v < u && graph_.has_edge(v, u);
        if (v != u && v != previous && !counted_at_v) ++count;
        previous = v;
      }
    }
    return count;
  }

  /// A uniform pair, or a self pair, which is not in the space.
  Pair draw(Rng& rng) const {
    const auto from = [&](NodeRange range) {
      return range.begin + static_cast<NodeId>(rng.below(static_cast<std::uint64_t>(range.size())));
    };
    const NodeId u = from(graph_.sources());
    const NodeId v = from(graph_.targets());
    return unordered_ && v < u ? Pair{v, u} : Pair{u, v};
  }

  std::vector<Pair> all_non_edges() const {
    std::vector<Pair> out;
    for (NodeId u = graph_.sources().begin; u < graph_.sources().end; ++u)
      for (NodeId v = unordered_ ? u + 1 : graph_.targets().begin; v < graph_.targets().end; ++v)
        if (u != v && !is_edge({u, v})) out.push_back({u, v});
    return out;
  }

 private:
  const Graph& graph_;
  bool unordered_;
};

std::vector<Pair> by_rejection(const PairSpace& space, std::size_t count, std::uint64_t seed,
                               ThreadPool& pool) {
  constexpr std::int64_t kGrain = 4096;
  std::vector<Pair> out;
  out.reserve(count);
  std::unordered_set<std::uint64_t> seen;
  seen.reserve(count);
  std::vector<Pair> candidates;
  std::vector<std::uint8_t> accepted;
  for (std::uint64_t first = 0; out.size() < count; first += candidates.size()) {
    candidates.resize(2 * (count - out.size()) + 16);
    accepted.resize(candidates.size());
    pool.for_ranges(static_cast<std::int64_t>(candidates.size()), kGrain,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        Rng rng(seed, Domain::kSplit,
                                static_cast<std::uint64_t>(SplitStream::kNonEdges), first + i);
                        const Pair pair = candidates[i] = space.draw(rng);
                        accepted[i] = pair.source != pair.target && !space.is_edge(pair);
                      }
                    });
    for (std::size_t i = 0; i < candidates.size() && out.size() < count; ++i) {
      const auto [u, v] = candidates[i];
      const auto key = static_cast<std::uint64_t>(u) << 32 | static_cast<std::uint32_t>(v);
      if (accepted[i] != 0 && seen.insert(key).second) out.push_back(candidates[i]);
    }
  }
  return out;
}

std::vector<Pair> by_enumeration(const PairSpace& space, std::size_t count, std::uint64_t seed) {
  const auto all = space.all_non_edges();
  const auto order =
      shuffled_order(static_cast<std::int64_t>(all.size()), seed, SplitStream::kNonEdges);
  std::vector<Pair> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = all[order[i]];
  return out;
}

}  // namespace

Pair canonical(Pair pair, const Graph& graph, Reciprocal reciprocal) {
  if (takes_together(graph, reciprocal) && pair.target < pair.source)
    std::swap(pair.source, pair.target);
  return pair;
}

std::vector<Pair> sample_non_edges(const Graph& graph, EdgeId count, std::uint64_t seed,
                                   ThreadPool& pool, Reciprocal reciprocal) {
  if (count == 0) return {};
  const PairSpace space(graph, reciprocal);
  const std::uint64_t pairs = space.size();
  const std::uint64_t non_edges = pairs - space.edges();
  const auto wanted = static_cast<std::uint64_t>(count);
  if (wanted > non_edges)
    throw_error(
        ErrorKind::kData,
        "the graph is too dense: {} non-edges are needed, as many as edges are held out, but "
        "it has {}; hold out a smaller fraction",
        wanted, non_edges);
  const bool often_accepted = (non_edges - wanted) >= pairs / 4;
  auto out = often_accepted ? by_rejection(space, wanted, seed, pool)
                            : by_enumeration(space, wanted, seed);
  if (graph.is_directed() && reciprocal == Reciprocal::kTogether) {
    Rng rng(seed, Domain::kSplit, static_cast<std::uint64_t>(SplitStream::kOrientation));
    for (auto& pair : out)
      if (rng.below(2) == 1) std::swap(pair.source, pair.target);
  }
  return out;
}

}  // namespace mcns
