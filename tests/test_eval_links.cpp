// Link prediction against the definitions: all true-false pairs, all thresholds.
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"
#include "mcns/eval/links.h"

#include "tests/graph_support.h"

namespace mcns {
namespace {

struct LinkCase {
  Graph graph;
  HeldOut held_out;
  Matrix source, target;
  EmbeddingView view() const { return {source.view(), target.view()}; }
};

LinkCase make_case(NodeId nodes, int pairs, int levels, GraphKind kind, std::uint64_t seed) {
  ThreadPool pool(1);
  Rng rng(seed, Domain::kTest);
  LinkCase c{{}, {}, Matrix(nodes, 5), Matrix(nodes, 5)};
  EdgeList edges;
  for (int i = 0; i < nodes; ++i)  // some nodes stay without an edge
    edges.pairs.push_back({static_cast<NodeId>(rng.below(nodes * 2 / 3)),
                           static_cast<NodeId>(rng.below(nodes * 3 / 4))});
  c.graph = build_graph(edges, nodes, {kind}, pool);
  for (int i = 0; i < pairs; ++i) {
    c.held_out.pairs.push_back(
        {static_cast<NodeId>(rng.below(nodes)), static_cast<NodeId>(rng.below(nodes))});
    c.held_out.labels.push_back(rng.below(3) == 0 ? 1 : 0);
  }
  for (Matrix* table : {&c.source, &c.target})
    for (std::int64_t v = 0; v < nodes; ++v)
      for (float& x : table->view()[v])
        x = static_cast<float>(rng.below(levels)) - static_cast<float>(levels / 2);
  return c;
}

bool has_training_edge(const Graph& graph, NodeId v) {
  for (NodeId u = 0; u < graph.num_nodes(); ++u)
    if (graph.has_edge(u, v) || graph.has_edge(v, u)) return true;
  return false;
}

void expect_equals_twin(const LinkCase& c) {
  std::vector<double> scores;
  std::vector<bool> warm;
  for (const auto& [u, v] : c.held_out.pairs) {
    warm.push_back(has_training_edge(c.graph, u) && has_training_edge(c.graph, v));
    double score = 0;
    for (int k = 0; warm.back() && k < 5; ++k)
      score += static_cast<double>(c.source.row(u)[k]) * c.target.row(v)[k];
    scores.push_back(score);
  }
  const auto& labels = c.held_out.labels;
  const auto slow_auc = [&](bool warm_only) {
    double wins = 0, all = 0;
    for (std::size_t i = 0; i < scores.size(); ++i)
      for (std::size_t j = 0; j < scores.size(); ++j) {
        if (!labels[i] || labels[j] || (warm_only && !(warm[i] && warm[j]))) continue;
        ++all;
        wins += scores[i] > scores[j] ? 1.0 : scores[i] == scores[j] ? 0.5 : 0.0;
      }
    return wins / all;
  };
  double ap = 0, recall_before = 0;
  const std::set<double, std::greater<>> thresholds(scores.begin(), scores.end());
  const double edges = std::count(labels.begin(), labels.end(), 1);
  for (const double threshold : thresholds) {
    double found = 0, taken = 0;
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (scores[i] >= threshold) found += labels[i], ++taken;
    ap += (found / edges - recall_before) * found / taken;
    recall_before = found / edges;
  }
  ThreadPool pool(2);
  const Metrics metrics = LinkEvaluator(c.graph, c.held_out).evaluate(c.view(), pool);
  EXPECT_NEAR(value_of(metrics, "auc"), slow_auc(false), 1e-12);
  EXPECT_NEAR(value_of(metrics, "auc_warm"), slow_auc(true), 1e-12);
  EXPECT_NEAR(value_of(metrics, "ap"), ap, 1e-12);
  EXPECT_NE(value_of(metrics, "auc"), value_of(metrics, "auc_warm"));
}

TEST(Links, EqualsTheTwin) {
  expect_equals_twin(make_case(40, 300, 2, GraphKind::kUndirected, 1));
  expect_equals_twin(make_case(40, 300, 1000, GraphKind::kUndirected, 2));
  expect_equals_twin(make_case(60, 300, 5, GraphKind::kDirected, 3));
}

TEST(Links, ByHand) {
  ThreadPool pool(1);
  LinkCase c;
  c.graph = build_graph({{{0, 1}, {1, 2}, {2, 3}}, {}}, 5, {GraphKind::kUndirected}, pool);
  c.source = c.target = Matrix(5, 1);
  for (int v = 0; v < 5; ++v) c.source.row(v)[0] = c.target.row(v)[0] = static_cast<float>(v);
  // Scores 6, 3, 3 and 0 for the pair with node 4, which has no edge.
  c.held_out = {{{2, 3}, {1, 3}, {3, 1}, {3, 4}}, {1, 1, 0, 0}};
  const Metrics metrics = LinkEvaluator(c.graph, c.held_out).evaluate(c.view(), pool);
  EXPECT_DOUBLE_EQ(value_of(metrics, "auc"), 3.5 / 4);
  EXPECT_DOUBLE_EQ(value_of(metrics, "ap"), 0.5 * 1 + 0.5 * 2 / 3);
  EXPECT_DOUBLE_EQ(value_of(metrics, "auc_warm"), 1.5 / 2);
}

TEST(Links, SameBitsForAnyNumberOfThreads) {
  LinkCase c = make_case(500, 20000, 9, GraphKind::kUndirected, 4);
  for (std::int64_t v = 0; v < 500; ++v)
    for (float& x : c.source.view()[v]) x = std::sin(x + static_cast<float>(v));
  const LinkEvaluator evaluator(c.graph, c.held_out);
  ThreadPool one(1);
  const Metrics expected = evaluator.evaluate(c.view(), one);
  for (const int threads : {2, 3, 7}) {
    ThreadPool pool(threads);
    EXPECT_EQ(evaluator.evaluate(c.view(), pool), expected);
  }
}

/// Against the spread of the AUC over 2,000 samples of exponential scores, for which Hanley and
/// McNeil's formula is exact. The spread of a standard deviation from 2,000 is 1.6 %.
TEST(Links, StandardErrorIsTheSpreadOverSamples) {
  constexpr int kEdges = 40, kOthers = 60, kSamples = 2000;
  HeldOut held_out;
  for (int i = 0; i < kEdges + kOthers; ++i) {
    held_out.pairs.push_back({0, 1});
    held_out.labels.push_back(i < kEdges ? 1 : 0);
  }
  const LinkEvaluator evaluator(make_graph({{0, 1}}, 2), held_out);
  for (const double rate : {1.0, 4.0, 20.0}) {  // the AUC is rate / (1 + rate)
    Rng rng(7, Domain::kTest);
    double sum = 0, squares = 0;
    for (int sample = 0; sample < kSamples; ++sample) {
      std::vector<double> edges(kEdges), others(kOthers);
      for (double& x : edges) x = -rate * std::log(1 - rng.uniform());
      for (double& x : others) x = -std::log(1 - rng.uniform());
      double wins = 0;
      for (const double a : edges)
        for (const double b : others) wins += a > b;
      const double auc = wins / (kEdges * kOthers);
      sum += auc;
      squares += auc * auc;
    }
    const double mean = sum / kSamples, spread = std::sqrt(squares / kSamples - mean * mean);
    EXPECT_NEAR(evaluator.standard_error(rate / (1 + rate)) / spread, 1, 0.08) << rate;
  }
  EXPECT_GT(evaluator.standard_error(1), 0) << "a perfect sample is no proof";
}

TEST(Links, LeavesOutAnUndefinedWarmFigure) {
  LinkCase c = make_case(20, 50, 4, GraphKind::kUndirected, 5);
  ThreadPool pool(1);
  c.graph = build_graph({}, 20, {GraphKind::kUndirected}, pool);
  const Metrics metrics = LinkEvaluator(c.graph, c.held_out).evaluate(c.view(), pool);
  EXPECT_EQ(metrics.size(), 2U);
  EXPECT_DOUBLE_EQ(value_of(metrics, "auc"), 0.5);
}

TEST(Links, RefusesWhatDoesNotFit) {
  LinkCase c = make_case(20, 50, 4, GraphKind::kUndirected, 6);
  ThreadPool pool(1);
  EXPECT_THROW(LinkEvaluator(c.graph, {{{0, 1}}, {1}}), Error);
  EXPECT_THROW(LinkEvaluator(c.graph, {{{0, 1}, {1, 20}}, {1, 0}}), Error);
  EXPECT_THROW(LinkEvaluator(c.graph, {{{0, 1}, {1, 2}}, {1}}), Error);
  for (float& x : c.source.flat()) x = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(LinkEvaluator(c.graph, c.held_out).evaluate(c.view(), pool), Error);
}

}  // namespace
}  // namespace mcns
