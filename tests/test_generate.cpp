// Generators: their distributions, roughly, and the same bits for any number of threads.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/core/generate.h"

namespace mcns {
namespace {

GeneratedGraph make(const std::string& kind, GenerateOptions options, int threads = 1) {
  ThreadPool pool(threads);
  return generate_graph(kind, options, pool);
}

std::vector<EdgeId> degrees(const Graph& graph, NodeRange range) {
  std::vector<EdgeId> out;
  for (NodeId v = range.begin; v < range.end; ++v) out.push_back(graph.degree(v));
  return out;
}

TEST(Generate, SameBitsForAnyNumberOfThreads) {
  for (const auto& [name, help] : list_generators()) {
    const GenerateOptions options{.nodes = 3000, .edges = 100000, .seed = 5};
    const auto one = make(name, options, 1);
    EXPECT_EQ(one.counts.read, 100000) << name;
    EXPECT_EQ(one.counts.read, one.graph.num_edges() + one.counts.merged + one.counts.self_loops);
    const auto all = degrees(one.graph, {0, 3000});
    EXPECT_EQ(std::accumulate(all.begin(), all.end(), EdgeId{0}), 2 * one.graph.num_edges())
        << name;
    for (const int threads : {2, 3, 7}) {
      const auto many = make(name, options, threads);
      EXPECT_TRUE(std::ranges::equal(one.graph.arrays().offsets, many.graph.arrays().offsets));
      EXPECT_TRUE(std::ranges::equal(one.graph.arrays().neighbors, many.graph.arrays().neighbors));
      EXPECT_EQ(one.labels, many.labels);
    }
    auto other_seed = options;
    other_seed.seed = 6;
    EXPECT_FALSE(std::ranges::equal(one.graph.arrays().neighbors,
                                    make(name, other_seed).graph.arrays().neighbors))
        << name;
  }
}

TEST(Generate, ErdosRenyiHasExactlyTheEdgesAskedFor) {
  for (const EdgeId edges : {0, 1, 10, 44, 45}) {
    const auto made = make("erdos-renyi", {.nodes = 10, .edges = edges});
    EXPECT_EQ(made.graph.num_edges(), edges);
    EXPECT_EQ(made.counts.merged + made.counts.self_loops, 0);
  }
  EXPECT_EQ(make("erdos-renyi", {.nodes = 1, .edges = 0}).graph.num_nodes(), 1);
}

// Degrees are hypergeometric: mean 2M/n, variance close to the mean.
TEST(Generate, ErdosRenyiDegreesHaveTheRightSpread) {
  const auto made = make("erdos-renyi", {.nodes = 20000, .edges = 200000});
  double sum = 0, squares = 0;
  for (const auto degree : degrees(made.graph, {0, 20000})) {
    sum += static_cast<double>(degree);
    squares += static_cast<double>(degree * degree);
  }
  const double mean = sum / 20000, variance = squares / 20000 - mean * mean;
  EXPECT_DOUBLE_EQ(mean, 20);
  EXPECT_NEAR(variance, 20, 1);
}

// Each of the 45 pairs is in a 9-edge graph with probability 1/5.
TEST(Generate, ErdosRenyiPairsAreEquallyLikely) {
  std::vector<int> hits(100);
  constexpr int kRuns = 5000;
  for (int run = 0; run < kRuns; ++run) {
    GenerateOptions options{.nodes = 10, .edges = 9};
    options.seed = run;
    for (const auto& [u, v] : edge_list(make("erdos-renyi", options).graph).pairs)
      ++hits[u * 10 + v];
  }
  double chi_square = 0;
  for (int u = 0; u < 10; ++u)
    for (int v = u + 1; v < 10; ++v)
      chi_square += std::pow(hits[u * 10 + v] - kRuns / 5.0, 2) / (kRuns / 5.0);
  EXPECT_LT(chi_square, 80);  // 44 degrees of freedom, times 0.8 as runs draw without replacement
}

/// Slope of log P(degree >= k) against log k between two degrees; a power law gives 1 - exponent.
double tail_slope(const std::vector<EdgeId>& degrees, EdgeId low, EdgeId high) {
  const auto above = [&](EdgeId k) {
    return static_cast<double>(std::ranges::count_if(degrees, [&](EdgeId d) { return d >= k; }));
  };
  return std::log(above(high) / above(low)) / std::log(static_cast<double>(high) / low);
}

TEST(Generate, BarabasiAlbertHasACubicTail) {
  const auto made = make("barabasi-albert", {.nodes = 200000, .edges = 800000});
  const auto all = degrees(made.graph, {0, 200000});
  EXPECT_NEAR(tail_slope(all, 10, 100), -2, 0.2);
  EXPECT_LT(made.counts.merged + made.counts.self_loops, 2000);
  EXPECT_GE(std::ranges::min(std::vector(all.begin() + 10, all.end())), 2);
}

TEST(Generate, PowerDistributionFollowsItsExponent) {
  for (const double exponent : {2.5, 3.0}) {
    const auto made = make("power-law", {.nodes = 200000, .edges = 1000000, .exponent = exponent});
    EXPECT_NEAR(tail_slope(degrees(made.graph, {0, 200000}), 20, 200), 1 - exponent, 0.15);
  }
}

TEST(Generate, BipartiteHasUsersFirst) {
  const auto made = make("bipartite", {.nodes = 1000, .edges = 5000, .users = 300});
  EXPECT_TRUE(made.graph.is_bipartite());
  EXPECT_EQ(made.graph.num_users(), 300);
  EXPECT_EQ(made.graph.num_items(), 700);
  for (NodeId user = 0; user < 300; ++user)
    for (const NodeId item : made.graph.neighbors(user)) EXPECT_GE(item, 300);
  EXPECT_EQ(make("bipartite", {.nodes = 1000, .edges = 10}).graph.num_users(), 500);
}

TEST(Generate, BlocksKeepTheirEdges) {
  const auto made = make("sbm", {.nodes = 1003, .edges = 20000, .blocks = 7, .within = 0.7});
  ASSERT_EQ(made.labels.size(), 1003U);
  EXPECT_EQ(std::set(made.labels.begin(), made.labels.end()).size(), 7U);
  EXPECT_EQ(made.counts.self_loops, 0);
  double inside = 0;
  const auto edges = edge_list(made.graph).pairs;
  for (const auto& [u, v] : edges) inside += made.labels[u] == made.labels[v];
  EXPECT_NEAR(inside / static_cast<double>(edges.size()), 0.7, 0.05);
  EXPECT_EQ(make("sbm", {.nodes = 10, .edges = 20, .blocks = 1, .within = 1}).counts.read, 20);
}

TEST(Generate, RefusesWhatCannotBe) {
  const auto refused = [](const std::string& kind, const GenerateOptions& options) {
    try {
      make(kind, options);
      ADD_FAILURE() << kind;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    }
  };
  refused("erdos", {.nodes = 10, .edges = 1});
  refused("erdos-renyi", {.nodes = 0, .edges = 0});
  refused("erdos-renyi", {.nodes = 10, .edges = 46});
  refused("power-law", {.nodes = 10, .edges = -1});
  refused("power-law", {.nodes = 1, .edges = 1});
  refused("power-law", {.nodes = 10, .edges = 1, .exponent = 1});
  refused("bipartite", {.nodes = 10, .edges = 1, .users = 10});
  refused("sbm", {.nodes = 10, .edges = 1, .blocks = 6});
  refused("sbm", {.nodes = 10, .edges = 1, .within = 1.5});
  refused("sbm", {.nodes = 10, .edges = 1, .blocks = 1, .within = 0.5});
}

}  // namespace
}  // namespace mcns
