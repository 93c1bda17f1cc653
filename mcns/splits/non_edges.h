// Non-edges of a graph, uniform without replacement.
//
// Sparse graphs: rejection, candidate i named by (seed, i), so that batches and threads do not
// matter. Where a candidate would be accepted less than once in four, the complement is listed and
// shuffled; the number of possible pairs is then below 8/3 of the edges as long as no more
// non-edges are wanted than there are edges, so both ways cost O(edges log degree).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "mcns/core/graph.h"

namespace mcns {

/// Whether (u, v) and (v, u) of a directed graph are one thing: held out together, and a non-edge
/// only where neither is an arc. Other graphs have one edge per pair of nodes anyway.
enum class Reciprocal { kTogether, kApart };

/// "together" or "apart"
inline Reciprocal parse_reciprocal(std::string_view word) {
  return word == "together" ? Reciprocal::kTogether : Reciprocal::kApart;
}

/// The pair that stands for an edge: sorted where (u, v) and (v, u) are one thing, unchanged
/// otherwise.
Pair canonical(Pair pair, const Graph& graph, Reciprocal reciprocal);

/// `count` distinct non-edges, no self pairs; user first on user-item graphs, u < v on undirected
/// ones, in random direction where arcs are taken together. Throws where the graph has fewer.
std::vector<Pair> sample_non_edges(const Graph& graph, EdgeId count, std::uint64_t seed,
                                   ThreadPool& pool, Reciprocal reciprocal);

}  // namespace mcns
