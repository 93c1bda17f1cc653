// The theorems on small settings, and the command as it ships.
#include <cmath>

#include "mcns/report/theory_page.h"
#include "mcns/theory/departure.h"
#include "mcns/theory/hinge.h"
#include "mcns/theory/regression.h"
#include "mcns/theory/theorems.h"

#include "tests/graph_support.h"
#include "tests/run_binary.h"

namespace mcns {
namespace {

TEST(Theory, KnownGraphIsPositiveEverywhere) {
  ThreadPool pool(1);
  const Graph graph = make_known_graph(8, 1, pool);
  ASSERT_EQ(graph.num_arcs(), 64);
  for (const float weight : graph.arrays().weights) EXPECT_GT(weight, 0);
}

TEST(Theory, VarianceFollowsTheoremTwo) {
  ThreadPool pool(2);
  SimulationOptions options;
  options.replicates = 4000;
  options.samples = 4000;
  const std::vector<double> p_d = {0.5, 0.3, 0.2}, p_n = {0.2, 0.2, 0.6};
  const Simulation done = simulate_optimum(p_d, p_n, options, 1, pool);
  for (std::size_t u = 0; u < p_d.size(); ++u) {
    EXPECT_NEAR(done.optimum[u], std::log(p_d[u] / (2 * p_n[u])), 1e-12);
    EXPECT_NEAR(done.variance[u] / done.predicted[u], 1, 0.1) << u;
  }
}

TEST(Theory, CovarianceFollowsTheoremTwo) {
  ThreadPool pool(2);
  SimulationOptions options;
  options.replicates = 20000;
  options.samples = 4000;
  const std::vector<double> p_d = {0.5, 0.3, 0.2}, p_n = {0.2, 0.2, 0.6};
  const Simulation done = simulate_optimum(p_d, p_n, options, 1, pool);
  EXPECT_DOUBLE_EQ(done.predicted_covariance, -1.5 / 4000);
  for (std::size_t u = 0; u < 3; ++u)
    for (std::size_t w = 0; w < u; ++w) {
      EXPECT_NEAR(done.covariance[3 * u + w] / done.predicted_covariance, 1, 0.15) << u << w;
      EXPECT_EQ(done.covariance[3 * u + w], done.covariance[3 * w + u]);
    }
}

/// The least loss over all levels from 0 to 4 of four contexts.
double least_loss(const std::vector<double>& weights) {
  double least = 1e9;
  for (int code = 0; code < 5 * 5 * 5 * 5; ++code) {
    const std::vector<int> levels = {code % 5, code / 5 % 5, code / 25 % 5, code / 125};
    least = std::min(least, hinge_loss(weights, levels));
  }
  return least;
}

TEST(Theory, HingeLevelsAreTheOptimum) {
  Rng rng(7, Domain::kTest);
  int levels_seen = 0;
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> p_d(4), p_n(4), weights;
    for (double& p : p_d) p = std::exp(3 * rng.uniform());
    for (double& p : p_n) p = std::exp(3 * rng.uniform());
    for (const double positive : p_d)
      for (const double negative : p_n) weights.push_back(positive * negative);
    const std::vector<int> levels = hinge_levels(weights, 4);
    EXPECT_NEAR(hinge_loss(weights, levels), least_loss(weights), 1e-9) << trial;
    levels_seen = std::max(levels_seen, std::ranges::max(levels));
    // No other scores, between levels, are better.
    for (int other = 0; other < 20; ++other) {
      std::vector<double> theta(4);
      for (double& t : theta) t = 3 * rng.uniform();
      double loss = 0;
      for (int u = 0; u < 4; ++u)
        for (int x = 0; x < 4; ++x)
          loss += weights[4 * u + x] * std::max(0.0, 1 + theta[x] - theta[u]);
      EXPECT_GE(loss, hinge_loss(weights, levels) - 1e-9);
    }
  }
  EXPECT_GE(levels_seen, 2);
}

TEST(Theory, HingeFollowsTheOrderButNotTheLogarithm) {
  ThreadPool pool(2);
  const HingeTheory hinge = check_hinge(12, 2, 2000, 20, 1, pool);
  ASSERT_EQ(hinge.cases.size(), 3U);
  for (const HingeCase& one : hinge.cases) {
    EXPECT_NEAR(one.ordered + one.tied, 1, 1e-9) << one.distribution.name;
    EXPECT_LT(one.distinct, 12);
    EXPECT_LT(one.r, 0.999);
    EXPECT_EQ(one.spread.size(), 12U);
  }
}

TEST(Theory, SimulationDoesNotDependOnThreads) {
  SimulationOptions options;
  options.replicates = 100;
  options.samples = 1000;
  ThreadPool one(1), three(3);
  const std::vector<double> p_d = {0.5, 0.3, 0.2};
  EXPECT_EQ(simulate_optimum(p_d, p_d, options, 1, one).variance,
            simulate_optimum(p_d, p_d, options, 1, three).variance);
}

TEST(Theory, ScoresFollowTheoremOneWithEnoughDimensionsOnly) {
  ThreadPool pool(2);
  const Graph graph = make_known_graph(12, 1, pool);
  Theorem1Options options;
  options.nodes = 12;
  options.dim = 12;
  options.epochs = 4000;
  const auto full = check_theorem1(graph, "rns", options, 1, pool);
  EXPECT_NEAR(full.slope, 1, 0.1);
  EXPECT_GT(full.r, 0.95);
  options.dim = 1;
  EXPECT_FALSE(check_theorem1(graph, "rns", options, 1, pool).holds);
}

TEST(Theory, RegressionOfAKnownLine) {
  const std::vector<double> x = {1, 2, 3, 5}, y = {1, 3, 5, 9};
  const Regression line = regress(x, y);
  EXPECT_NEAR(line.slope, 2, 1e-12);
  EXPECT_NEAR(line.intercept, -1, 1e-12);
  EXPECT_NEAR(line.r, 1, 1e-12);
}

/// Items whose popularity falls like 1 / i, and vectors of zeros: every logistic loss is log 2.
FrozenModel skewed_model(const std::string& sampler) {
  constexpr NodeId kUsers = 60, kItems = 80;
  Rng rng(3, Domain::kTest);
  std::vector<Pair> pairs;
  for (NodeId u = 0; u < kUsers; ++u)
    for (int i = 0; i < 30; ++i)
      pairs.push_back({u, kUsers + static_cast<NodeId>(std::pow(kItems, rng.uniform())) - 1});
  FrozenModel out;
  out.loaded.graph =
      make_graph(pairs, kUsers + kItems, {.kind = GraphKind::kBipartite, .users = kUsers});
  out.loaded.embeddings = Matrix(kUsers + kItems, 4);
  out.sampler = sampler;
  out.filter = Filter::kNone;
  return out;
}

TEST(Departure, FindsThePowerThatTheSamplerHas) {
  ThreadPool pool(2);
  for (const double power : {0.0, 0.5, 1.0}) {
    const FrozenModel model = skewed_model(fmt::format("degree:power={}", power));
    const Departure found = measure_departure(model, {}, 1, pool);
    EXPECT_EQ(found.sources, 60);
    EXPECT_NEAR(found.alpha, power, 0.05);
    double p_d = 0, p_n = 0;
    NodeId targets = 0;
    for (const auto& band : found.bands) {
      p_d += band.p_d, p_n += band.p_n, targets += band.targets;
      if (band.ratio > 0) EXPECT_NEAR(band.ratio, 1, 0.1) << band.low;
      if (band.positives > 0) EXPECT_NEAR(band.positive_risk, std::log(2), 1e-6);
      if (band.negatives > 0) EXPECT_NEAR(band.negative_risk, std::log(2), 1e-6);
    }
    EXPECT_NEAR(p_d, 1, 1e-9);
    EXPECT_NEAR(p_n, 1, 1e-9);
    EXPECT_EQ(targets, 80);
  }
}

TEST(Departure, DoesNotDependOnThreads) {
  const FrozenModel model = skewed_model("mcns");
  DepartureOptions options;
  options.sources = 20;
  ThreadPool one(1), three(3);
  const Departure a = measure_departure(model, options, 1, one);
  const Departure b = measure_departure(model, options, 1, three);
  EXPECT_EQ(a.sources, 20);
  EXPECT_EQ(a.alpha, b.alpha);
  EXPECT_EQ(departure_page(a), departure_page(b));
}

TEST(Departure, OfAModelDirectory) {
  const ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 300; ++i) text += fmt::format("{} {}\n", i % 60, (i * i) % 47);
  const auto model = folder.path("model");
  const auto done =
      run_mcns(folder, "train " + folder.write("edges.tsv", text) +
                           " --sampler degree --epochs 2 --dim 4 --quiet --out " + model);
  ASSERT_EQ(done.code, 0) << done.err;
  const auto page = folder.path("page.html");
  const auto found = run_for_json(folder, "theory --from " + model + " --html " + page);
  EXPECT_EQ(found.at("sampler"), "degree:power=0.75");
  EXPECT_GT(found.at("alpha"), 0);
  EXPECT_TRUE(contains(content_of(page), "</html>"));
  expect_failure(folder, "theory --from " + folder.path("none"), 4, "none");
}

TEST(SlowTheory, CommandHolds) {
  const ScratchFolder folder;
  const auto document = run_for_json(folder, "theory");
  EXPECT_TRUE(document.at("theorem1").at("holds"));
  EXPECT_FALSE(document.at("theorem1").at("low_dimension").at("holds"));
  EXPECT_TRUE(document.at("theorem2").at("holds"));
  EXPECT_FALSE(document.at("hinge").at("theorems_hold"));
}

}  // namespace
}  // namespace mcns
