// The theorems on small settings, and the command as it ships.
#include <cmath>

#include "mcns/report/theory_page.h"
#include "mcns/theory/departure.h"
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
}

}  // namespace
}  // namespace mcns
