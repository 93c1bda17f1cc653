// Random graphs of a given size, for tests of scale and for experiments with known structure.
//
// Every edge is a function of (seed, its number) alone, so the same bits come out for any number of
// threads, in O(edges):
//   erdos-renyi      exactly M distinct edges: the first M places of a keyed permutation (a Feistel
//                    network with cycle walking) of all pairs
//   barabasi-albert  preferential attachment: Batagelj and Brandes' edge array, its dependencies
//                    resolved by recomputation (Sanders and Schulz), expected O(1) per edge
//   power-law        Chung and Lu: both ends drawn with weight (rank + 1)^(-1 / (exponent - 1))
//   bipartite        the same distribution on each side, users first
//   sbm              equal blocks; an edge stays in its block with probability `within`
// Except for erdos-renyi an edge may repeat, and barabasi-albert may give loops; building the graph
// merges and drops them.
#pragma once

#include <string>
#include <vector>

#include "mcns/core/graph.h"

namespace mcns {

struct GenerateOptions {
  NodeId nodes = 0;
  EdgeId edges = 0;
  NodeId users = 0;       ///< bipartite: nodes that are users; 0 takes half
  double exponent = 2.5;  ///< power-law and bipartite: P(degree = k) ~ k^-exponent
  int blocks = 10;        ///< sbm
  double within = 0.8;    ///< sbm: part of the edges that stay in their block
  std::uint64_t seed = 1;
};

struct GeneratedGraph {
  Graph graph;
  BuildCounts counts;
  std::vector<std::int32_t> labels;  ///< sbm: the block of each node; empty elsewhere
};

/// Kinds of `generate_graph`, each with a description.
struct GeneratorInfo {
  std::string name, help;
};
std::vector<GeneratorInfo> list_generators();

GeneratedGraph generate_graph(const std::string& kind, const GenerateOptions& options,
                              ThreadPool& pool);

}  // namespace mcns
