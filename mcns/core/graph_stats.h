// Statistics of a graph: degrees, components, isolated nodes, self loops, repeated edges.
// O(nodes + arcs); components by union-find.
#pragma once

#include "mcns/core/facts.h"
#include "mcns/core/graph.h"

namespace mcns {

struct DegreeStats {
  EdgeId min = 0, max = 0;
  double median = 0, mean = 0;
};

struct GraphStats {
  DegreeStats degrees;       ///< arcs that leave a node, over all nodes
  DegreeStats users, items;  ///< user-item graphs only
  NodeId isolated = 0;       ///< nodes without any arc, in or out
  NodeId components = 0;     ///< directions ignored, isolated nodes counted
  NodeId largest_component = 0;
  EdgeId self_loops = 0;  ///< kept in the graph
  EdgeId repeated = 0;    ///< edges kept beyond the first between the same nodes
};

GraphStats compute_stats(const Graph& graph);

/// What defaults may depend on: nodes, edges, arcs, sources, targets, and whether the graph is
/// bipartite, directed, weighted.
Facts graph_facts(const Graph& graph);

/// How many sources are linked to each target, repeated links counted; [v - targets().begin].
std::vector<double> target_degrees(const Graph& graph);

}  // namespace mcns
