// Samplers that propose round by round draw what drawing one by one draws.
#include "mcns/samplers/static_law.h"

#include "test_sampler_tools.h"

namespace mcns::sampler_test {
namespace {

template <class Draw>
void expect_same_as_one_by_one(const std::string& spec, World& world, const Draw& draw) {
  for (const int k : {1, 2, 5, 40}) {
    const auto sampler = make_sampler(spec, world.context(k));
    PairSampling sampling(*sampler, k, world.graph.num_nodes(), world.pool);
    const PairBatch batch = edge_batch(world.graph, 0, 400);
    const BatchKey key{11, 2, 3};
    sampling.run(key, batch, world.scorer());
    for (std::size_t i = 0; i < batch.pairs.size(); ++i) {
      Rng rng(key.seed, Domain::kNegatives, key.epoch, batch.names[i]);
      for (int j = 0; j < k; ++j)
        ASSERT_EQ(sampling.negatives().ids[i * k + j], draw(batch.pairs[i].source, rng))
            << spec << ", k = " << k << ", pair " << i;
    }
  }
}

/// Both worlds have a source that excludes all targets but one.
TEST(SamplerRejection, RoundsDrawWhatOneByOneDraws) {
  for (const Filter filter : {Filter::kTrain, Filter::kNone})
    for (auto* make : {user_item_world, node_world}) {
      const auto world = make(filter);
      expect_same_as_one_by_one("rns", *world, [&](NodeId source, Rng& rng) {
        return world->exclusion.draw_uniform(source, rng);
      });
      const NodeRange targets = world->graph.targets();
      std::vector<double> weights;
      for (NodeId v = targets.begin; v < targets.end; ++v)
        weights.push_back(std::pow(world->graph.weighted_degree(v), 0.75));
      const StaticLaw law(world->exclusion, weights);
      expect_same_as_one_by_one("degree", *world,
                                [&](NodeId source, Rng& rng) { return law.draw(source, rng); });
    }
}

TEST(SamplerRejection, WalksOfMcnsEndAtItems) {
  const auto world = user_item_world();
  EXPECT_THROW(make_sampler("mcns:hops=3", world->context()), Error);
  EXPECT_NO_THROW(make_sampler("mcns:hops=4", world->context()));
}

}  // namespace
}  // namespace mcns::sampler_test
