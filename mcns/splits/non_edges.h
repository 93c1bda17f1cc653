// Non-edges of a graph, drawn one after the other without replacement:
//
//   uniform   every non-edge with the same weight
//   degree    by the product of its nodes' degrees, as the ends of two random edges: out-degree of
//             the source and in-degree of the target where arcs stand on their own
//   two-hop   every non-edge whose nodes have a common neighbour, with the same weight; directions
//             of arcs do not matter for that. Not on user-item graphs, which have none.
//
// By rejection, candidate i named by (seed, i), so that batches and threads do not matter, and a
// larger sample begins with the smaller one; where candidates are seldom accepted, by going through
// all non-edges (non_edges_kinds.cpp). Uniform ones list the complement where less than a quarter
// would be accepted; the number of possible pairs is then below 8/3 of the edges as long as no more
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
inline bool takes_together(const Graph& graph, Reciprocal reciprocal) {
  return graph.kind() == GraphKind::kUndirected ||
         (graph.is_directed() && reciprocal == Reciprocal::kTogether);
}

enum class NonEdges { kUniform, kDegree, kTwoHop };

/// "uniform", "degree" or "two-hop"
inline NonEdges parse_non_edges(std::string_view word) {
  return word == "degree"    ? NonEdges::kDegree
         : word == "two-hop" ? NonEdges::kTwoHop
                             : NonEdges::kUniform;
}

/// The pair that stands for an edge: sorted where (u, v) and (v, u) are one thing, unchanged
/// otherwise.
Pair canonical(Pair pair, const Graph& graph, Reciprocal reciprocal);

struct NonEdgeRequest {
  EdgeId count = 0;
  std::uint64_t seed = 1;
  Reciprocal reciprocal = Reciprocal::kApart;
  NonEdges kind = NonEdges::kUniform;
};

/// `count` distinct non-edges, no self pairs; user first on user-item graphs, u < v on undirected
/// ones, in random direction where arcs are taken together. Throws where the graph has fewer.
std::vector<Pair> sample_non_edges(const Graph& graph, const NonEdgeRequest& request,
                                   ThreadPool& pool);

}  // namespace mcns
