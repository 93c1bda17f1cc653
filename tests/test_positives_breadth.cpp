// Breadth of positives against the distribution of positives, step by step.
#include <gtest/gtest.h>

#include "mcns/plan/plan.h"
#include "mcns/positives/breadth.h"

#include "tests/train_support.h"

namespace mcns {
namespace {

constexpr NodeId kNodes = 101;

/// Every node looks the same: neighbours at distance 1 and 5.
Graph circle() {
  std::vector<Pair> edges;
  for (NodeId v = 0; v < kNodes; ++v)
    for (const NodeId step : {1, 5}) edges.push_back({v, (v + step) % kNodes});
  return make_graph(edges, kNodes);
}

/// The distribution of node 0's positives by enumeration: a window of reach r, a distance up to r.
double exact_breadth(const Graph& graph, WindowShape shape, bool without_links) {
  std::vector<double> at(kNodes), sum(kNodes);
  at[0] = 1;
  for (int distance = 1; distance <= shape.window; ++distance) {
    std::vector<double> next(kNodes);
    for (NodeId v = 0; v < kNodes; ++v)
      for (const NodeId u : graph.neighbors(v))
        next[u] += at[v] / static_cast<double>(graph.degree(v));
    at = next;
    double weight = 0;
    for (int reach = shape.shrink ? distance : shape.window; reach <= shape.window; ++reach)
      weight += 1.0 / reach / (shape.shrink ? shape.window : 1);
    for (NodeId v = 0; v < kNodes; ++v) sum[v] += weight * at[v];
  }
  double kept = 0, squares = 0;
  for (NodeId v = 1; v < kNodes; ++v) {
    if (without_links && graph.has_edge(0, v)) continue;
    kept += sum[v];
    squares += sum[v] * sum[v];
  }
  return kept * kept / squares / kNodes * kept;
}

TEST(Breadth, IsThatOfTheDistribution) {
  const Graph graph = circle();
  for (const int window : {1, 4, 10})
    for (const bool shrink : {true, false})
      for (const bool without_links : {true, false}) {
        const double exact = exact_breadth(graph, {window, shrink}, without_links);
        if (window == 1 && without_links) {
          EXPECT_EQ(walk_breadth(graph, {window, shrink}, true), 0);
          continue;
        }
        // 16 nodes of 256 walks: the error is 3 % or less; a window off by one makes 10 % and more.
        EXPECT_NEAR(walk_breadth(graph, {window, shrink}, without_links) / exact, 1, 0.07)
            << window << shrink << without_links;
      }
}

TEST(Breadth, BoundsHardness) {
  const Graph narrow = random_graph(GraphKind::kUndirected, 3000, 6000, 1);
  const auto hardness = [&](const Graph& graph, const std::string& positives) {
    TrainOptions options;
    options.sampler = "mcns";
    options.positives = positives;
    const Plan plan = make_plan(options, Task::kLinkpred, graph);
    return std::stod(find_setting(plan.settings, "sampler.hardness")->value);
  };
  EXPECT_EQ(hardness(narrow, "edges"), 7);
  EXPECT_EQ(hardness(narrow, "walks:window=2"), 2);
  const Graph thick = random_graph(GraphKind::kUndirected, 5000, 15000, 1);
  const double wide_window = hardness(thick, "walks:window=3");
  EXPECT_GT(wide_window, 1);
  EXPECT_LT(wide_window, 2);
  // All nodes are positives of all: as hard as chance.
  EXPECT_EQ(hardness(random_graph(GraphKind::kUndirected, 60, 600, 1), "walks:window=20"), 1);
}

}  // namespace
}  // namespace mcns
