// The receptive field of a batch: structure, exactness where all neighbours fit, and the
// distribution of the neighbours drawn where they do not.
#include <set>

#include <gtest/gtest.h>

#include "mcns/core/rng.h"
#include "mcns/encoders/receptive_field.h"

namespace mcns {
namespace {

Graph star(NodeId leaves, ThreadPool& pool) {
  EdgeList edges;
  for (NodeId v = 1; v <= leaves; ++v) edges.pairs.push_back({0, v});
  return build_graph(std::move(edges), leaves + 1, {}, pool);
}

TEST(ReceptiveField, DrawsEveryNeighborEquallyOften) {
  ThreadPool pool(1);
  const int leaves = 37, fanout = 5, draws = 40000;
  const Graph graph = star(leaves, pool);
  const Adjacency adjacency(graph, Weighting::kMean, pool);
  ReceptiveField field(adjacency, {fanout});
  std::vector<double> count(leaves + 1);
  std::vector<std::vector<double>> together(leaves + 1, std::vector<double>(leaves + 1));
  const NodeId center[] = {0};
  for (int b = 0; b < draws; ++b) {
    field.build({7, 0, b}, center, pool);
    const auto nodes = field.nodes(0);
    ASSERT_EQ(nodes.size(), fanout + 1);  // distinct
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      ++count[nodes[i]];
      for (std::size_t j = 1; j < i; ++j) ++together[nodes[i]][nodes[j]];
    }
    for (const float value : field.block(1).values) ASSERT_FLOAT_EQ(value, 1.0F / fanout);
  }
  const double expected = static_cast<double>(draws) * fanout / leaves;
  double chi_square = 0;
  for (int v = 1; v <= leaves; ++v)
    chi_square += (count[v] - expected) * (count[v] - expected) / expected;
  EXPECT_LT(chi_square, 70);  // 36 degrees of freedom: 1 in 2,000
  for (int a = 1; a <= leaves; ++a)
    for (int b = 1; b < a; ++b) EXPECT_GT(together[a][b] + together[b][a], 0) << a << " " << b;
}

TEST(ReceptiveField, DrawnSumKeepsItsExpectation) {
  ThreadPool pool(1);
  const Graph graph = star(11, pool);
  const Adjacency adjacency(graph, Weighting::kSelfLoops, pool);
  ReceptiveField field(adjacency, {4});
  Matrix table(12, 1);
  for (NodeId v = 0; v < 12; ++v) table.row(v)[0] = static_cast<float>(v * v % 7);
  alignas(64) float exact[16] = {};
  adjacency.aggregate(0, table.view(), exact);
  double mean = 0;
  const int draws = 20000;
  const NodeId center[] = {0};
  for (int b = 0; b < draws; ++b) {
    field.build({1, 3, b}, center, pool);
    const Block& block = field.block(1);
    for (EdgeId e = 0; e < block.offsets[1]; ++e)
      mean += block.values[e] * table.row(field.nodes(0)[block.columns[e]])[0] / draws;
  }
  EXPECT_NEAR(mean, exact[0], 0.02);
}

TEST(ReceptiveField, LevelsNestAndBlocksMatchTheGraph) {
  ThreadPool pool(3);
  EdgeList edges;
  Rng rng(3, Domain::kTest);
  for (int e = 0; e < 900; ++e)
    edges.pairs.push_back(
        {static_cast<NodeId>(rng.below(300)), static_cast<NodeId>(rng.below(300))});
  const Graph graph = build_graph(std::move(edges), 301, {}, pool);
  const Adjacency adjacency(graph, Weighting::kSelfLoops, pool);
  ReceptiveField field(adjacency, {0, 3});
  const std::vector<NodeId> batch{5, 300, 17, 250};
  field.build({1, 0, 0}, batch, pool);
  for (int level = 0; level <= 2; ++level) {
    const auto nodes = field.nodes(level);
    ASSERT_TRUE(std::equal(batch.begin(), batch.end(), nodes.begin()));
    EXPECT_EQ(std::set<NodeId>(nodes.begin(), nodes.end()).size(), nodes.size());
    if (level < 2)
      EXPECT_TRUE(std::is_sorted(nodes.begin() + field.nodes(level + 1).size(), nodes.end()));
  }
  for (int layer = 1; layer <= 2; ++layer) {
    const Block& block = field.block(layer);
    ASSERT_EQ(block.outputs, field.nodes(layer).size());
    ASSERT_EQ(block.inputs, field.nodes(layer - 1).size());
    for (NodeId i = 0; i < block.outputs; ++i) {
      const NodeId v = field.nodes(layer)[i];
      const auto degree = static_cast<std::size_t>(graph.degree(v));
      const std::size_t drawn = layer == 1 ? degree : std::min<std::size_t>(degree, 3);
      ASSERT_EQ(block.offsets[i + 1] - block.offsets[i], drawn + 1);
      for (EdgeId e = block.offsets[i]; e < block.offsets[i + 1]; ++e) {
        const NodeId u = field.nodes(0)[block.columns[e]];
        EXPECT_TRUE(u == v || graph.has_edge(v, u));
      }
    }
  }
}

}  // namespace
}  // namespace mcns
