#include "mcns/splits/links.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mcns/core/error.h"
#include "mcns/core/union_find.h"
#include "mcns/splits/interactions.h"
#include "mcns/splits/part.h"
#include "mcns/splits/shuffle.h"

namespace mcns {
namespace {

/// What is held out as a whole: an edge, or the arcs between two nodes.
struct Units {
  std::vector<Pair> pairs;         ///< canonical, ascending
  std::vector<std::uint8_t> arcs;  ///< distinct pairs of the edge list it stands for: 1 or 2
  std::size_t index(Pair unit) const {
    return std::lower_bound(pairs.begin(), pairs.end(), unit) - pairs.begin();
  }
};

Units make_units(const EdgeList& edges, const Graph& graph, Reciprocal reciprocal) {
  std::vector<Pair> sorted;
  sorted.reserve(edges.pairs.size());
  for (std::size_t i = 0; i < edges.pairs.size(); ++i) {
    const Pair pair = edges.pairs[i];
    const bool repeated = i > 0 && pair == edges.pairs[i - 1];
    if (pair.source != pair.target && !repeated)
      sorted.push_back(canonical(pair, graph, reciprocal));
  }
  std::sort(sorted.begin(), sorted.end());
  Units units;
  for (const Pair pair : sorted) {
    if (!units.pairs.empty() && units.pairs.back() == pair) {
      ++units.arcs.back();
    } else {
      units.pairs.push_back(pair);
      units.arcs.push_back(1);
    }
  }
  return units;
}

/// Units that may be held out, in random order: all of them, or those outside a random spanning
/// forest.
std::vector<std::int64_t> removable(const Units& units, NodeId nodes, const SplitRequest& request) {
  auto order = shuffled_order(static_cast<std::int64_t>(units.pairs.size()), request.seed,
                              SplitStream::kEdgeOrder);
  if (request.kind == SplitKind::kHidden || request.kind == SplitKind::kRandom) return order;
  UnionFind components(nodes);
  std::erase_if(order, [&](std::int64_t unit) {
    return components.join(units.pairs[unit].source, units.pairs[unit].target);
  });
  return order;
}

void add(HeldOut& out, std::span<const Pair> pairs, std::uint8_t label) {
  out.pairs.insert(out.pairs.end(), pairs.begin(), pairs.end());
  out.labels.insert(out.labels.end(), pairs.size(), label);
}

/// Assigns the edges to train, valid and test by the part of their unit.
void assign_to_parts(const EdgeList& edges, const Units& units, std::span<const Part> part_of,
                     const Graph& graph, Reciprocal reciprocal, LinkSplit& out) {
  for (std::size_t i = 0; i < edges.pairs.size(); ++i) {
    const Pair pair = edges.pairs[i];
    const Part part = pair.source == pair.target
                          ? Part::kTrain
                          : part_of[units.index(canonical(pair, graph, reciprocal))];
    if (part == Part::kTrain) {
      out.train.pairs.push_back(pair);
      if (!edges.weights.empty()) out.train.weights.push_back(edges.weights[i]);
    } else if (i == 0 || pair != edges.pairs[i - 1]) {
      add(part == Part::kValid ? out.valid : out.test, {&pair, 1}, 1);
    }
  }
}

/// Takes as many edges as `counts` wants, or as there are.
std::vector<Part> parts_at_random(const Units& units, const Graph& graph,
                                  const SplitRequest& request, LinkSplitCounts& counts) {
  const auto rest = removable(units, graph.num_nodes(), request);
  for (const std::int64_t unit : rest) counts.removable += units.arcs[unit];
  std::vector<Part> part_of(units.pairs.size(), Part::kTrain);
  auto next = rest.begin();
  const auto take = [&](EdgeId wanted, Part part) {
    for (EdgeId taken = 0; taken < wanted && next != rest.end(); ++next) {
      part_of[*next] = part;
      taken += units.arcs[*next];
    }
  };
  take(counts.wanted_test, Part::kTest);
  take(counts.wanted_valid, Part::kValid);
  return part_of;
}

/// The latest edges; arcs that are one unit have the later of their times.
std::vector<Part> parts_by_time(const EdgeList& edges, const Units& units, const Graph& graph,
                                const SplitRequest& request, std::span<const double> times) {
  require(request.time_cut == TimeCut::kGlobal,
          "--time-cut user is for --task recommend: links have no users; valid: global");
  require(times.size() == edges.pairs.size(), "a split by time needs a time for every edge");
  std::vector<Pair> pairs;
  std::vector<double> kept;
  for (std::size_t i = 0; i < edges.pairs.size(); ++i) {
    if (edges.pairs[i].source == edges.pairs[i].target) continue;
    pairs.push_back(canonical(edges.pairs[i], graph, request.reciprocal));
    kept.push_back(times[i]);
  }
  const InteractionSplit split = split_at_time({pairs, {}, kept}, request.valid, request.test);
  std::vector<Part> part_of(units.pairs.size(), Part::kTrain);
  for (const Pair pair : split.valid) part_of[units.index(pair)] = Part::kValid;
  for (const Pair pair : split.test) part_of[units.index(pair)] = Part::kTest;
  return part_of;
}

}  // namespace

bool LinkSplitCounts::complete(const HeldOut& valid, const HeldOut& test) const {
  return std::ssize(valid.pairs) / 2 >= wanted_valid && std::ssize(test.pairs) / 2 >= wanted_test;
}

LinkSplit split_links(const Graph& graph, const SplitRequest& request, ThreadPool& pool,
                      std::span<const double> times) {
  require_fractions(request.valid, request.test);
  const EdgeList edges = edge_list(graph);
  const Units units = make_units(edges, graph, request.reciprocal);
  LinkSplit out;
  out.counts.edges = std::accumulate(units.arcs.begin(), units.arcs.end(), EdgeId{0});
  const auto count = [&](double share) {
    return std::llround(share * static_cast<double>(out.counts.edges));
  };
  out.counts.wanted_test = count(request.test);
  out.counts.wanted_valid = count(request.valid);
  const std::vector<Part> part_of = request.kind == SplitKind::kTime
                                        ? parts_by_time(edges, units, graph, request, times)
                                        : parts_at_random(units, graph, request, out.counts);
  assign_to_parts(edges, units, part_of, graph, request.reciprocal, out);

  // One draw for both sets keeps them disjoint.
  const std::size_t tests = out.test.pairs.size(), valids = out.valid.pairs.size();
  const auto negatives = sample_non_edges(graph,
                                          {.count = static_cast<EdgeId>(tests + valids),
                                           .seed = request.seed,
                                           .reciprocal = request.reciprocal,
                                           .kind = request.non_edges},
                                          pool);
  add(out.test, std::span(negatives).first(tests), 0);
  add(out.valid, std::span(negatives).subspan(tests), 0);
  return out;
}

}  // namespace mcns
