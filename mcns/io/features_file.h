// Features of nodes from a file.
//
// .npy: as many rows as the graph has nodes, in the order of nodes.tsv; or, where all names are
// plain integers, any number of rows, and the row of a node is its name. Text: a node and its
// numbers on each line, `id x0 x1 ...`, or sparse, `id 3:0.5 17:1 ...`, counted from 0; a first
// line without numbers is a header. Nodes of other graphs are passed over, nodes without a line
// have no features (all zero).
#pragma once

#include <string>

#include "mcns/core/features.h"
#include "mcns/core/graph.h"
#include "mcns/core/names.h"

namespace mcns {

/// `width` is how many features there must be; 0 takes what the file has.
Features read_features(const std::string& path, const Graph& graph, const Names& names,
                       NodeId width = 0);

}  // namespace mcns
