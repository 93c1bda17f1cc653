#include "mcns/splits/non_edges.h"

#include <utility>

#include "mcns/core/error.h"
#include "mcns/splits/non_edges_draw.h"
#include "mcns/splits/pair_space.h"
#include "mcns/splits/shuffle.h"

namespace mcns {
namespace {

std::vector<Pair> by_enumeration(const PairSpace& space, const NonEdgeRequest& request) {
  std::vector<Pair> all;
  space.for_each_non_edge([&](Pair pair) { all.push_back(pair); });
  const auto order =
      shuffled_order(static_cast<std::int64_t>(all.size()), request.seed, SplitStream::kNonEdges);
  std::vector<Pair> out(request.count);
  for (EdgeId i = 0; i < request.count; ++i) out[i] = all[order[i]];
  return out;
}

std::vector<Pair> draw_uniform(const PairSpace& space, const NonEdgeRequest& request,
                               ThreadPool& pool) {
  const std::uint64_t pairs = space.size();
  const std::uint64_t non_edges = pairs - space.edges();
  const auto wanted = static_cast<std::uint64_t>(request.count);
  if (wanted > non_edges)
    throw_error(
        ErrorKind::kData,
        "the graph is too dense: {} non-edges are needed, as many as edges are held out, but "
        "it has {}; hold out a smaller fraction",
        wanted, non_edges);
  if (non_edges - wanted < pairs / 4) return by_enumeration(space, request);
  return draw_by_rejection(request, pool, kNoBound, [&](Rng& rng) -> std::optional<Pair> {
    const Pair pair = space.draw(rng);
    return space.is_non_edge(pair) ? std::optional(pair) : std::nullopt;
  });
}

}  // namespace

Pair canonical(Pair pair, const Graph& graph, Reciprocal reciprocal) {
  if (takes_together(graph, reciprocal) && pair.target < pair.source)
    std::swap(pair.source, pair.target);
  return pair;
}

std::vector<Pair> sample_non_edges(const Graph& graph, const NonEdgeRequest& request,
                                   ThreadPool& pool) {
  if (request.count == 0) return {};
  const PairSpace space(graph, request.reciprocal);
  auto out = request.kind == NonEdges::kDegree   ? draw_by_degree(space, request, pool)
             : request.kind == NonEdges::kTwoHop ? draw_two_hop(space, request, pool)
                                                 : draw_uniform(space, request, pool);
  if (graph.is_directed() && request.reciprocal == Reciprocal::kTogether) {
    Rng rng(request.seed, Domain::kSplit, static_cast<std::uint64_t>(SplitStream::kOrientation));
    for (auto& pair : out)
      if (rng.below(2) == 1) std::swap(pair.source, pair.target);
  }
  return out;
}

}  // namespace mcns
