// Classification against a twin: Newton's method to the end, F1 by its definition.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"
#include "mcns/eval/classify.h"

namespace mcns {
namespace {

/// Nodes in `classes` clusters; noise 0 makes them separable.
struct LabelCase {
  NodeLabels labels;
  Matrix table;
  EmbeddingView view() const { return {table.view(), table.view()}; }
};

LabelCase make_case(int nodes, int classes, double noise, std::uint64_t seed) {
  LabelCase c{{}, Matrix(nodes, classes)};
  for (int i = 0; i < nodes; ++i) {
    Rng rng(seed, Domain::kTest, i);
    const int label = i % classes;
    c.labels.entries.push_back({i, label});
    // Every fifth node has a second label and lies between the two.
    if (i % 5 == 0) c.labels.entries.push_back({i, (label + 1) % classes});
    for (int k = 0; k < classes; ++k) c.table.row(i)[k] = static_cast<float>(noise * rng.normal());
    c.table.row(i)[label] += 8;
    if (i % 5 == 0) c.table.row(i)[(label + 1) % classes] += 8;
  }
  for (int k = 0; k < classes; ++k) c.labels.label_names.push_back(std::to_string(k));
  return c;
}

TEST(Classify, SeparableClustersAreFound) {
  const LabelCase c = make_case(300, 4, 0.1, 1);
  ThreadPool pool(2);
  const ClassifyEvaluator evaluator(c.labels);
  const Metrics metrics = evaluator.evaluate(c.view(), pool);
  ASSERT_EQ(metrics.size(), 6U);
  EXPECT_EQ(metrics[0].name, "10/micro_f1");
  EXPECT_EQ(metrics[5].name, "90/macro_f1");
  for (const Metric& metric : metrics) EXPECT_GT(metric.value, 0.98) << metric.name;
  EXPECT_EQ(evaluator.selection_metric(), "50/micro_f1");
}

// One constant coordinate: every node is given the label that most train nodes have.
TEST(Classify, F1ByHand) {
  LabelCase c{{}, Matrix(90, 1)};
  for (int i = 0; i < 90; ++i) {
    // Two thirds have label 0, one third label 1; label 2 exists but nobody has it.
    c.labels.entries.push_back({i, i % 3 == 0 ? 1 : 0});
    c.table.row(i)[0] = 1;
  }
  c.labels.label_names = {"a", "b", "c"};
  ThreadPool pool(1);
  ClassifyOptions options;
  options.train_percents = {50};
  options.repeats = 400;
  const Metrics metrics = ClassifyEvaluator(c.labels, options).evaluate(c.view(), pool);
  // Everyone is given label 0: micro 2/3; F1 of label 0 is 2 * 2/3 / (1 + 2/3) = 0.8 on average
  // over splits, of the others 0; the macro mean is over the three labels.
  EXPECT_NEAR(value_of(metrics, "50/micro_f1"), 2.0 / 3, 0.01);
  EXPECT_NEAR(value_of(metrics, "50/macro_f1"), 0.8 / 3, 0.003);
}

// Without information every decision value is negative: a label that is in no train part must be
// lower still.
TEST(Classify, LabelsAbsentFromTrainAreNeverPreferred) {
  LabelCase c{{}, Matrix(100, 1)};
  for (int i = 0; i < 100; ++i) c.labels.entries.push_back({i, 1 + i % 5});
  c.labels.label_names = {"none", "a", "b", "c", "d", "e"};
  ThreadPool pool(1);
  const Metrics metrics = ClassifyEvaluator(c.labels).evaluate(c.view(), pool);
  EXPECT_GT(value_of(metrics, "10/micro_f1"), 0.15);
}

/// Solves the symmetric positive system a x = b by elimination, in place.
std::vector<double> solve(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      const double factor = a[j][i] / a[i][i];
      for (std::size_t k = i; k < n; ++k) a[j][k] -= factor * a[i][k];
      b[j] -= factor * b[i];
    }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

/// Newton's method on |w|^2 / 2 + sum log(1 + exp(-y w.x)), to the end.
std::vector<double> slow_fit(const std::vector<std::vector<double>>& x,
                             const std::vector<double>& y) {
  const std::size_t n = x[0].size();
  std::vector<double> w(n, 0.0);
  for (int step = 0; step < 50; ++step) {
    std::vector<double> gradient = w;
    std::vector<std::vector<double>> hessian(n, std::vector<double>(n, 0.0));
    for (std::size_t k = 0; k < n; ++k) hessian[k][k] = 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
      double z = 0;
      for (std::size_t k = 0; k < n; ++k) z += w[k] * x[i][k];
      const double p = 1 / (1 + std::exp(y[i] * z));
      for (std::size_t k = 0; k < n; ++k) {
        gradient[k] -= y[i] * p * x[i][k];
        for (std::size_t l = 0; l < n; ++l) hessian[k][l] += p * (1 - p) * x[i][k] * x[i][l];
      }
    }
    const std::vector<double> move = solve(hessian, gradient);
    for (std::size_t k = 0; k < n; ++k) w[k] -= move[k];
  }
  return w;
}

struct Twin {
  double micro = 0, macro = 0;
};

/// The nodes in the order of a shuffle.
std::vector<int> shuffled(int nodes, int percent, int repeat, std::uint64_t seed) {
  std::vector<int> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  Rng rng(seed, Domain::kEvaluation, percent, repeat);
  for (int i = nodes - 1; i > 0; --i) std::swap(order[i], order[rng.below(i + 1)]);
  return order;
}

Twin slow_metrics(const LabelCase& c, int percent, int repeats, std::uint64_t seed,
                  double validation = 0) {
  const auto nodes = static_cast<int>(c.table.rows());
  const int labels = static_cast<int>(c.labels.label_names.size());
  std::vector<std::set<int>> truth(nodes);
  for (const auto& [node, label] : c.labels.entries) truth[node].insert(label);
  Twin twin;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const std::vector<int> order = shuffled(nodes, percent, repeat, seed);
    int train = nodes * percent / 100, end = nodes;
    if (validation > 0) {
      end = train;
      train -= static_cast<int>(std::lround(validation * train));
    }
    std::vector<std::vector<double>> x(nodes), weights;
    for (int i = 0; i < nodes; ++i) {
      for (const float value : c.table.view()[order[i]]) x[i].push_back(value);
      x[i].push_back(1);
    }
    for (int label = 0; label < labels; ++label) {
      std::vector<double> y;
      for (int i = 0; i < train; ++i) y.push_back(truth[order[i]].contains(label) ? 1 : -1);
      weights.push_back(slow_fit({x.begin(), x.begin() + train}, y));
    }
    std::vector<double> hit(labels), wrong(labels), missed(labels);
    for (int i = train; i < end; ++i) {
      std::vector<std::pair<double, int>> decisions;
      for (int label = 0; label < labels; ++label)
        decisions.push_back(
            {-std::inner_product(x[i].begin(), x[i].end(), weights[label].begin(), 0.0), label});
      std::sort(decisions.begin(), decisions.end());
      std::set<int> predicted;
      for (std::size_t k = 0; k < truth[order[i]].size(); ++k)
        predicted.insert(decisions[k].second);
      for (int label = 0; label < labels; ++label) {
        const bool is = truth[order[i]].contains(label), said = predicted.contains(label);
        hit[label] += is && said;
        wrong[label] += !is && said;
        missed[label] += is && !said;
      }
    }
    double hits = 0, errors = 0;
    for (int label = 0; label < labels; ++label) {
      hits += hit[label];
      errors += wrong[label] + missed[label];
      const double all = 2 * hit[label] + wrong[label] + missed[label];
      twin.macro += all == 0 ? 0 : 2 * hit[label] / all / labels / repeats;
    }
    twin.micro += 2 * hits / (2 * hits + errors) / repeats;
  }
  return twin;
}

TEST(Classify, EqualsTheTwin) {
  const LabelCase c = make_case(120, 4, 5.0, 7);
  ClassifyOptions options;
  options.tolerance = 1e-10;
  options.repeats = 3;
  options.seed = 9;
  ThreadPool pool(2);
  const Metrics metrics = ClassifyEvaluator(c.labels, options).evaluate(c.view(), pool);
  for (const int percent : {10, 50, 90}) {
    const Twin twin = slow_metrics(c, percent, 3, 9);
    EXPECT_NEAR(value_of(metrics, std::to_string(percent) + "/micro_f1"), twin.micro, 1e-12);
    EXPECT_NEAR(value_of(metrics, std::to_string(percent) + "/macro_f1"), twin.macro, 1e-12);
    EXPECT_LT(twin.micro, 0.95);
  }
}

TEST(Classify, ValidationEqualsTheTwin) {
  const LabelCase c = make_case(120, 4, 5.0, 7);
  ClassifyOptions options;
  options.tolerance = 1e-10;
  options.repeats = 3;
  options.seed = 9;
  options.validation = 0.25;
  ThreadPool pool(2);
  const ClassifyEvaluator evaluator(c.labels, options);
  const Metrics metrics = evaluator.evaluate_fully(c.view(), pool).metrics;
  for (const int percent : {10, 50, 90}) {
    const Twin twin = slow_metrics(c, percent, 3, 9, 0.25);
    EXPECT_NEAR(value_of(metrics, std::to_string(percent) + "/micro_f1"), twin.micro, 1e-12);
    EXPECT_NEAR(value_of(metrics, std::to_string(percent) + "/macro_f1"), twin.macro, 1e-12);
    EXPECT_LT(twin.micro, 1);
  }
  // While training, only what chooses.
  const Metrics chosen_by = evaluator.evaluate(c.view(), pool);
  ASSERT_EQ(chosen_by.size(), 2U);
  EXPECT_EQ(value_of(chosen_by, evaluator.selection_metric()), value_of(metrics, "50/micro_f1"));
}

TEST(Classify, ValidationDoesNotLookAtTestNodes) {
  LabelCase c = make_case(200, 4, 5.0, 3);
  ClassifyOptions options;
  options.train_percents = {50};
  options.repeats = 1;
  options.validation = 0.2;
  ThreadPool pool(1);
  const auto figures = [&] {
    return ClassifyEvaluator(c.labels, options).evaluate(c.view(), pool);
  };
  const Metrics before = figures();
  const std::vector<int> order = shuffled(200, 50, 0, options.seed);
  const std::set<int> test(order.begin() + 100, order.end());
  for (auto& [node, label] : c.labels.entries)
    if (test.contains(node)) label = (label + 2) % 4;
  for (const int node : test)
    for (float& x : c.table.view()[node]) x = -3 * x + 1;
  EXPECT_EQ(figures(), before);
  for (auto& [node, label] : c.labels.entries)
    if (node == order[99]) label = (label + 2) % 4;
  EXPECT_NE(figures(), before);
}

TEST(Classify, SameBitsForAnyNumberOfThreadsAndOrderOfLabels) {
  LabelCase c = make_case(200, 5, 6.0, 4);
  const ClassifyEvaluator evaluator(c.labels);
  ThreadPool one(1);
  const Metrics expected = evaluator.evaluate(c.view(), one);
  EXPECT_LT(value_of(expected, "10/micro_f1"), value_of(expected, "90/micro_f1"));
  EXPECT_LT(value_of(expected, "90/micro_f1"), 0.95);
  for (const int threads : {2, 3, 7}) {
    ThreadPool pool(threads);
    EXPECT_EQ(evaluator.evaluate(c.view(), pool), expected);
  }
  std::reverse(c.labels.entries.begin(), c.labels.entries.end());
  c.labels.entries.push_back(c.labels.entries.front());
  EXPECT_EQ(ClassifyEvaluator(c.labels).evaluate(c.view(), one), expected);
  ClassifyOptions other;
  other.seed = 2;
  EXPECT_NE(ClassifyEvaluator(c.labels, other).evaluate(c.view(), one), expected);
}

TEST(Classify, NormalizeForgetsTheLength) {
  LabelCase c = make_case(200, 5, 6.0, 5);
  ClassifyOptions options;
  options.normalize = true;
  options.repeats = 2;
  ThreadPool pool(1);
  const ClassifyEvaluator evaluator(c.labels, options);
  const Metrics expected = evaluator.evaluate(c.view(), pool);
  for (int i = 0; i < 200; ++i)
    for (float& x : c.table.view()[i]) x *= i % 2 == 0 ? 4.0F : 0.5F;
  EXPECT_EQ(evaluator.evaluate(c.view(), pool), expected);
}

TEST(Classify, RefusesWhatDoesNotFit) {
  LabelCase c = make_case(20, 3, 1.0, 6);
  ThreadPool pool(1);
  EXPECT_THROW(ClassifyEvaluator(NodeLabels{}), Error);
  for (const std::vector<int>& percents : {std::vector<int>{}, {0}, {100}, {50, 50}}) {
    ClassifyOptions options;
    options.train_percents = percents;
    EXPECT_THROW(ClassifyEvaluator(c.labels, options), Error);
  }
  ClassifyOptions options;
  options.validation = 1;
  EXPECT_THROW(ClassifyEvaluator(c.labels, options), Error);
  options.validation = 0.2;
  EXPECT_NO_THROW(ClassifyEvaluator(c.labels, options));
  EXPECT_THROW(ClassifyEvaluator(make_case(19, 3, 1.0, 6).labels, options), Error);
  const ClassifyEvaluator evaluator(c.labels);
  const Matrix small(10, 3);
  EXPECT_THROW(evaluator.evaluate({small.view(), small.view()}, pool), Error);
  c.table.row(7)[1] = std::numeric_limits<float>::infinity();
  EXPECT_THROW(evaluator.evaluate(c.view(), pool), Error);
}

}  // namespace
}  // namespace mcns
