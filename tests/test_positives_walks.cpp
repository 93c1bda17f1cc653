// Random walks: pairs lie along real paths, steps follow the first- and second-order distributions.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/chi_square.h"
#include "tests/graph_support.h"
#include "tests/test_io_files.h"

namespace mcns {
namespace {

const std::vector<Pair> kEdges = {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 5}};

/// Walks of three nodes, from the four pairs that a window of 1 makes of each.
std::vector<std::array<NodeId, 3>> walks_of_three(const Graph& graph, const std::string& positives,
                                                  std::int64_t epochs) {
  std::vector<std::array<NodeId, 3>> walks;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    const auto pairs =
        whole_epoch(graph, positives + "walks=50,length=3,window=1,shrink=false", {1, epoch}, 4096)
            .pairs;
    EXPECT_EQ(pairs.size() % 4, 0U);
    for (std::size_t i = 0; i + 4 <= pairs.size(); i += 4) {
      const NodeId a = pairs[i].target, b = pairs[i].source, c = pairs[i + 2].source;
      EXPECT_EQ(pairs[i + 1], (Pair{a, b}));
      EXPECT_EQ(pairs[i + 2], (Pair{c, b}));
      EXPECT_EQ(pairs[i + 3], (Pair{b, c}));
      walks.push_back({a, b, c});
    }
  }
  return walks;
}

double weight_of(const Graph& graph, NodeId u, NodeId v) {
  const auto row = graph.neighbors(u);
  const auto at = std::lower_bound(row.begin(), row.end(), v);
  if (at == row.end() || *at != v) return 0;
  return graph.is_weighted() ? graph.weights(u)[at - row.begin()] : 1.0;
}

/// Steps (a, b, c) against the distribution of node2vec's paper, for every pair (a, b).
void expect_second_order(const Graph& graph, double p, double q, std::int64_t epochs = 200) {
  const auto text = fmt::format("node2vec:p={},q={},", p, q);
  const NodeId n = graph.num_nodes();
  std::map<std::pair<NodeId, NodeId>, std::vector<std::int64_t>> counts;
  for (const auto [a, b, c] : walks_of_three(graph, text, epochs)) {
    auto& row = counts[{a, b}];
    row.resize(n);
    ++row[c];
  }
  EXPECT_EQ(static_cast<EdgeId>(counts.size()), graph.num_arcs());
  for (const auto& [step, row] : counts) {
    const auto [a, b] = step;
    std::vector<double> distribution(n);
    for (NodeId c = 0; c < n; ++c)
      distribution[c] = weight_of(graph, b, c) * (c == a                       ? 1 / p
                                                  : weight_of(graph, a, c) > 0 ? 1.0
                                                                               : 1 / q);
    expect_distribution(row, distribution,
                        fmt::format("p = {}, q = {}, after {} {}", p, q, a, b).c_str());
  }
}

TEST(WalkPositives, StepsFollowTheWeights) {
  const Graph graph = make_graph(kEdges, 6, {}, {1, 3, 0.5F, 2, 2, 8, 1});
  std::vector<std::vector<std::int64_t>> first(6, std::vector<std::int64_t>(6)), second = first;
  for (const auto [a, b, c] : walks_of_three(graph, "walks:", 100)) {
    ++first[a][b];
    ++second[b][c];
  }
  for (NodeId v = 0; v < 6; ++v) {
    std::vector<double> distribution(6);
    for (NodeId u = 0; u < 6; ++u) distribution[u] = weight_of(graph, v, u);
    expect_distribution(first[v], distribution, "first step");
    expect_distribution(second[v], distribution, "second step");
  }
}

TEST(WalkPositives, EveryNodeWithEdgesStartsAsOftenAsAsked) {
  const Graph graph = make_graph(kEdges, 9);  // 6, 7 and 8 are isolated
  std::vector<int> starts(9);
  for (const auto [a, b, c] : walks_of_three(graph, "walks:", 3)) ++starts[a];
  EXPECT_EQ(starts, (std::vector<int>{150, 150, 150, 150, 150, 150, 0, 0, 0}));
}

TEST(WalkPositives, SecondOrderDistributionUnweighted) {
  const Graph graph = make_graph(kEdges, 6);
  expect_second_order(graph, 1, 1);
  expect_second_order(graph, 0.25, 4);
  expect_second_order(graph, 4, 0.25);
}

TEST(WalkPositives, SecondOrderDistributionWeighted) {
  const Graph graph = make_graph(kEdges, 6, {}, {1, 3, 0.5F, 2, 2, 4, 1});
  expect_second_order(graph, 0.5, 2);
  expect_second_order(graph, 2, 0.5);
}

/// Where nothing comes near the highest bias, the step is enumerated; the distribution is the same.
TEST(WalkPositives, ExtremeParametersKeepTheDistributionAndThePace) {
  const Graph path = make_graph({{0, 1}, {1, 2}, {2, 3}}, 4);
  for (const auto [a, b, c] : walks_of_three(path, "node2vec:p=1e6,q=1e6,", 20)) {
    if (b == 0 || b == 3) {
      EXPECT_EQ(a, c) << "a leaf has only the way back";
    }
  }
  expect_second_order(path, 1000, 1000);
  for (const auto [a, b, c] : walks_of_three(path, "node2vec:p=1e-6,q=1,", 20)) EXPECT_EQ(a, c);
  const Graph star = make_graph({{0, 1}, {0, 2}, {0, 3}, {0, 4}}, 5, {}, {1, 2, 3, 4});
  expect_second_order(star, 500, 250, 100);
  int back = 0, all = 0;
  const Graph clique = make_graph({{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}, 4);
  for (const auto [a, b, c] : walks_of_three(clique, "node2vec:p=1e6,q=1,", 50)) {
    back += a == c;
    ++all;
  }
  EXPECT_LT(back, all / 1000 + 2);
}

/// Whether a path of at most `steps` arcs leads from u to v.
bool reaches(const Graph& graph, NodeId u, NodeId v, int steps) {
  std::vector<bool> seen(graph.num_nodes());
  seen[u] = true;
  for (int s = 0; s < steps; ++s) {
    auto next = seen;
    for (NodeId x = 0; x < graph.num_nodes(); ++x)
      if (seen[x])
        for (const NodeId y : graph.neighbors(x)) next[y] = true;
    seen = std::move(next);
  }
  return seen[v];
}

/// Two triangles that no edge joins, and a leaf of one. A step to a node that is no neighbour was a
/// jump; after it a second-order walk is as at its start, also where the jump was a short one.
TEST(WalkPositives, JumpsReachEveryNodeAlikeAndStartAnew) {
  const Graph graph = make_graph({{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {5, 6}}, 8);
  constexpr double kTeleport = 0.3;
  constexpr NodeId kNodes = 7;  // 7 is isolated: no walk starts there, no jump leads there
  const auto distribution_after = [&](NodeId v) {
    std::vector<double> distribution(kNodes);
    for (NodeId u = 0; u < kNodes; ++u)
      distribution[u] =
          (1 - kTeleport) * weight_of(graph, v, u) / graph.degree(v) + kTeleport / kNodes;
    distribution[v] = 0;  // a jump to where the walk is makes no pair
    return distribution;
  };
  for (const std::string kind : {"walks:", "node2vec:p=1000,q=0.001,"}) {
    const auto text = kind + "walks=20000,length=3,window=1,shrink=false,teleport=0.3";
    const auto pairs = whole_epoch(graph, text, {1, 0}, 4096);
    std::vector<std::vector<std::int64_t>> first(kNodes, std::vector<std::int64_t>(kNodes)),
        landed = first;
    for (std::size_t i = 0; i + 4 <= pairs.pairs.size(); ++i) {
      constexpr std::uint64_t kNamesOfWalk = 6;
      const std::uint64_t walk = pairs.serials[i] / kNamesOfWalk;
      if (pairs.serials[i] % kNamesOfWalk != 0 || pairs.serials[i + 3] / kNamesOfWalk != walk)
        continue;
      const NodeId a = pairs.pairs[i].target, b = pairs.pairs[i].source;
      const NodeId c = pairs.pairs[i + 2].source;
      ++first[a][b];
      if (weight_of(graph, a, b) == 0) ++landed[b][c];
    }
    for (NodeId v = 0; v < kNodes; ++v) {
      expect_distribution(landed[v], distribution_after(v), (kind + " after a jump").c_str());
      expect_distribution(first[v], distribution_after(v), (kind + " first step").c_str());
    }
  }
}

TEST(WalkPositives, AShareThatIsNoProbabilityIsRefused) {
  const Graph graph = make_graph(kEdges, 6);
  EXPECT_TRUE(contains(
      error_of(ErrorKind::kUsage, [&] { whole_epoch(graph, "walks:teleport=1.5"); }), "teleport"));
}

TEST(WalkPositives, PairsLieWithinTheWindowOfAPath) {
  // A long cycle: the distance of a pair is at most its distance in the walk.
  std::vector<Pair> cycle;
  for (NodeId v = 0; v < 30; ++v) cycle.push_back({v, (v + 1) % 30});
  const Graph graph = make_graph(cycle, 30);
  for (const std::string shrink : {"true", "false"})
    for (const int window : {1, 2, 5}) {
      const auto text = fmt::format("walks:walks=5,length=20,window={},shrink={}", window, shrink);
      int widest = 0;
      for (const auto [u, v] : whole_epoch(graph, text).pairs) {
        const int gap = std::abs(u - v), distance = std::min(gap, 30 - gap);
        ASSERT_LE(distance, window);
        ASSERT_GT(distance, 0) << "a node is no context of itself";
        widest = std::max(widest, distance);
      }
      EXPECT_EQ(widest, window);
    }
}

TEST(WalkPositives, DirectedPairsFollowTheArcsOneWayOrTheOther) {
  const Graph graph = random_graph(GraphKind::kDirected, 25, 40, 5);
  const auto pairs = whole_epoch(graph, "walks:walks=4,length=10,window=3").pairs;
  ASSERT_FALSE(pairs.empty());
  for (const auto [u, v] : pairs) EXPECT_TRUE(reaches(graph, u, v, 3) || reaches(graph, v, u, 3));
}

TEST(WalkPositives, UserItemPairsJoinAUserAndAnItem) {
  const Graph graph = random_graph(GraphKind::kBipartite, 30, 70, 6);
  for (const std::string kind : {"walks", "node2vec"}) {
    const auto pairs = whole_epoch(graph, kind + ":walks=4,length=9,window=4").pairs;
    ASSERT_FALSE(pairs.empty());
    bool distant = false;
    for (const auto [u, v] : pairs) {
      ASSERT_TRUE(graph.sources().contains(u) && graph.targets().contains(v));
      ASSERT_TRUE(reaches(graph, u, v, 4));
      distant |= !graph.has_edge(u, v);
    }
    EXPECT_TRUE(distant) << "contexts beyond neighbours";
  }
}

/// Windows describe the pairs of a batch: one middle each, the others among the walk's nodes.
TEST(WalkPositives, WindowsDescribeTheirPairs) {
  for (const auto& [kind, by_source] :
       {std::pair{GraphKind::kUndirected, false}, std::pair{GraphKind::kUndirected, true},
        std::pair{GraphKind::kDirected, false}, std::pair{GraphKind::kBipartite, false}}) {
    const Graph graph = random_graph(kind, 30, 70, 6);
    ThreadPool pool(2);
    const auto sampler =
        make_positives("walks:walks=4,length=9,window=4", {graph, 500, pool, by_source});
    const auto middle = [by_source = by_source](Pair p) { return by_source ? p.source : p.target; };
    const auto other = [by_source = by_source](Pair p) { return by_source ? p.target : p.source; };
    ASSERT_EQ(sampler->pairs_per_window(), 8);
    PairBuffer batch;
    for (BatchKey key; key.batch < sampler->batches_per_epoch(); ++key.batch) {
      sampler->fill(key, pool, batch);
      const auto& all = batch.windows;
      ASSERT_EQ(all.first_window.size(), all.first_node.size());
      ASSERT_EQ(all.first_pair.back(), std::int64_t(batch.pairs.size()));
      ASSERT_EQ(all.first_window.back(), all.windows());
      ASSERT_EQ(all.first_node.back(), std::int64_t(all.nodes.size()));
      ASSERT_EQ(all.middle_is_source, by_source);
      ASSERT_EQ(all.other.size(), batch.pairs.size());
      for (std::int64_t walk = 0; walk < all.walks(); ++walk)
        for (std::int32_t w = all.first_window[walk]; w < all.first_window[walk + 1]; ++w) {
          ASSERT_LT(all.first_pair[w], all.first_pair[w + 1]);
          for (std::int32_t i = all.first_pair[w]; i < all.first_pair[w + 1]; ++i) {
            EXPECT_EQ(middle(batch.pairs[i]), middle(batch.pairs[all.first_pair[w]]));
            EXPECT_EQ(other(batch.pairs[i]), all.nodes[all.other[i]]);
            EXPECT_GE(all.other[i], all.first_node[walk]);
            EXPECT_LT(all.other[i], all.first_node[walk + 1]);
          }
        }
    }
  }
}

/// word2vec's window: the distance d is kept with probability (window - d + 1) / window.
TEST(WalkPositives, ShrinkingWindowsPreferNearContexts) {
  std::vector<Pair> path;  // one way, so that positions are nodes
  for (NodeId v = 0; v < 39; ++v) path.push_back({v, v + 1});
  const Graph graph = make_graph(path, 40, {.kind = GraphKind::kDirected});
  std::vector<std::int64_t> counts(4);
  for (std::int64_t epoch = 0; epoch < 200; ++epoch)
    for (const auto [u, v] :
         whole_epoch(graph, "walks:walks=1,length=40,window=4", {1, epoch}).pairs)
      if (u >= 8 && u < 32 && v > u) ++counts[v - u - 1];
  // Starts are everywhere on the path, so compare among contexts ahead, which always exist here.
  const double total = static_cast<double>(counts[0]);
  for (int d = 1; d <= 4; ++d)
    EXPECT_NEAR(static_cast<double>(counts[d - 1]) / total, (4 - d + 1) / 4.0, 0.02);
}

}  // namespace
}  // namespace mcns
