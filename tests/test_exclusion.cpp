// Exclusion of training positives against brute force.
#include <gtest/gtest.h>

#include "mcns/samplers/exclusion.h"

#include "tests/chi_square.h"
#include "tests/graph_support.h"

namespace mcns {
namespace {

std::vector<NodeId> allowed_targets(const Graph& graph, NodeId u) {
  std::vector<NodeId> out;
  for (NodeId v = graph.targets().begin; v < graph.targets().end; ++v) {
    bool linked = v == u;
    for (const NodeId w : graph.neighbors(u)) linked |= w == v;
    if (!linked) out.push_back(v);
  }
  return out;
}

TEST(Exclusion, EqualsBruteForceOnRandomGraphs) {
  for (const auto kind : {GraphKind::kUndirected, GraphKind::kDirected, GraphKind::kBipartite})
    for (const auto repeated : {Repeated::kMerge, Repeated::kKeep})
      for (const auto loops : {SelfLoops::kDrop, SelfLoops::kKeep})
        for (std::uint64_t seed = 0; seed < 25; ++seed) {
          const NodeId nodes = 2 + static_cast<NodeId>(seed * 2);
          const Graph graph = random_graph(kind, nodes, static_cast<int>(seed * seed), seed,
                                           {.repeated = repeated, .self_loops = loops});
          const Exclusion exclusion(graph, Filter::kTrain);
          for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u) {
            const auto expected = allowed_targets(graph, u);
            ASSERT_EQ(exclusion.allowed(u), static_cast<NodeId>(expected.size()));
            for (std::size_t i = 0; i < expected.size(); ++i)
              ASSERT_EQ(exclusion.nth_allowed(u, static_cast<NodeId>(i)), expected[i]);
            for (NodeId v = graph.targets().begin; v < graph.targets().end; ++v)
              ASSERT_EQ(exclusion.excluded(u, v), v == u || graph.has_edge(u, v));
          }
        }
}

TEST(Exclusion, WithoutAFilterEverythingIsAllowed) {
  const Graph graph = random_graph(GraphKind::kBipartite, 10, 40, 1);
  const Exclusion exclusion(graph, Filter::kNone);
  for (NodeId u = 0; u < 5; ++u) {
    EXPECT_EQ(exclusion.allowed(u), 5);
    for (NodeId v = 5; v < 10; ++v) EXPECT_FALSE(exclusion.excluded(u, v));
    for (NodeId i = 0; i < 5; ++i) EXPECT_EQ(exclusion.nth_allowed(u, i), 5 + i);
  }
}

void expect_uniform(const Graph& graph, NodeId source, int draws) {
  const Exclusion exclusion(graph, Filter::kTrain);
  std::vector<std::int64_t> counts(graph.num_nodes());
  std::vector<double> distribution(graph.num_nodes());
  for (const NodeId v : allowed_targets(graph, source)) distribution[v] = 1;
  Rng rng(1, Domain::kTest);
  for (int i = 0; i < draws; ++i) ++counts[exclusion.draw_uniform(source, rng)];
  expect_distribution(counts, distribution);
}

TEST(Exclusion, DrawsUniformlyFromWhatIsAllowed) {
  expect_uniform(random_graph(GraphKind::kUndirected, 40, 200, 2), 3, 50000);
  expect_uniform(random_graph(GraphKind::kDirected, 40, 200, 3), 3, 50000);
  expect_uniform(random_graph(GraphKind::kBipartite, 40, 200, 4), 3, 50000);
}

TEST(Exclusion, DrawsFromTheFewThatAreLeft) {
  constexpr NodeId kNodes = 3000;
  for (const NodeId left : {1, 2, 5}) {
    std::vector<Pair> edges;  // node 7 is linked to all but itself and the last `left`
    for (NodeId v = 0; v < kNodes - left; ++v) edges.push_back({7, v});
    expect_uniform(make_graph(edges, kNodes), 7, 2000);
  }
}

/// Node 0 is linked to every `gap`-th node.
void expect_every(NodeId gap) {
  constexpr NodeId kNodes = 50000;
  std::vector<Pair> edges;
  for (NodeId v = 1; v < kNodes; v += gap) edges.push_back({0, v});
  const Graph graph = make_graph(edges, kNodes);
  const Exclusion exclusion(graph, Filter::kTrain);
  for (NodeId v = 0; v < kNodes; ++v)
    ASSERT_EQ(exclusion.excluded(0, v), v == 0 || v % gap == 1) << v;
}

TEST(Exclusion, HubsHaveABitPerTarget) { expect_every(3); }

TEST(Exclusion, OthersHaveASketch) { expect_every(300); }

}  // namespace
}  // namespace mcns
