// Which of the edges that were read count: the last of repeated ones, those of a k-core and the
// labels of its nodes. And the times of the edges of a graph.
#pragma once

#include <vector>

#include "mcns/core/graph.h"
#include "mcns/io/raw_edges.h"

namespace mcns {

/// When two edges are the same.
struct SameEdges {
  bool two_sets = false;  ///< the ids of both columns have nothing to do with each other
  bool directed = false;  ///< (a, b) is not (b, a)
};

/// Of edges that repeat, keeps the one with the latest time, or the last one without times or at
/// equal times. Returns how many were dropped. O(edges log edges).
std::int64_t keep_last(RawEdges& edges, SameEdges same);

/// Keeps the largest set of edges in which every node has at least k distinct neighbours, and drops
/// isolated nodes. Returns how many edges were dropped. O(edges log edges).
std::int64_t keep_core(RawEdges& edges, int k, SameEdges same);

/// Keeps the labels of nodes that an edge has. Returns how many lines were dropped.
std::int64_t keep_labels_of(const RawEdges& edges, std::vector<NamedLabel>& labels);

/// Edges as rows with their times, to be looked up once the graph is built.
class EdgeTimes {
 public:
  /// No times: nothing is kept.
  EdgeTimes(const std::vector<Pair>& pairs, const std::vector<double>& times, GraphKind kind);

  /// The time of every edge of edge_list(graph): the latest one where repeated edges were merged.
  std::vector<double> of(const Graph& graph, Repeated repeated) const;

 private:
  struct Timed {
    Pair pair;
    double time;
  };
  std::vector<Timed> sorted_;
  bool ordered_ends_;
};

}  // namespace mcns
