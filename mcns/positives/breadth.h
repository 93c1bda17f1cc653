// How broad positives are: the share of all nodes that a node is paired with.
//
// Negatives must not be harder than positives are narrow. If a share f of the nodes are positives
// of a node and score highest, the best of M uniform draws is one of them with probability 1 - (1 -
// f)^M.
#pragma once

#include "mcns/core/graph.h"

namespace mcns {

struct WindowShape {
  int window = 10;
  bool shrink = true;  ///< a window is drawn from 1..window
};

/// Of pairs within a window of random walks, measured from a few nodes: 1 / (n sum of p^2), p being
/// the distribution of a node's positives, estimated without bias by how often two of them are the
/// same. Links do not count where negatives leave them out. Weights of edges and the bias of
/// second-order walks are left aside. The same for the same graph.
double walk_breadth(const Graph& graph, WindowShape shape, bool without_links);

}  // namespace mcns
