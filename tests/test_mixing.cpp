// The carried distribution of a chain against its dense transition matrix.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "mcns/core/rng.h"
#include "mcns/theory/mixing.h"

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

}  // namespace
}  // namespace mcns
