// Splits for link prediction. The one of the paper keeps the graph in one piece where it was:
//
// A random spanning forest stays in train (Kruskal over a random order of the edges; not the
// uniform distribution over forests, which nothing here needs); held-out edges are drawn uniformly
// from the rest, so the residual graph has the connected components of the whole one, weakly
// connected ones where it is directed. As many non-edges of the whole graph, of the kind that is
// asked for, join the held-out edges, all distinct, so no negative is shared by valid and test;
// which edges are held out does not depend on the kind. Self loops stay in train. O(E log E); the
// same for any thread count.
#pragma once

#include <cstdint>
#include <span>

#include "mcns/core/graph.h"
#include "mcns/io/dataset.h"
#include "mcns/splits/kind.h"
#include "mcns/splits/non_edges.h"

namespace mcns {

/// Edges here are distinct and no self loops; arcs where the graph is directed.
struct LinkSplitCounts {
  EdgeId edges = 0;
  EdgeId removable = 0;  ///< edges outside the forest: no more can be held out
  EdgeId wanted_valid = 0, wanted_test = 0;
  bool complete(const HeldOut& valid, const HeldOut& test) const;
};

/// Held-out sets list true edges first, then as many false ones. An undirected edge appears once,
/// as (u, v) with u < v.
struct LinkSplit {
  EdgeList train;
  HeldOut valid, test;
  LinkSplitCounts counts;
};

/// Holds out round(test * edges) and round(valid * edges); where the forest leaves fewer, test is
/// filled first and `counts` has the numbers. Arcs that are held out together (see Reciprocal) may
/// exceed a number by one. An early-stopping set from a training graph needs valid alone.
/// kHidden and kRandom draw from all edges, without a forest. kTime holds out the latest edges, as
/// split_at_time does: `times` has one per edge of edge_list(graph).
LinkSplit split_links(const Graph& graph, const SplitRequest& request, ThreadPool& pool,
                      std::span<const double> times = {});

}  // namespace mcns
