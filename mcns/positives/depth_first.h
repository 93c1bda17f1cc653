// The depth-first sequence of the paper's appendix: a node is written when it is first reached and
// again after each child, so that neighbours in the sequence are neighbours in the graph (roots of
// further components excepted).
#pragma once

#include <vector>

#include "mcns/core/graph.h"

namespace mcns {

std::vector<NodeId> depth_first_sequence(const Graph& graph);

}  // namespace mcns
