// The ratio of proposal densities that a Metropolis-Hastings step uses, against densities written
// out from the graph.
#include <cmath>
#include <map>
#include <set>

#include "mcns/samplers/proposals.h"

#include "test_sampler_tools.h"

namespace mcns::sampler_test {
namespace {

struct Drawn {
  NodeId node;
  float log_ratio;
};

Drawn draw(const Proposals& proposals, bool local, const Graph& graph, NodeId x, Rng& rng) {
  const NodeRange targets = graph.targets();
  Drawn out{targets.begin + static_cast<NodeId>(rng.below(targets.size())), 0};
  const std::uint64_t number = rng.next();
  if (local)
    proposals.local({1, &x, &number, &out.node, &out.log_ratio});
  else
    proposals.add_log_ratios(1, &x, &out.node, &out.log_ratio);
  return out;
}

/// The chance of every end of a walk, by enumeration.
std::map<NodeId, double> walk_distribution(const Graph& graph, NodeId from, int hops) {
  std::map<NodeId, double> distribution{{from, 1.0}};
  for (int hop = 0; hop < hops; ++hop) {
    std::map<NodeId, double> next;
    for (const auto& [v, p] : distribution) {
      const auto row = graph.neighbors(v);
      const auto weights = graph.weights(v);
      for (std::size_t i = 0; i < row.size(); ++i)
        next[row[i]] += p * (weights.empty() ? 1.0 : weights[i]) / graph.weighted_degree(v);
    }
    distribution = next;
  }
  return distribution;
}

TEST(Proposals, WalksAreInBalanceWithTheDegree) {
  ThreadPool pool(1);
  const auto weighted = node_world(), plain = user_item_world();
  for (const World* world : {weighted.get(), plain.get()}) {
    ProposalOptions options;
    options.local = 1;
    options.hops = 2;
    const Proposals proposals(options, world->graph, pool);
    Rng rng(3, Domain::kTest);
    int moved = 0;
    for (int i = 0; i < 500; ++i) {
      const auto x = static_cast<NodeId>(rng.below(world->graph.num_nodes()));
      const auto [y, log_ratio] = draw(proposals, true, world->graph, x, rng);
      if (world->graph.degree(x) == 0) {
        EXPECT_EQ(y, x);
      }
      if (y == x) continue;
      ++moved;
      const double there = walk_distribution(world->graph, x, 2).at(y);
      const double back = walk_distribution(world->graph, y, 2).at(x);
      EXPECT_NEAR(log_ratio, std::log(back / there), 1e-4);
    }
    EXPECT_GT(moved, 300);
  }
}

TEST(Proposals, NearestTakesTheRatioOfTheMixture) {
  const auto world = user_item_world(Filter::kTrain);
  ProposalOptions options;
  options.nearest = true;
  options.hops = 2;
  options.near = 4;
  options.local = 0.7F;
  const Proposals proposals(options, world->graph, world->pool);
  const NodeRange targets = world->graph.targets();
  const auto density = [&](NodeId from, NodeId to) {
    const auto list = proposals.near(from);
    const bool listed = std::find(list.begin(), list.end(), to) != list.end();
    return 0.3 / targets.size() + (listed ? 0.7 / static_cast<double>(list.size()) : 0.0);
  };
  Rng rng(3, Domain::kTest);
  int uneven = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto x = targets.begin + static_cast<NodeId>(rng.below(targets.size()));
    const auto [y, log_ratio] = draw(proposals, i % 2 == 0, world->graph, x, rng);
    EXPECT_TRUE(targets.contains(y));
    if (y == x) continue;
    EXPECT_NEAR(log_ratio, std::log(density(y, x) / density(x, y)), 1e-4);
    uneven += log_ratio != 0;
  }
  EXPECT_GT(uneven, 50);  // lists that are not symmetric are what the ratio is for
}

TEST(Proposals, ListsHoldOtherTargets) {
  const auto world = user_item_world(Filter::kTrain);
  ProposalOptions options;
  options.nearest = true;
  options.hops = 2;
  options.near = 5;
  ThreadPool one(1);
  const Proposals proposals(options, world->graph, world->pool), serial(options, world->graph, one);
  for (NodeId x = world->graph.targets().begin; x < world->graph.targets().end; ++x) {
    const auto list = proposals.near(x), same = serial.near(x);
    EXPECT_EQ(std::set<NodeId>(list.begin(), list.end()).size(), list.size());
    EXPECT_TRUE(std::equal(list.begin(), list.end(), same.begin(), same.end()));
    EXPECT_EQ(std::find(list.begin(), list.end(), x), list.end());
    EXPECT_LE(list.size(), 5U);
    EXPECT_EQ(list.empty(), world->graph.degree(x) == 0) << x;
    for (const NodeId y : list) EXPECT_TRUE(world->graph.targets().contains(y));
  }
}

/// A walk along the arrows would stop at a node without any, and would not be reversible.
TEST(Proposals, DirectedGraphsAreWalkedBothWays) {
  ThreadPool pool(1);
  const Graph graph =
      build_graph({{{0, 1}, {1, 2}, {0, 2}, {3, 2}}, {}}, 4, {.kind = GraphKind::kDirected}, pool);
  ProposalOptions options;
  options.local = 1;
  const Proposals proposals(options, graph, pool);
  Rng rng(3, Domain::kTest);
  std::map<NodeId, int> seen;
  for (int i = 0; i < 300; ++i) {
    const auto [y, log_ratio] = draw(proposals, true, graph, 2, rng);
    ++seen[y];
    EXPECT_NEAR(log_ratio, std::log(3.0 / (y == 3 ? 1 : 2)), 1e-5);
  }
  EXPECT_EQ(seen.size(), 3U);
}

}  // namespace
}  // namespace mcns::sampler_test
