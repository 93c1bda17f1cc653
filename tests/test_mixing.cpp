// The carried distribution of a chain against its dense transition matrix.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"
#include "mcns/positives/depth_first.h"
#include "mcns/theory/mixing.h"

#include "tests/graph_support.h"

namespace mcns {
namespace {

struct Chain {
  std::vector<double> weights;
  ChainKernel::Near near;
};

/// Some weights are equal, some are 0; lists are not symmetric, one is empty.
Chain make_chain(NodeId n) {
  Rng rng(3, Domain::kTest);
  Chain out;
  for (NodeId x = 0; x < n; ++x) {
    out.weights.push_back(x % 7 == 3 ? 0.0 : std::floor(1 + 6 * rng.uniform()));
    out.near.emplace_back();
    for (int i = 0; x != 5 && i < 4; ++i) {
      const auto y = static_cast<NodeId>(rng.below(n));
      if (y != x && std::ranges::count(out.near.back(), y) == 0) out.near.back().push_back(y);
    }
  }
  return out;
}

double q(const Chain& chain, double local, NodeId x, NodeId y) {
  double out = (1 - local) / static_cast<double>(chain.near.size());
  if (std::ranges::count(chain.near[x], y) > 0)
    out += local / static_cast<double>(chain.near[x].size());
  return out;
}

std::vector<double> dense_step(const Chain& chain, double local, const std::vector<double>& state) {
  const auto n = static_cast<NodeId>(state.size());
  std::vector<double> out(n);
  for (NodeId x = 0; x < n; ++x) {
    double stays = 1;
    for (NodeId y = 0; y < n; ++y) {
      if (y == x || chain.weights[x] == 0) continue;
      const double to = q(chain, local, x, y), back = q(chain, local, y, x);
      const double moves = to * std::min(1.0, chain.weights[y] * back / (chain.weights[x] * to));
      out[y] += state[x] * moves;
      stays -= moves;
    }
    out[x] += state[x] * stays;
  }
  return out;
}

TEST(Mixing, AStepIsThatOfTheDenseMatrix) {
  const Chain chain = make_chain(40);
  for (const double local : {0.0, 0.5, 0.9}) {
    const ChainKernel kernel(chain.weights, chain.near, local);
    std::vector<double> state = kernel.handed_over(std::vector<double>(40, 1.0 / 40));
    for (int t = 0; t < 30; ++t) {
      const auto dense = dense_step(chain, local, state);
      state = kernel.step(state);
      for (std::size_t y = 0; y < state.size(); ++y) EXPECT_NEAR(state[y], dense[y], 1e-13);
      EXPECT_NEAR(std::accumulate(state.begin(), state.end(), 0.0), 1, 1e-12);
    }
  }
}

TEST(Mixing, TheTargetIsStationaryAndReached) {
  const Chain chain = make_chain(40);
  const ChainKernel kernel(chain.weights, chain.near, 0.5);
  EXPECT_NEAR(kernel.distance(kernel.step(kernel.stationary())), 0, 1e-14);
  std::vector<double> state = kernel.handed_over(std::vector<double>(40, 1.0 / 40));
  double before = kernel.distance(state);
  EXPECT_GT(before, 0.1);
  for (int t = 0; t < 400; ++t) {
    state = kernel.step(state);
    EXPECT_LE(kernel.distance(state), before + 1e-14);
    before = kernel.distance(state);
  }
  EXPECT_LT(before, 1e-6);
}

TEST(Mixing, MassOnExcludedTargetsIsSpread) {
  const Chain chain = make_chain(40);
  const ChainKernel kernel(chain.weights, chain.near, 0.5);
  std::vector<double> state(40);
  state[3] = 1;  // excluded
  state = kernel.handed_over(state);
  EXPECT_EQ(state[3], 0);
  EXPECT_NEAR(std::accumulate(state.begin(), state.end(), 0.0), 1, 1e-12);
  EXPECT_DOUBLE_EQ(state[0], state[1]);
}

TEST(Mixing, GoesAlongTheVisitsOfTrainingItemsIncluded) {
  const Graph graph = random_graph(GraphKind::kBipartite, 40, 100, 1);
  std::vector<NodeId> visits = depth_first_sequence(graph);
  std::erase_if(visits, [&](NodeId v) { return graph.degree(v) == 0; });
  MixingOptions options;
  options.visits = static_cast<int>(visits.size());
  const auto sources = visited_sources(graph, options);
  ASSERT_EQ(sources.size(), visits.size());
  int items = 0;
  for (std::size_t i = 0; i < visits.size(); ++i) {
    if (graph.sources().contains(visits[i])) {
      EXPECT_EQ(sources[i], visits[i]);
    } else {
      EXPECT_TRUE(graph.has_edge(sources[i], visits[i]));
      ++items;
    }
  }
  EXPECT_GT(items, 10);
}

TEST(Mixing, MeasuresAModelOfUsersAndItems) {
  ThreadPool pool(2);
  FrozenModel model;
  model.loaded.graph = random_graph(GraphKind::kBipartite, 60, 200, 1);
  model.loaded.embeddings = Matrix(model.graph().num_nodes(), 4);
  Rng rng(5, Domain::kTest);
  for (NodeId v = 0; v < model.graph().num_nodes(); ++v)
    for (int i = 0; i < 4; ++i)
      model.loaded.embeddings.row(v)[i] = static_cast<float>(rng.uniform());
  model.sampler = "mcns:form=paper,near=5";
  const auto curves = measure_mixing(model, mixing_options(model), pool);
  ASSERT_EQ(curves.size(), 5U);
  for (const MixingCurve& curve : curves) {
    EXPECT_GT(curve.distances.front(), 0) << curve.order;
    EXPECT_LT(curve.distances.front(), 1) << curve.order;
    EXPECT_LT(curve.distances.back(), curve.distances.front()) << curve.order;
  }
}

TEST(Mixing, TakesTheModelsOwnExponentAndProposals) {
  FrozenModel model;
  model.loaded.graph = random_graph(GraphKind::kBipartite, 40, 100, 1);
  model.sampler = "mcns:form=paper,alpha=0.7,floor=0.02,near=7,local=0.3";
  const MixingOptions options = mixing_options(model);
  EXPECT_EQ(options.target.alpha, 0.7);
  EXPECT_EQ(options.target.floor, 0.02);
  EXPECT_EQ(options.near, 7);
  EXPECT_EQ(options.hops, 2);  // from item to item
  EXPECT_EQ(options.local, 0.3);
  model.sampler = "rns";
  EXPECT_THROW(mixing_options(model), Error);
}

}  // namespace
}  // namespace mcns
