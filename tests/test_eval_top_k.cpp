// The best few against a full sort of everything, with ties, known edges and empty vectors.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "mcns/eval/score_kernels.h"
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

std::vector<NodeId> rows_of(NodeRange range) {
  std::vector<NodeId> out(range.size());
  std::iota(out.begin(), out.end(), range.begin);
  return out;
}

std::vector<ScoredNode> run(const TopKRequest& request, int threads = 2) {
  ThreadPool pool(threads);
  std::vector<ScoredNode> out(request.sources.size() * request.k);
  best_targets(request, pool, out);
  return out;
}

/// More sources than a block has lanes and more targets than a tile has rows.
TEST(TopK, BestTargetsOfAllSourcesAreThoseOfAFullSort) {
  for (const GraphKind kind :
       {GraphKind::kBipartite, GraphKind::kUndirected, GraphKind::kDirected}) {
    const BuildOptions repeated{.repeated = Repeated::kKeep, .self_loops = SelfLoops::kKeep};
    const Graph graph = random_graph(kind, 600, 9000, 1, repeated);
    const Matrix source = coarse_table(600, 5, 2), target = coarse_table(600, 5, 3);
    const auto sources = rows_of(graph.sources());
    for (const std::size_t k : {1, 3, 20, 1000}) {
      const auto found = run({.source = source.view(),
                              .target = target.view(),
                              .among = graph.targets(),
                              .sources = sources,
                              .known = &graph,
                              .left_out = {},
                              .k = k});
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const NodeId u = sources[i];
        std::vector<ScoredNode> all;
        for (NodeId v = graph.targets().begin; v < graph.targets().end; ++v)
          if (v != u && !graph.has_edge(u, v)) all.push_back({v, slow_dot(source, u, target, v)});
        auto expected = slow_best(all, k);
        expected.resize(k, kNoNode);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), found.begin() + i * k))
            << u << " " << k;
      }
    }
  }
}

TEST(TopK, ListsDoNotDependOnThreadsOrOnCompany) {
  Rng rng(5, Domain::kTest);
  Matrix table(900, 13);
  for (float& x : table.flat()) x = static_cast<float>(rng.uniform()) - 0.5F;
  for (NodeId v = 0; v < 900; ++v)
    for (int d = 13; d < table.stride(); ++d) table.row(v)[d] = 0;
  const auto sources = rows_of({0, 300});
  const TopKRequest request{.source = table.view(),
                            .target = table.view(),
                            .among = {0, 900},
                            .sources = sources,
                            .left_out = {},
                            .k = 7};
  const auto one = run(request, 1);
  EXPECT_EQ(run(request, 3), one);
  ThreadPool pool(1);
  for (const NodeId u : {0, 63, 64, 299}) {
    TopKRequest alone = request;
    alone.sources = std::span(sources).subspan(u, 1);
    const auto list = best_targets_of_one(alone, pool);
    EXPECT_TRUE(std::equal(list.begin(), list.end(), one.begin() + u * 7, one.begin() + u * 7 + 7));
  }
}

TEST(TopK, LeavesOutWhatItIsToldAndScoresThatAreNotNumbers) {
  Matrix table = coarse_table(10, 2, 1);
  table.row(4)[0] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<NodeId> source = {0}, left_out = {2, 9};
  ThreadPool pool(1);
  TopKRequest request{.source = table.view(),
                      .target = table.view(),
                      .among = {0, 10},
                      .sources = source,
                      .left_out = left_out,
                      .k = 100};
  std::vector<NodeId> rows;
  for (const auto& entry : best_targets_of_one(request, pool)) rows.push_back(entry.node);
  std::ranges::sort(rows);
  EXPECT_EQ(rows, (std::vector<NodeId>{1, 3, 5, 6, 7, 8}));
  request.itself = true;
  EXPECT_EQ(best_targets_of_one(request, pool).size(), 7U);
}

TEST(TopK, ASourceLinkedToAllHasNone) {
  const Graph graph = make_graph({{0, 2}, {0, 3}, {1, 2}}, 4, {GraphKind::kBipartite, 2});
  const Matrix table = coarse_table(4, 2, 1);
  const std::vector<NodeId> sources = {0, 1};
  const auto found = run({.source = table.view(),
                          .target = table.view(),
                          .among = graph.targets(),
                          .sources = sources,
                          .known = &graph,
                          .left_out = {},
                          .k = 2});
  EXPECT_EQ(found[0], kNoNode);
  EXPECT_EQ(found[2].node, 3);
  EXPECT_EQ(found[3], kNoNode);
}

TEST(TopK, EveryKernelFindsWhatIsAbove) {
  const Matrix scores = coarse_table(50, kLaneBlock, 7),
               thresholds = coarse_table(1, kLaneBlock, 8);
  for (const ScoreKernels* kernels : runnable_score_kernels()) {
    std::vector<std::uint64_t> above(50);
    kernels->above(scores.data(), 50, thresholds.data(), above.data());
    for (int i = 0; i < 50; ++i)
      for (int lane = 0; lane < kLaneBlock; ++lane)
        ASSERT_EQ((above[i] >> lane) & 1U, scores.row(i)[lane] > thresholds.row(0)[lane] ? 1U : 0U);
  }
}

TEST(TopK, UnitRowsHaveLengthOneAndZerosStay) {
  Matrix table = coarse_table(40, 6, 9);
  for (float& x : table.view()[3]) x = 0;
  const Matrix unit = unit_rows(table.view());
  for (NodeId v = 0; v < 40; ++v) {
    const float squares = slow_dot(table, v, table, v);
    EXPECT_NEAR(slow_dot(unit, v, unit, v), squares > 0 ? 1 : 0, 1e-6);
    if (squares > 0)
      EXPECT_NEAR(slow_dot(unit, v, table, v), std::sqrt(squares), 1e-5) << "the same direction";
  }
}

}  // namespace
}  // namespace mcns
