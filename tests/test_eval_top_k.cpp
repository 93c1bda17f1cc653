// The best few against a full sort of everything, with ties, known edges and empty vectors.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "mcns/eval/top_k.h"

#include "tests/graph_support.h"

namespace mcns {
namespace {

/// Few distinct small integers, so that scores are exact and many are equal.
Matrix coarse_table(NodeId nodes, int dim, std::uint64_t seed) {
  Rng rng(seed, Domain::kTest);
  Matrix table(nodes, dim);
  for (NodeId v = 0; v < nodes; ++v)
    for (float& x : table.view()[v]) x = static_cast<float>(rng.below(3)) - 1;
  return table;
}

float slow_dot(const Matrix& a, NodeId u, const Matrix& b, NodeId v) {
  double sum = 0;
  for (int d = 0; d < a.dim(); ++d) sum += double{a.row(u)[d]} * b.row(v)[d];
  return static_cast<float>(sum);
}

/// Rows are ascending on entry, so a stable sort leaves ties by row.
std::vector<ScoredNode> slow_best(std::vector<ScoredNode> all, std::size_t k) {
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  all.resize(std::min(k, all.size()));
  return all;
}

TEST(TopK, BestTargetsAreThoseOfAFullSort) {
  for (const GraphKind kind :
       {GraphKind::kBipartite, GraphKind::kUndirected, GraphKind::kDirected}) {
    const BuildOptions repeated{.repeated = Repeated::kKeep, .self_loops = SelfLoops::kKeep};
    const Graph graph = random_graph(kind, 60, 400, 1, repeated);
    const Matrix source = coarse_table(60, 5, 2), target = coarse_table(60, 5, 3);
    const Scorer scorer{source.view(), target.view()};
    for (const NodeId u : {0, 7, 29}) {
      std::vector<ScoredNode> all;
      for (NodeId v = graph.targets().begin; v < graph.targets().end; ++v)
        if (v != u && !graph.has_edge(u, v)) all.push_back({v, slow_dot(source, u, target, v)});
      ASSERT_GT(all.size(), 10U);
      for (const std::size_t k : {0, 1, 3, 10, 1000})
        EXPECT_EQ(best_targets(graph, scorer, u, k), slow_best(all, k)) << u << " " << k;
    }
  }
}

TEST(TopK, ASourceLinkedToAllHasNone) {
  const Graph graph = make_graph({{0, 2}, {0, 3}, {1, 2}}, 4, {GraphKind::kBipartite, 2});
  const Matrix table = coarse_table(4, 2, 1);
  EXPECT_TRUE(best_targets(graph, {table.view(), table.view()}, 0, 5).empty());
  EXPECT_EQ(best_targets(graph, {table.view(), table.view()}, 1, 5).size(), 1U);
}

TEST(TopK, NearestNodesAreThoseOfAFullSort) {
  Matrix table = coarse_table(80, 4, 4);
  for (float& x : table.view()[21]) x = 0;
  for (float& x : table.view()[5]) x = 2;
  const NodeRange among{10, 70};
  std::vector<ScoredNode> all;
  for (NodeId v = among.begin; v < among.end; ++v) {
    const float lengths =
        std::sqrt(slow_dot(table, 5, table, 5)) * std::sqrt(slow_dot(table, v, table, v));
    if (lengths > 0) all.push_back({v, slow_dot(table, 5, table, v) / lengths});
  }
  for (const std::size_t k : {0, 1, 4, 20, 1000})
    EXPECT_EQ(nearest_nodes(table.view(), 5, among, k), slow_best(all, k)) << k;
  const auto inside = nearest_nodes(table.view(), 30, among, 1000);
  for (const auto& [node, score] : inside) {
    EXPECT_NE(node, 30) << "a node is no neighbour of its own";
    EXPECT_NE(node, 21) << "a vector without a direction";
  }
  EXPECT_TRUE(nearest_nodes(table.view(), 21, among, 5).empty());
}

}  // namespace
}  // namespace mcns
