// Chains of many sources side by side: each does what it would do alone, and with proposals of
// several blocks of the pool each still visits its own source's distribution.
#include "mcns/samplers/registry.h"

#include "test_sampler_tools.h"

namespace mcns::sampler_test {
namespace {

/// Source u in 1..7 has u pairs, so that lanes end at different times.
PairBuffer company(const World& world, std::uint64_t first_name) {
  PairBuffer out;
  for (NodeId u = 1; u < 8; ++u)
    for (NodeId i = 0; i < u; ++i) {
      out.pairs.push_back({u, world.graph.neighbors(u)[0]});
      out.serials.push_back(first_name + static_cast<std::uint64_t>(100 * u + i));
    }
  return out;
}

PairBuffer only(const PairBatch& all, NodeId source) {
  PairBuffer out;
  for (std::size_t i = 0; i < all.pairs.size(); ++i) {
    if (all.pairs[i].source != source) continue;
    out.pairs.push_back(all.pairs[i]);
    out.serials.push_back(all.serials[i]);
  }
  return out;
}

/// The negatives of `source` over some batches: its own pairs alone, or among the others'.
std::vector<NodeId> negatives_of(const std::string& spec, NodeId source, bool alone) {
  constexpr int kNegatives = 3;
  const auto world = user_item_world(Filter::kTrain);
  const auto sampler = make_sampler(spec, world->context(kNegatives));
  PairSampling sampling(*sampler, kNegatives, world->graph.num_nodes(), world->pool);
  std::vector<NodeId> out;
  for (std::int64_t b = 0; b < 20; ++b) {
    const PairBuffer all = company(*world, static_cast<std::uint64_t>(b) * 1000);
    const PairBuffer batch = alone ? only(all, source) : all;
    sampling.run({11, 0, b}, batch, world->scorer());
    for (std::size_t i = 0; i < batch.pairs.size(); ++i)
      for (int j = 0; j < kNegatives && batch.pairs[i].source == source; ++j)
        out.push_back(sampling.negatives().ids[i * kNegatives + j]);
  }
  return out;
}

/// Without a pool nothing is shared; 70 steps are more than a block of them.
TEST(McnsLanes, AChainDoesTheSameAloneAndInCompany) {
  for (const char* spec :
       {"mcns:form=exp,pool=0,steps=70", "mcns:form=exp,pool=0,steps=5,local=0.3",
        "mcns:form=paper,chain=node,steps=5", "mcns:form=paper,chain=node,proposal=walk,steps=1"})
    for (const NodeId source : {1, 4, 7})
      EXPECT_EQ(negatives_of(spec, source, false), negatives_of(spec, source, true))
          << spec << ", source " << source;
}

/// How often each target is the last negative of the source's last pair, in company.
std::map<NodeId, std::int64_t> last_draws(World& world, const std::string& spec, NodeId source,
                                          int batches) {
  const auto sampler = make_sampler(spec, world.context());
  PairSampling sampling(*sampler, 1, world.graph.num_nodes(), world.pool);
  std::map<NodeId, std::int64_t> counts;
  for (int b = -50; b < batches; ++b) {
    const PairBuffer batch = company(world, static_cast<std::uint64_t>(b + 50) * 1000);
    sampling.run({11, 0, b + 50}, batch, world.scorer());
    std::size_t last = 0;
    for (std::size_t i = 0; i < batch.pairs.size(); ++i)
      if (batch.pairs[i].source == source) last = i;
    if (b >= 0) ++counts[sampling.negatives().ids[last]];
  }
  return counts;
}

/// Seven pairs of source 7 share proposals, so that between two draws that count lie many.
TEST(McnsLanes, ExpVisitsTheDistributionOfItsOwnSource) {
  const auto world = user_item_world(Filter::kTrain);
  const SelfContrast target{Form::kExp, 0.5, 1e-3, 5};
  for (const char* spec : {"mcns:form=exp,pool=48", "mcns:form=exp,pool=2,steps=8"})
    for (const NodeId source : {4, 7})
      EXPECT_GT(chi_square(exact_distribution(*world, target, source),
                           last_draws(*world, spec, source, kDraws / 4)),
                kErrorRate)
          << spec << ", source " << source;
}

/// 200 users with a few of 40 items, and a batch with a pair of each.
struct Crowd {
  static constexpr NodeId kUsers = 200, kItems = 40;

  Crowd() {
    EdgeList edges;
    Rng rng(8, Domain::kTest);
    for (NodeId u = 0; u < kUsers; ++u)
      for (int i = 0; i < 4; ++i)
        edges.pairs.push_back({u, kUsers + static_cast<NodeId>(rng.below(kItems))});
    BuildOptions options{.kind = GraphKind::kBipartite};
    options.users = kUsers;
    world = std::make_unique<World>(std::move(edges), kUsers + kItems, options, Filter::kTrain);
  }
  PairBuffer batch(std::uint64_t first_name) const {
    PairBuffer out;
    for (NodeId u = 0; u < kUsers; ++u) {
      out.pairs.push_back({u, world->graph.neighbors(u)[0]});
      out.serials.push_back(first_name + static_cast<std::uint64_t>(u));
    }
    return out;
  }

  std::unique_ptr<World> world;
};

/// A source with few positives among many targets has a sketch, which takes some targets for
/// positives that are none: single steps must visit these too.
TEST(McnsLanes, SingleStepsVisitWhatASketchDoubts) {
  constexpr NodeId kUsers = 20, kNodes = 620;
  EdgeList edges;
  Rng rng(8, Domain::kTest);
  for (NodeId u = 0; u < kUsers; ++u)
    for (int i = 0; i < 12; ++i)
      edges.pairs.push_back({u, kUsers + static_cast<NodeId>(rng.below(kNodes - kUsers))});
  BuildOptions options{.kind = GraphKind::kBipartite};
  options.users = kUsers;
  World world(std::move(edges), kNodes, options, Filter::kTrain);
  std::vector<Pair> doubted;
  for (NodeId u = 0; u < kUsers; ++u)
    for (const NodeId v : world.allowed(u))
      if (world.exclusion.may_be_excluded(u, v)) doubted.push_back({u, v});
  ASSERT_GT(doubted.size(), 20U);
  const auto sampler =
      make_sampler("mcns:form=paper,chain=node,proposal=walk,steps=1,local=0", world.context());
  PairSampling sampling(*sampler, 1, kNodes, world.pool);
  std::map<std::pair<NodeId, NodeId>, int> visits;
  for (int b = 0; b < 8000; ++b) {  // about ten visits of a target
    PairBuffer batch;
    for (NodeId u = 0; u < kUsers; ++u) {
      batch.pairs.push_back({u, world.graph.neighbors(u)[0]});
      batch.serials.push_back(static_cast<std::uint64_t>(b * kUsers + u));
    }
    sampling.run({11, 0, b}, batch, world.scorer());
    for (NodeId u = 0; u < kUsers; ++u) ++visits[{u, sampling.negatives().ids[u]}];
  }
  int visited = 0;
  for (const Pair& pair : doubted) visited += visits.contains({pair.source, pair.target});
  EXPECT_GT(visited, 0.95 * static_cast<double>(doubted.size()));
}

/// More sources than lanes: those that come later take the lanes of those that are done.
TEST(McnsLanes, SourcesThatWaitForALaneDoTheSameAlone) {
  const Crowd crowd;
  World& world = *crowd.world;
  for (const NodeId source : {0, 63, 64, 130, 199}) {
    std::vector<NodeId> found[2];
    for (const bool alone : {false, true}) {
      const auto sampler = make_sampler("mcns:form=exp,pool=0,steps=70,local=0", world.context());
      PairSampling sampling(*sampler, 1, world.graph.num_nodes(), world.pool);
      for (std::int64_t b = 0; b < 10; ++b) {
        const PairBuffer all = crowd.batch(static_cast<std::uint64_t>(b) * 1000);
        sampling.run({11, 0, b}, alone ? only(all, source) : all, world.scorer());
        found[alone].push_back(sampling.negatives().ids[alone ? 0 : source]);
      }
    }
    EXPECT_EQ(found[0], found[1]) << source;
  }
}

/// Six chains, each along a stretch of the sources: after 30 steps near the distribution of every
/// one.
TEST(McnsLanes, HandedOverChainsCoverAllStretches) {
  const Crowd crowd;
  World& world = *crowd.world;
  const auto sampler = make_sampler("mcns:form=paper,steps=30", world.context());
  PairSampling sampling(*sampler, 1, world.graph.num_nodes(), world.pool);
  constexpr int kBatches = 3000;
  std::map<NodeId, std::map<NodeId, int>> counts;
  for (int b = 0; b < kBatches; ++b) {
    sampling.run({11, 0, b}, crowd.batch(static_cast<std::uint64_t>(b) * 1000), world.scorer());
    for (NodeId u = 0; u < Crowd::kUsers; ++u) ++counts[u][sampling.negatives().ids[u]];
  }
  const SelfContrast target{Form::kPaper, 0.25, 1e-3, 5};
  for (NodeId u = 0; u < Crowd::kUsers; ++u) {
    const auto distribution = exact_distribution(world, target, u);
    double distance = 0;
    for (const auto& [v, p] : distribution)
      distance += std::abs(p - double(counts[u][v]) / kBatches) / 2;
    EXPECT_LT(distance, 0.1) << u;
    for (const auto& [v, count] : counts[u]) EXPECT_TRUE(distribution.contains(v)) << u;
  }
}

/// A pool of 8 and at least 8 proposals a negative: source 7 takes seven blocks, source 1 one. Near
/// the distribution, as the form only estimates F; single steps share the vector of the local
/// energies. The scores of source 7 are small, so that its tail differs from all others.
TEST(McnsLanes, QuantileIsNearTheDistributionOfItsOwnSource) {
  const auto world = user_item_world(Filter::kTrain);
  for (int d = 0; d < world->table.dim(); ++d) world->table.row(7)[d] *= 0.1F;
  const SelfContrast target{Form::kQuantile, 0.5, 1e-3, 4};
  for (const char* spec :
       {"mcns:hardness=4,pool=8,least=8", "mcns:hardness=4,pool=8,least=1,steps=8,local=1"})
    for (const NodeId source : {3, 7}) {
      const auto distribution = exact_distribution(*world, target, source);
      const int draws = kDraws / 4;
      const auto counts = last_draws(*world, spec, source, draws);
      double distance = 0;
      for (const auto& [v, p] : distribution) {
        const auto found = counts.find(v);
        distance += std::abs(p - (found == counts.end() ? 0.0 : double(found->second) / draws)) / 2;
      }
      EXPECT_LT(distance, 0.2) << spec << ", source " << source;
    }
}

}  // namespace
}  // namespace mcns::sampler_test
