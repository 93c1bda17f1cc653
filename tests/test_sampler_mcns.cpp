// MCNS against the distribution it aims at, with parameters frozen. A chain's states are
// correlated, so its draws are thinned: 12 pool proposals and several single ones lie between two
// that count. The error rate of a comparison is kErrorRate (see test_sampler_tools.h), with fixed
// seeds.
#include <numeric>

#include <fmt/format.h>

#include "mcns/samplers/registry.h"
#include "mcns/samplers/self_contrast.h"
#include "mcns/samplers/static_distribution.h"

#include "test_sampler_tools.h"

namespace mcns::sampler_test {
namespace {

struct Case {
  std::string spec;
  SelfContrast target;
};

class McnsDistribution : public testing::TestWithParam<Case> {};

/// Counts every `thin`-th of the states that one source's chain emits.
std::map<NodeId, std::int64_t> chain_draws(World& world, const std::string& spec, NodeId source,
                                           int draws, int thin) {
  const auto sampler = make_sampler(spec, world.context());
  PairBuffer batch;
  batch.resize(1);
  batch.pairs[0] = {source, world.graph.targets().begin};
  PairSampling sampling(*sampler, 1, world.graph.num_nodes(), world.pool);
  std::map<NodeId, std::int64_t> counts;
  for (int i = 0; i < draws * thin + 50; ++i) {
    batch.serials[0] = static_cast<std::uint64_t>(i);
    sampling.run({11, 0, i}, batch, world.scorer());
    if (i >= 50 && i % thin == 0) ++counts[sampling.negatives().ids[0]];
  }
  return counts;
}

TEST_P(McnsDistribution, ChainVisitsTheSelfContrastDistribution) {
  const auto& [spec, target] = GetParam();
  for (const Filter filter : {Filter::kTrain, Filter::kNone}) {
    const auto world = user_item_world(filter);
    const NodeId source = 3;
    const auto counts = chain_draws(*world, spec, source, kDraws / 4, 8);
    EXPECT_GT(chi_square(exact_distribution(*world, target, source), counts), kErrorRate) << spec;
  }
}

const SelfContrast kExp{Form::kExp, 0.5, 1e-3, 5}, kSteep{Form::kExp, 2.0 / 3, 1e-3, 5},
    kPaper{Form::kPaper, 0.25, 1e-3, 5};

INSTANTIATE_TEST_SUITE_P(
    All, McnsDistribution,
    testing::Values(Case{"mcns:form=exp,pool=12,steps=0", kExp},
                    Case{"mcns:form=exp,pool=0,steps=6", kExp},
                    Case{"mcns:form=exp,alpha=0.6666666666666666,pool=8,steps=4", kSteep},
                    Case{"mcns:form=exp,pool=4,steps=6,local=0.9", kExp},
                    Case{"mcns:form=exp,pool=0,steps=6,proposal=nearest,near=3", kExp},
                    Case{"mcns:form=paper", kPaper}, Case{"mcns:form=paper,pool=8,steps=4", kPaper},
                    Case{"mcns:form=paper,steps=8,proposal=walk,hops=4", kPaper}));

/// With a power of the degree the distribution is that of the form times it.
TEST(McnsPower, TheDistributionStartsFromTheDegree) {
  for (const Filter filter : {Filter::kTrain, Filter::kNone})
    for (const double power : {0.75, -0.5}) {
      const auto world = user_item_world(filter);
      auto distribution = exact_distribution(*world, kExp, 3);
      const auto weights = degree_weights(world->graph, power);
      double total = 0;
      for (auto& [v, p] : distribution) total += p *= weights[v - world->graph.targets().begin];
      for (auto& [v, p] : distribution) p /= total;
      const auto spec = fmt::format("mcns:form=exp,pool=12,power={}", power);
      const auto counts = chain_draws(*world, spec, 3, kDraws / 4, 8);
      EXPECT_GT(chi_square(distribution, counts), kErrorRate) << spec;
    }
}

/// The quantile form draws what it declares, by its candidates alone; where there are fewer than M
/// of them, by a chain that counts F among its proposals and comes near.
TEST(McnsQuantile, DrawsTheBestOfM) {
  for (const Filter filter : {Filter::kTrain, Filter::kNone})
    for (const double hardness : {1.0, 2.5, 4.0}) {
      const auto world = user_item_world(filter);
      const SelfContrast target{Form::kQuantile, 0.5, 1e-3, hardness};
      const auto spec = fmt::format("mcns:hardness={},pool=16", hardness);
      const auto counts = chain_draws(*world, spec, 3, kDraws / 4, 1);
      EXPECT_GT(chi_square(exact_distribution(*world, target, 3), counts), kErrorRate) << spec;
    }
}

/// Three negatives of each of `count` windows of one source.
NegativesBuffer window_draws(World& world, const std::string& spec, NodeId source, int count,
                             const std::vector<std::int32_t>& members) {
  const auto sampler = make_sampler(spec, world.context());
  const std::vector<Pair> pairs(count, {source, world.graph.targets().begin});
  std::vector<std::uint64_t> serials(count);
  for (int i = 0; i < count; ++i) serials[i] = static_cast<std::uint64_t>(i);
  NegativesBuffer out;
  out.k = 3;
  out.resize(pairs.size(), false, false);
  sampler->sample({{11, 0, 0}, pairs, serials, members, world.scorer(), true}, out);
  return out;
}

std::vector<std::int32_t> first_members(int count) {
  std::vector<std::int32_t> out(count);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

TEST(McnsQuantile, WindowsDrawTheBestOfM) {
  for (const Filter filter : {Filter::kTrain, Filter::kNone})
    for (const double hardness : {1.0, 2.5, 4.0}) {
      const auto world = user_item_world(filter);
      const SelfContrast target{Form::kQuantile, 0.5, 1e-3, hardness};
      const auto spec = fmt::format("mcns:hardness={}", hardness);
      const int windows = kDraws / 12;
      const auto drawn = window_draws(*world, spec, 3, windows, first_members(windows));
      EXPECT_GT(chi_square(exact_distribution(*world, target, 3), count(drawn.ids)), kErrorRate)
          << spec;
    }
}

/// A pool that windows shared would give many of them the same few negatives.
TEST(McnsQuantile, AWindowHasCandidatesOfItsOwn) {
  const auto world = user_item_world(Filter::kTrain);
  const auto all = window_draws(*world, "mcns:hardness=4", 3, 20, first_members(20));
  const auto alone = window_draws(*world, "mcns:hardness=4", 3, 20, {7});
  for (int j = 0; j < 3; ++j) EXPECT_EQ(alone.ids[7 * 3 + j], all.ids[7 * 3 + j]);
}

/// Three negatives of each of two pairs, drawn as for training.
std::vector<NodeId> pair_draws(World& world, const std::string& spec, bool are_of_a_walk) {
  const auto sampler = make_sampler(spec, world.context());
  PairSampling sampling(*sampler, 3, world.graph.num_nodes(), world.pool);
  PairBuffer batch;
  batch.resize(2);
  batch.pairs = {{3, world.graph.neighbors(3)[0]}, {5, world.graph.neighbors(5)[0]}};
  batch.serials = {0, 1};
  if (are_of_a_walk) batch.windows.first_pair = {0, 2};
  sampling.run({11, 0, 0}, batch, world.scorer());
  const auto& ids = sampling.negatives().ids;
  return {ids.begin(), ids.end()};
}

/// On walks a whole M gives what DNS gives; elsewhere candidates come from the pool of a batch.
TEST(McnsQuantile, OnWalksItDrawsWhatDnsDraws) {
  const auto world = user_item_world(Filter::kTrain);
  for (const int m : {1, 2, 4, 8, 40}) {
    const auto mcns = fmt::format("mcns:hardness={}", m), dns = fmt::format("dns:candidates={}", m);
    EXPECT_EQ(pair_draws(*world, mcns, true), pair_draws(*world, dns, true)) << m;
    const auto windows = first_members(20);
    EXPECT_EQ(window_draws(*world, mcns, 3, 20, windows).ids,
              window_draws(*world, dns, 3, 20, windows).ids)
        << m;
  }
  EXPECT_NE(pair_draws(*world, "mcns:hardness=4", false),
            pair_draws(*world, "dns:candidates=4", false));
}

TEST(McnsQuantile, ComesNearWithFewerCandidates) {
  const auto world = user_item_world(Filter::kTrain);
  const SelfContrast target{Form::kQuantile, 0.5, 1e-3, 4};
  const auto distribution = exact_distribution(*world, target, 3);
  const int draws = kDraws / 4;
  for (const char* spec : {"mcns:hardness=4,pool=64,least=2", "mcns:hardness=4,pool=16,steps=1"}) {
    const auto counts = chain_draws(*world, spec, 3, draws, 4);
    double distance = 0, uniform = 0;
    for (const auto& [v, p] : distribution) {
      const auto found = counts.find(v);
      const double seen = found == counts.end() ? 0.0 : static_cast<double>(found->second) / draws;
      distance += std::abs(p - seen) / 2;
      uniform += std::abs(p - 1.0 / static_cast<double>(distribution.size())) / 2;
    }
    EXPECT_LT(distance, 0.15) << spec;
    EXPECT_GT(uniform, 0.3) << "far from a chain that ignores scores";
  }
}

/// The estimate of log q is that of a distribution: it adds up to about one over the allowed
/// targets.
TEST(McnsLogQ, AddsUpToOne) {
  const auto world = user_item_world(Filter::kTrain);
  for (const char* spec :
       {"mcns:form=exp", "mcns:form=paper", "mcns:hardness=4", "mcns:hardness=4,power=0.75"}) {
    const auto sampler = make_sampler(spec, world->context());
    PairBuffer batch;
    batch.resize(1);
    batch.pairs[0] = {3, world->graph.targets().begin};
    PairSampling sampling(*sampler, 1, world->graph.num_nodes(), world->pool);
    for (int i = 0; i < 50; ++i) {  // the quantile form learns where scores lie
      batch.serials[0] = static_cast<std::uint64_t>(i);
      sampling.run({11, 0, i}, batch, world->scorer());
    }
    double sum = 0;
    for (const NodeId v : world->allowed(3))
      sum += std::exp(sampler->log_q(3, v, world->scorer())->value);
    EXPECT_NEAR(sum, 1, 0.25) << spec;
    const NodeId positive = world->graph.neighbors(3)[0];
    EXPECT_TRUE(std::isinf(sampler->log_q(3, positive, world->scorer())->value)) << spec;
  }
}

/// How often the second source of a piece begins where the first one ended and stays there.
double handed_share(const std::string& spec) {
  const auto world = user_item_world(Filter::kTrain);
  const auto sampler = make_sampler(spec, world->context());
  PairSampling sampling(*sampler, 1, world->graph.num_nodes(), world->pool);
  PairBuffer batch;
  batch.resize(2);
  batch.pairs = {{3, world->graph.neighbors(3)[0]}, {5, world->graph.neighbors(5)[0]}};
  int same = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    batch.serials = {2 * i, 2 * i + 1};
    sampling.run({11, 0, static_cast<std::int64_t>(i)}, batch, world->scorer());
    same += sampling.negatives().ids[0] == sampling.negatives().ids[1];
  }
  return same / 1000.0;
}

/// One step moves about two chains in three; without handing over, two chains meet by chance alone.
/// ones.
TEST(McnsChain, DfsHandsTheStateOn) {
  EXPECT_GT(handed_share("mcns:form=paper"), 0.2);
  EXPECT_LT(handed_share("mcns:form=paper,chain=node"), 0.15);
}

TEST(McnsSpec, SaysWhatIsWrong) {
  const auto world = user_item_world(Filter::kTrain);
  EXPECT_THROW(make_sampler("mcns:hops=1,steps=2", world->context()), Error);
  EXPECT_THROW(make_sampler("mcns:pool=0", world->context()), Error);
  EXPECT_THROW(make_sampler("mcns:form=exp,pool=0", world->context()), Error);
  EXPECT_THROW(make_sampler("mcns:chain=bfs", world->context()), Error);
  EXPECT_THROW(make_sampler("mcns:power=0.5,steps=1", world->context()), Error);
}

}  // namespace
}  // namespace mcns::sampler_test
