// Samplers that propose for many pairs at once draw what drawing pair by pair draws: number t k + j
// of a pair's stream is the t-th proposal for its j-th negative, for eight rounds; what is left is
// drawn from the numbers that follow.
#include "mcns/samplers/registry.h"
#include "mcns/samplers/static_distribution.h"

#include "tests/chi_square.h"
#include "tests/graph_support.h"
#include "tests/test_sampler_tools.h"

namespace mcns::sampler_test {
namespace {

template <class Propose, class Draw>
void expect_same_as_pair_by_pair(const std::string& spec, World& world, const Propose& propose,
                                 const Draw& draw) {
  for (const int k : {1, 2, 5, 40}) {
    const auto sampler = make_sampler(spec, world.context(k));
    PairSampling sampling(*sampler, k, world.graph.num_nodes(), world.pool);
    const PairBuffer batch = edge_batch(world.graph, 0, 400);
    const BatchKey key{11, 2, 3};
    sampling.run(key, batch, world.scorer());
    for (std::size_t i = 0; i < batch.pairs.size(); ++i) {
      const NodeId source = batch.pairs[i].source;
      Rng rng(key.seed, Domain::kNegatives, key.epoch, batch.serials[i]);
      std::vector<NodeId> expected(k, source);
      std::vector<bool> allowed(k, false);
      for (int t = 0; t < 8 * k; ++t) {
        const NodeId v = propose(rng.next());
        if (allowed[t % k]) continue;
        expected[t % k] = v;
        allowed[t % k] = !world.exclusion.excluded(source, v);
      }
      for (int j = 0; j < k; ++j)
        if (!allowed[j]) expected[j] = draw(source, rng);
      for (int j = 0; j < k; ++j)
        ASSERT_EQ(sampling.negatives().ids[i * k + j], expected[j])
            << spec << ", k = " << k << ", pair " << i;
    }
  }
}

/// Both worlds have a source that excludes all targets but one.
TEST(SamplerRejection, ManyAtOnceDrawWhatPairByPairDraws) {
  for (const Filter filter : {Filter::kTrain, Filter::kNone})
    for (auto* make : {user_item_world, node_world}) {
      const auto world = make(filter);
      expect_same_as_pair_by_pair(
          "rns", *world, [&](std::uint64_t bits) { return world->exclusion.propose_uniform(bits); },
          [&](NodeId source, Rng& rng) { return world->exclusion.draw_uniform(source, rng); });
      const NodeRange targets = world->graph.targets();
      std::vector<double> weights;
      for (NodeId v = targets.begin; v < targets.end; ++v)
        weights.push_back(std::pow(world->graph.weighted_degree(v), 0.75));
      const StaticDistribution distribution(world->exclusion, weights);
      expect_same_as_pair_by_pair(
          "degree", *world, [&](std::uint64_t bits) { return distribution.propose(bits); },
          [&](NodeId source, Rng& rng) { return distribution.draw(source, rng); });
    }
}

/// Negatives of a window are allowed for all its sources, and follow the distribution that is left:
/// four chi-squares, each wrong once in three million.
TEST(SamplerRejection, SharedNegativesSuitEverySourceOfTheWindow) {
  const Graph graph = random_graph(GraphKind::kUndirected, 200, 250, 3);
  const Exclusion exclusion(graph, Filter::kTrain);
  ThreadPool pool(2);
  PairBuffer batch;  // windows of 1 and of 3 sources
  batch.pairs = {{0, 9}, {1, 8}, {2, 8}, {3, 8}};
  batch.windows.first_pair = {0, 1, 4};
  for (const std::string spec : {"rns", "degree"}) {
    const auto sampler = make_sampler(spec, {graph, exclusion, 4, 5, 1, pool, nullptr});
    ASSERT_TRUE(sampler->can_share(3));
    EXPECT_FALSE(sampler->can_share(200)) << "together they exclude most targets";
    std::vector<std::vector<std::int64_t>> counts(2, std::vector<std::int64_t>(200));
    NegativesBuffer drawn;
    drawn.k = 5;
    drawn.resize(2, false, false);
    for (std::uint64_t draw = 0; draw < 4000; ++draw) {
      batch.serials = {4 * draw, 4 * draw + 1, 4 * draw + 2, 4 * draw + 3};
      sampler->sample_shared({{1, 0, 0}, batch, Scorer{}, pool}, drawn);
      for (int i = 0; i < 10; ++i) ++counts[i / 5][drawn.ids[i]];
    }
    for (int w = 0; w < 2; ++w) {
      std::vector<double> distribution(200);
      for (NodeId v = 0; v < 200; ++v) {
        bool allowed = true;
        for (int i = batch.windows.first_pair[w]; i < batch.windows.first_pair[w + 1]; ++i)
          allowed &= !exclusion.excluded(batch.pairs[i].source, v);
        if (allowed) distribution[v] = spec == "rns" ? 1 : std::pow(graph.weighted_degree(v), 0.75);
      }
      expect_distribution(counts[w], distribution,
                          (spec + ", window " + std::to_string(w)).c_str());
    }
  }
}

TEST(SamplerRejection, WalksOfMcnsEndAtItems) {
  const auto world = user_item_world();
  EXPECT_THROW(make_sampler("mcns:hops=3", world->context()), Error);
  EXPECT_NO_THROW(make_sampler("mcns:hops=4", world->context()));
}

}  // namespace
}  // namespace mcns::sampler_test
