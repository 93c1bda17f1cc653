// Ranking against a twin that sorts nothing cleverly: every pair, every item, by definition.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"
#include "mcns/eval/ranking.h"
#include "mcns/eval/score_kernels.h"

namespace mcns {
namespace {

struct Case {
  Graph graph;
  std::vector<Pair> ranked, known;
  Matrix source, target;
  EmbeddingView view() const { return {source.view(), target.view()}; }
};

/// Coordinates are multiples of 1 / scale, so that products are exact in any order of summation;
/// scale 1 makes many ties.
Matrix grid_matrix(std::int64_t rows, int dim, int scale, std::uint64_t seed) {
  Matrix matrix(rows, dim);
  for (std::int64_t i = 0; i < rows; ++i) {
    Rng rng(seed, Domain::kTest, i);
    for (int k = 0; k < dim; ++k)
      matrix.row(i)[k] = (static_cast<float>(rng.below(2 * scale + 1)) - scale) / scale;
  }
  return matrix;
}

std::vector<Pair> random_pairs(NodeId users, NodeId items, int count, std::uint64_t seed) {
  Rng rng(seed, Domain::kTest, 99);
  std::vector<Pair> pairs;
  for (int i = 0; i < count; ++i)
    pairs.push_back(
        {static_cast<NodeId>(rng.below(users)), users + static_cast<NodeId>(rng.below(items))});
  return pairs;
}

Case make_case(NodeId users, NodeId items, int dim, int scale, std::uint64_t seed) {
  ThreadPool pool(1);
  Case c;
  EdgeList edges{random_pairs(users, items, 4 * users, seed), {}};
  c.graph = build_graph(edges, users + items, {GraphKind::kBipartite, users}, pool);
  // Half of the users only, so that some have no pair to rank; repeats and leaks may occur.
  c.ranked = random_pairs((users + 1) / 2, 1, 2 * users, seed + 1);
  Rng rng(seed, Domain::kTest, 5);
  for (Pair& pair : c.ranked) pair.target = users + static_cast<NodeId>(rng.below(items));
  c.known = random_pairs(users, items, users, seed + 2);
  c.source = grid_matrix(users + items, dim, scale, seed + 3);
  c.target = grid_matrix(users + items, dim, scale, seed + 4);
  return c;
}

double dot(const Matrix& a, NodeId u, const Matrix& b, NodeId v) {
  double sum = 0;
  for (int k = 0; k < a.dim(); ++k) sum += static_cast<double>(a.row(u)[k]) * b.row(v)[k];
  return sum;
}

struct Twin {
  double mrr = 0, hits5 = 0, hits10 = 0, hits30 = 0, ndcg = 0, recall = 0, ties = 0;
};

double half_tie_rank(const Case& c, NodeId user, NodeId target, const std::set<NodeId>& rivals) {
  const double own = dot(c.source, user, c.target, target);
  double rank = 1;
  for (const NodeId v : rivals) {
    if (v == target) continue;
    const double other = dot(c.source, user, c.target, v);
    rank += other > own ? 1.0 : other == own ? 0.5 : 0.0;
  }
  return rank;
}

Twin slow_metrics(const Case& c) {
  const std::set<Pair> ranked(c.ranked.begin(), c.ranked.end());
  const std::set<Pair> known(c.known.begin(), c.known.end());
  Twin twin;
  std::set<NodeId> users;
  for (const Pair& pair : ranked) users.insert(pair.source);
  for (const NodeId user : users) {
    std::set<NodeId> unconnected, held_out, all;
    for (NodeId v = c.graph.targets().begin; v < c.graph.targets().end; ++v) {
      if (ranked.contains({user, v})) held_out.insert(v);
      if (v != user && !ranked.contains({user, v}) && !known.contains({user, v}) &&
          !c.graph.has_edge(user, v))
        unconnected.insert(v);
    }
    all = unconnected;
    all.insert(held_out.begin(), held_out.end());
    double gain = 0, ideal = 0, hits = 0;
    int place = 0;
    for (const NodeId target : held_out) {
      const double rank = half_tie_rank(c, user, target, unconnected);
      twin.mrr += 1 / rank;
      twin.hits5 += rank <= 5;
      twin.hits10 += rank <= 10;
      twin.hits30 += rank <= 30;
      const double own = dot(c.source, user, c.target, target);
      twin.ties += std::ranges::any_of(
          unconnected, [&](NodeId v) { return dot(c.source, user, c.target, v) == own; });
      const double user_rank = half_tie_rank(c, user, target, all);
      if (user_rank <= 10) gain += 1 / std::log2(1 + user_rank);
      hits += user_rank <= 20;
      if (++place <= 10) ideal += 1 / std::log2(1 + place);
    }
    twin.ndcg += std::min(1.0, gain / ideal);
    twin.recall += hits / held_out.size();
  }
  for (double* x : {&twin.mrr, &twin.hits5, &twin.hits10, &twin.hits30, &twin.ties})
    *x /= ranked.size();
  twin.ndcg /= users.size();
  twin.recall /= users.size();
  return twin;
}

void expect_equals_twin(const Case& c) {
  ThreadPool pool(2);
  const Metrics metrics = RankingEvaluator(c.graph, c.ranked, c.known).evaluate(c.view(), pool);
  const Twin twin = slow_metrics(c);
  EXPECT_NEAR(value_of(metrics, "mrr"), twin.mrr, 1e-12);
  EXPECT_NEAR(value_of(metrics, "hits@5"), twin.hits5, 1e-12);
  EXPECT_NEAR(value_of(metrics, "hits@10"), twin.hits10, 1e-12);
  EXPECT_NEAR(value_of(metrics, "hits@30"), twin.hits30, 1e-12);
  EXPECT_NEAR(value_of(metrics, "ndcg@10"), twin.ndcg, 1e-12);
  EXPECT_NEAR(value_of(metrics, "recall@20"), twin.recall, 1e-12);
  EXPECT_NEAR(value_of(metrics, "tie_rate"), twin.ties, 1e-12);
  for (const Metric& metric : metrics) {
    EXPECT_GE(metric.value, 0) << metric.name;
    EXPECT_LE(metric.value, 1) << metric.name;
  }
}

TEST(Ranking, EqualsTheTwinWithManyTies) {
  for (const int dim : {1, 3, 16, 33}) expect_equals_twin(make_case(70, 50, dim, 1, dim));
}

TEST(Ranking, EqualsTheTwinOverSeveralTilesAndBlocks) {
  expect_equals_twin(make_case(300, 650, 20, 64, 7));
  expect_equals_twin(make_case(3, 192, 5, 8, 8));
  expect_equals_twin(make_case(2, 1, 2, 2, 9));
}

TEST(Ranking, EqualsTheTwinOnGraphsWithoutUsers) {
  ThreadPool pool(1);
  Case c = make_case(40, 40, 6, 2, 11);
  c.graph = build_graph({random_pairs(40, 40, 200, 3), {}}, 80, {GraphKind::kUndirected}, pool);
  for (Pair& pair : c.ranked) pair.target -= 40 * (pair.target % 2);
  std::erase_if(c.ranked, [](const Pair& pair) { return pair.source == pair.target; });
  expect_equals_twin(c);
}

TEST(Ranking, RanksByHand) {
  ThreadPool pool(1);
  // One user; items 1..6 with scores 5 4 3 3 2 1; train has the item of score 5.
  Case c;
  c.graph = build_graph({{{0, 1}}, {}}, 7, {GraphKind::kBipartite, 1}, pool);
  c.source = Matrix(7, 1);
  c.target = Matrix(7, 1);
  c.source.row(0)[0] = 1;
  const float scores[] = {0, 5, 4, 3, 3, 2, 1};
  for (int v = 0; v < 7; ++v) c.target.row(v)[0] = scores[v];
  const std::vector<Pair> ranked = {{0, 3}, {0, 5}};
  const auto ranks = RankingEvaluator(c.graph, ranked, {}).ranks(c.view(), pool);
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(ranks[0].rank(), 2.5);  // below 4, tied with the other 3
  EXPECT_EQ(ranks[1].rank(), 3.0);  // below 4 and 3: the ranked 3 is no rival
  EXPECT_EQ(ranks[0].rank_among_rivals(), 2.5);
  EXPECT_EQ(ranks[1].rank_among_rivals(), 4.0);
  const std::vector<Pair> known = {{0, 2}};
  const auto masked = RankingEvaluator(c.graph, ranked, known).ranks(c.view(), pool);
  EXPECT_EQ(masked[0].rank(), 1.5);
  EXPECT_EQ(masked[1].rank(), 2.0);
}

TEST(Ranking, ErrorOfMrrIsThatOfTheMeanOfReciprocalRanks) {
  const Case c = make_case(40, 60, 8, 4, 11);
  ThreadPool pool(2);
  const RankingEvaluator evaluator(c.graph, c.ranked, c.known);
  double sum = 0, squares = 0, n = 0;
  for (const PairRank& r : evaluator.ranks(c.view(), pool)) {
    sum += 1 / r.rank();
    squares += 1 / (r.rank() * r.rank());
    ++n;
  }
  const double variance = (squares - sum * sum / n) / (n - 1);
  const Evaluation found = evaluator.evaluate_fully(c.view(), pool);
  EXPECT_NEAR(found.selection_error, std::sqrt(variance / n), 1e-12);
  EXPECT_GT(found.selection_error, 0.001);
  const std::vector<Pair> one = {c.ranked[0]};
  EXPECT_EQ(RankingEvaluator(c.graph, one, {}).evaluate_fully(c.view(), pool).selection_error, 0);
}

TEST(Ranking, ZeroVectorsTieWithEachOther) {
  Case c = make_case(10, 30, 8, 4, 21);
  c.source = Matrix(40, 8);
  ThreadPool pool(1);
  const RankingEvaluator evaluator(c.graph, c.ranked, c.known);
  EXPECT_EQ(value_of(evaluator.evaluate(c.view(), pool), "tie_rate"), 1.0);
  expect_equals_twin(c);
}

TEST(Ranking, NotANumberRanksLast) {
  Case c = make_case(10, 30, 8, 4, 22);
  c.source.row(c.ranked[0].source)[0] = std::numeric_limits<float>::quiet_NaN();
  ThreadPool pool(1);
  for (const PairRank& rank : RankingEvaluator(c.graph, c.ranked, c.known).ranks(c.view(), pool))
    if (rank.pair.source == c.ranked[0].source) {
      EXPECT_GT(rank.higher, 10);
      EXPECT_EQ(rank.ties, 0);
      EXPECT_GE(rank.rivals_higher, 0);
    }
}

TEST(Ranking, SameBitsForAnyNumberOfThreads) {
  Case c = make_case(400, 700, 24, 1, 31);
  for (Matrix* table : {&c.source, &c.target})
    for (std::int64_t i = 0; i < table->rows(); ++i)
      for (float& x : table->view()[i]) x = std::sin(37.0F * x + static_cast<float>(i % 50));
  for (const std::int64_t candidates : {0, 20}) {
    const RankingEvaluator evaluator(c.graph, c.ranked, c.known, {candidates, 5});
    ThreadPool one(1);
    const Metrics expected = evaluator.evaluate(c.view(), one);
    for (const int threads : {2, 3, 7}) {
      ThreadPool pool(threads);
      EXPECT_EQ(evaluator.evaluate(c.view(), pool), expected) << threads;
    }
  }
}

TEST(Ranking, SampledCandidatesAreUnconnectedAndDistinct) {
  const Case c = make_case(60, 90, 4, 1, 41);
  ThreadPool pool(1);
  const auto all = RankingEvaluator(c.graph, c.ranked, c.known).ranks(c.view(), pool);
  // As many candidates as there are items: everything unconnected is drawn, once.
  const auto every = RankingEvaluator(c.graph, c.ranked, c.known, {90, 1}).ranks(c.view(), pool);
  double expected = 0, drawn = 0, other = 0;
  const auto some = RankingEvaluator(c.graph, c.ranked, c.known, {30, 1}).ranks(c.view(), pool);
  const auto seed2 = RankingEvaluator(c.graph, c.ranked, c.known, {30, 2}).ranks(c.view(), pool);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(every[i].higher, all[i].higher);
    EXPECT_EQ(every[i].ties, all[i].ties);
    EXPECT_LE(some[i].higher, all[i].higher);
    EXPECT_LE(some[i].higher + some[i].ties, 30);
    drawn += static_cast<double>(some[i].higher);
    other += static_cast<double>(seed2[i].higher);
    expected += static_cast<double>(all[i].higher) * 30 / 83;  // about 83 unconnected items
  }
  EXPECT_NEAR(drawn / expected, 1.0, 0.1);
  EXPECT_NE(drawn, other);
}

TEST(Ranking, OrderAndRepeatsOfPairsDoNotMatter) {
  Case c = make_case(30, 40, 8, 1, 51);
  ThreadPool pool(1);
  const Metrics expected = RankingEvaluator(c.graph, c.ranked, c.known).evaluate(c.view(), pool);
  std::ranges::reverse(c.ranked);
  c.ranked.push_back(c.ranked.front());
  EXPECT_EQ(RankingEvaluator(c.graph, c.ranked, c.known).evaluate(c.view(), pool), expected);
}

TEST(Ranking, RefusesWhatDoesNotFit) {
  const Case c = make_case(10, 10, 4, 1, 61);
  ThreadPool pool(1);
  EXPECT_THROW(RankingEvaluator(c.graph, {}, {}), Error);
  const std::vector<Pair> reversed = {{12, 3}};
  EXPECT_THROW(RankingEvaluator(c.graph, reversed, {}), Error);
  EXPECT_THROW(RankingEvaluator(c.graph, c.ranked, {}, {-1, 1}), Error);
  const RankingEvaluator evaluator(c.graph, c.ranked, {});
  const Matrix small(5, 4);
  EXPECT_THROW(evaluator.evaluate({small.view(), small.view()}, pool), Error);
  EXPECT_THROW(value_of(evaluator.evaluate(c.view(), pool), "map"), Error);
}

// The same bits wherever an item lies: in a full tile, at its end, or in a list.
TEST(ScoreKernels, ScoreDoesNotDependOnPosition) {
  for (const ScoreKernels* kernels : runnable_score_kernels())
    for (const int dim : {1, 7, 64, 129}) {
      const int count = 31;
      Matrix users(dim, kLaneBlock), out(count, kLaneBlock), items(count, dim), user(1, dim);
      Rng rng(1, Domain::kTest, dim);
      for (int k = 0; k < dim; ++k) {
        user.row(0)[k] = rng.uniformf() - 0.5F;
        const float x = rng.uniformf() - 0.5F;
        for (int i = 0; i < count; ++i) items.row(i)[k] = x;
        for (int l = 0; l < kLaneBlock; ++l) users.row(k)[l] = user.row(0)[k];
      }
      kernels->tile(users.data(), items.data(), items.stride(), count, dim, out.data());
      std::vector<const float*> rows;
      for (int i = 0; i < count; ++i) rows.push_back(items.row(i));
      std::vector<float> list(count);
      kernels->scores(user.row(0), rows.data(), count, dim, list.data());
      for (int i = 0; i < count; ++i) {
        EXPECT_EQ(list[i], list[0]);
        for (int l = 0; l < kLaneBlock; ++l) ASSERT_EQ(out.row(i)[l], list[0]) << dim << ' ' << i;
      }
      EXPECT_NEAR(list[0], dot(user, 0, items, 0), 1e-5);
    }
}

TEST(ScoreKernels, CountsWhatIsBelow) {
  for (const ScoreKernels* kernels : runnable_score_kernels()) {
    const int count = 37;
    const Matrix scores = grid_matrix(count, kLaneBlock, 2, 3);
    const Matrix thresholds = grid_matrix(1, kLaneGroup, 2, 4);
    alignas(64) std::int32_t at_most[kLaneGroup] = {}, below[kLaneGroup] = {};
    for (int l = 0; l < kLaneGroup; ++l) at_most[l] = 100 + l;
    kernels->count(scores.data() + kLaneGroup, count, thresholds.data(), at_most, below);
    for (int l = 0; l < kLaneGroup; ++l) {
      int low = 100 + l, lower = 0;
      for (int i = 0; i < count; ++i) {
        low += scores.row(i)[kLaneGroup + l] <= thresholds.data()[l];
        lower += scores.row(i)[kLaneGroup + l] < thresholds.data()[l];
      }
      EXPECT_EQ(at_most[l], low);
      EXPECT_EQ(below[l], lower);
    }
  }
}

}  // namespace
}  // namespace mcns
