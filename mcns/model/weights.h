// Parameters of a network in weights.npz, and into another network: on the same graph, on one with
// other nodes, or as the start of a new run. Shapes must match but for the nodes' free vectors,
// whose rows are matched by name.
#pragma once

#include <string>
#include <vector>

#include "mcns/core/graph.h"
#include "mcns/core/names.h"
#include "mcns/encoders/encoder.h"

namespace mcns {

void save_weights(const std::string& path, Encoder& encoder);

/// For each node of the new graph the row that its name has in the old one, or -1.
std::vector<NodeId> match_rows(const Graph& graph, const Names& names, const Graph& old_graph,
                               const Names& old_names);

enum class Unmatched { kKeep, kZero };

/// Loads what save_weights wrote; free vectors of unmatched nodes stay, or become zero so that a
/// node's vector then comes from its neighbours alone.
void load_weights(const std::string& path, Encoder& encoder, const std::vector<NodeId>& rows,
                  Unmatched unmatched);

/// How many features the saved model reads; 0 where nodes have free vectors.
NodeId saved_feature_count(const std::string& path);

}  // namespace mcns
