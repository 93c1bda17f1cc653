// The depth-first sequence against the recursion of the paper's appendix.
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "mcns/positives/depth_first.h"

#include "tests/chi_square.h"
#include "tests/graph_support.h"

namespace mcns {
namespace {

/// DFS(x): write x; for each neighbour y that was not visited: DFS(y), then write x again.
std::vector<NodeId> paper_sequence(const Graph& graph) {
  std::vector<NodeId> out;
  std::vector<bool> visited(graph.num_nodes());
  const std::function<void(NodeId)> visit = [&](NodeId x) {
    visited[x] = true;
    out.push_back(x);
    for (const NodeId y : graph.neighbors(x))
      if (!visited[y]) {
        visit(y);
        out.push_back(x);
      }
  };
  for (NodeId root = 0; root < graph.num_nodes(); ++root)
    if (!visited[root]) visit(root);
  return out;
}

TEST(DepthFirst, EqualsThePapersRecursion) {
  const BuildOptions keep{.repeated = Repeated::kKeep, .self_loops = SelfLoops::kKeep};
  for (const auto kind : {GraphKind::kUndirected, GraphKind::kDirected, GraphKind::kBipartite})
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const Graph graph = random_graph(kind, 2 + static_cast<NodeId>(seed), 1 + 2 * seed, seed,
                                       seed % 2 == 0 ? BuildOptions{} : keep);
      EXPECT_EQ(depth_first_sequence(graph), paper_sequence(graph));
    }
}

TEST(DepthFirst, AComponentOfMNodesHasTwoMMinusOneVisits) {
  // Components of 1, 2, 3 and 5 nodes.
  const Graph graph =
      make_graph({{1, 2}, {3, 4}, {4, 5}, {3, 5}, {6, 7}, {7, 8}, {8, 9}, {9, 10}, {6, 9}}, 11);
  const auto sequence = depth_first_sequence(graph);
  EXPECT_EQ(sequence.size(), 1U + 3U + 5U + 9U);
  int jumps = 0;
  for (std::size_t i = 1; i < sequence.size(); ++i)
    jumps += !graph.has_edge(sequence[i - 1], sequence[i]);
  EXPECT_EQ(jumps, 3) << "neighbours in the sequence are adjacent, but for the three new roots";
}

TEST(DepthFirst, DeepGraphsDoNotExhaustTheStack) {
  std::vector<Pair> path;
  for (NodeId v = 0; v < 300000; ++v) path.push_back({v, v + 1});
  EXPECT_EQ(depth_first_sequence(make_graph(path, 300001)).size(), 2U * 300001 - 1);
}

TEST(DfsPositives, OnePositivePerVisitInOrder) {
  const Graph graph = make_graph({{0, 1}, {1, 2}, {0, 3}, {5, 6}}, 7);  // 4 is isolated
  const auto pairs = whole_epoch(graph, "dfs", {}, 3).pairs;
  const std::vector<NodeId> visits = {0, 1, 2, 1, 0, 3, 0, 5, 6, 5};
  ASSERT_EQ(pairs.size(), visits.size());
  for (std::size_t i = 0; i < visits.size(); ++i) {
    EXPECT_EQ(pairs[i].source, visits[i]);
    EXPECT_TRUE(graph.has_edge(pairs[i].source, pairs[i].target));
  }
}

TEST(DfsPositives, VisitsOfItemsGiveUserItemPairsToo) {
  const Graph graph = random_graph(GraphKind::kBipartite, 24, 50, 2);
  auto visits = depth_first_sequence(graph);
  std::erase_if(visits, [&](NodeId v) { return graph.degree(v) == 0; });
  const auto pairs = whole_epoch(graph, "dfs").pairs;
  ASSERT_EQ(pairs.size(), visits.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_TRUE(graph.sources().contains(pairs[i].source));
    EXPECT_TRUE(graph.has_edge(pairs[i].source, pairs[i].target));
    EXPECT_TRUE(pairs[i].source == visits[i] || pairs[i].target == visits[i]);
  }
}

TEST(DfsPositives, TargetsByWeight) {
  const Graph graph = make_graph({{0, 1}, {0, 2}, {0, 3}}, 4, {}, {1, 2, 5});
  std::vector<std::int64_t> counts(4);
  for (std::int64_t epoch = 0; epoch < 5000; ++epoch)
    for (const auto [u, v] : whole_epoch(graph, "dfs", {1, epoch}).pairs)
      if (u == 0) ++counts[v];
  expect_distribution(counts, {0, 1, 2, 5});
}

TEST(DfsPositives, WalksReachWhatWindowsOfWalksHold) {
  const Graph graph = make_graph({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 4}, {4, 5}}, 6);
  constexpr int kWindow = 3;
  // sum over d of (window + 1 - d) P^d, by steps of the whole distribution from node 1.
  std::vector<double> at(6), expected(6);
  at[1] = 1;
  for (int d = 1; d <= kWindow; ++d) {
    std::vector<double> next(6);
    for (NodeId u = 0; u < 6; ++u)
      for (const NodeId v : graph.neighbors(u))
        next[v] += at[u] / static_cast<double>(graph.degree(u));
    at = next;
    for (NodeId u = 0; u < 6; ++u)
      if (u != 1) expected[u] += (kWindow + 1 - d) * at[u];
  }
  std::vector<std::int64_t> counts(6);
  for (std::int64_t epoch = 0; epoch < 4000; ++epoch)
    for (const auto [u, v] :
         whole_epoch(graph, "dfs:draw=walk,window=3,passes=2", {1, epoch}).pairs)
      if (u == 1) ++counts[v];
  expect_distribution(counts, expected);
}

TEST(DfsPositives, PassesRepeatTheSequenceWithOtherDraws) {
  const Graph graph = random_graph(GraphKind::kBipartite, 24, 90, 2);
  const auto once = whole_epoch(graph, "dfs"), thrice = whole_epoch(graph, "dfs:passes=3");
  const std::size_t visits = once.pairs.size();
  ASSERT_EQ(thrice.pairs.size(), 3 * visits);
  int other = 0;
  for (std::size_t i = 0; i < visits; ++i) {
    EXPECT_EQ(thrice.pairs[i], once.pairs[i]);
    other += thrice.pairs[visits + i] != once.pairs[i];
  }
  EXPECT_GT(other, 0);
  EXPECT_EQ(std::set(thrice.serials.begin(), thrice.serials.end()).size(), 3 * visits);
  for (const auto [u, v] : whole_epoch(graph, "dfs:draw=walk").pairs)
    EXPECT_TRUE(graph.sources().contains(u) && graph.targets().contains(v));
}

}  // namespace
}  // namespace mcns
