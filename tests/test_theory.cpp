// The theorems on small settings, and the command as it ships.
#include <cmath>

#include "mcns/theory/theorems.h"

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

TEST(SlowTheory, CommandHolds) {
  const ScratchFolder folder;
  const auto document = run_for_json(folder, "theory");
  EXPECT_TRUE(document.at("theorem1").at("holds"));
  EXPECT_FALSE(document.at("theorem1").at("low_dimension").at("holds"));
  EXPECT_TRUE(document.at("theorem2").at("holds"));
}

}  // namespace
}  // namespace mcns
