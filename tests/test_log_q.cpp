// The log-q correction: with it, the weighed sum over drawn negatives estimates the sum over all
// allowed ones. Tested by means over many draws, at six standard errors (one failure in 5e8).
#include "mcns/plan/options.h"
#include "mcns/samplers/registry.h"
#include "mcns/train/trainer.h"

#include "test_sampler_tools.h"

namespace mcns::sampler_test {
namespace {

class LogQ : public testing::TestWithParam<const char*> {};

TEST_P(LogQ, WeighedNegativesStandForAll) {
  const auto world = user_item_world();
  const auto sampler = make_sampler(GetParam(), world->context(4));
  constexpr NodeId kSource = 3;
  double sum = 0;  // over what can be drawn: a node without links has degree 0
  for (const NodeId v : world->allowed(kSource))
    if (!std::isinf(sampler->log_q(kSource, v, world->scorer())->value))
      sum += std::exp(world->score(kSource, v));

  PairBuffer batch;
  batch.pairs.assign(2000, {kSource, world->graph.neighbors(kSource)[0]});
  for (std::uint64_t i = 0; i < 2000; ++i) batch.serials.push_back(i);
  PairSampling sampling(*sampler, 4, world->graph.num_nodes(), world->pool, {.log_q = true});
  sampling.run({11, 0, 0}, batch, world->scorer());
  const Negatives& negatives = sampling.negatives();
  double mean = 0, square = 0;
  for (int i = 0; i < 2000; ++i) {
    double estimate = 0;
    for (int j = 4 * i; j < 4 * i + 4; ++j)
      estimate += negatives.weights[j] * std::exp(world->score(kSource, negatives.ids[j]));
    mean += estimate / 2000;
    square += estimate * estimate / 2000;
  }
  const double error = std::sqrt((square - mean * mean) / 2000);
  EXPECT_NEAR(mean, sum, 6 * error + 1e-3 * sum);
  EXPECT_LT(error, 0.05 * sum);  // or the comparison would say nothing
}

INSTANTIATE_TEST_SUITE_P(Exact, LogQ,
                         testing::Values("rns", "degree:power=1", "degree:power=-1", "dns",
                                         "exact:form=exp", "mix:0.5*rns+0.5*degree",
                                         "dns:candidates=6,top=3"));

/// Negatives of one pair among 63 random edges, batch after batch: over batches each target comes
/// with the probability that log q says.
TEST(LogQ, OfBatchTargetsHoldsOverBatches) {
  const auto world = user_item_world();
  const std::vector<Pair> edges = edge_list(world->graph).pairs;
  constexpr NodeId kSource = 3;
  const Pair own{kSource, world->graph.neighbors(kSource)[0]};
  for (const std::string spec : {"in-batch", "mixed:uniform=0.3", "mix:0.7*in-batch+0.3*rns"}) {
    const auto sampler = make_sampler(spec, world->context(2));
    PairSampling sampling(*sampler, 2, world->graph.num_nodes(), world->pool);
    std::map<NodeId, std::int64_t> counts;
    for (int batch = 0; batch < kDraws / 2; ++batch) {
      Rng rng(3, Domain::kTest, batch);
      PairBuffer pairs;
      for (int i = 0; i < 63; ++i) pairs.pairs.push_back(edges[rng.below(edges.size())]);
      pairs.pairs.push_back(own);
      for (std::uint64_t i = 0; i < 64; ++i) pairs.serials.push_back(64 * batch + i);
      sampling.run({11, 0, batch}, pairs, world->scorer());
      for (const int j : {126, 127}) ++counts[sampling.negatives().ids[j]];
    }
    std::map<NodeId, double> distribution;
    double total = 0;
    for (const NodeId v : world->allowed(kSource)) {
      const auto log_q = sampler->log_q(kSource, v, world->scorer());
      EXPECT_FALSE(log_q->exact);
      total += distribution[v] = std::exp(log_q->value);
    }
    EXPECT_NEAR(total, 1, 1e-9) << spec;
    EXPECT_EQ(sampler->log_q(kSource, own.target, world->scorer())->value,
              -std::numeric_limits<double>::infinity());
    EXPECT_GT(chi_square(distribution, counts), kErrorRate) << spec;
  }
}

/// Of a source that has never been visited: what the first visit finds, and nothing is changed.
TEST(McnsLogQ, IsDefinedBeforeTheFirstVisit) {
  const auto world = user_item_world();
  const auto asked = make_sampler("mcns:hardness=4", world->context());
  const auto fresh = make_sampler("mcns:hardness=4", world->context());
  constexpr NodeId kSource = 3;
  std::map<NodeId, double> before;
  for (const NodeId v : world->allowed(kSource)) {
    before[v] = asked->log_q(kSource, v, world->scorer())->value;
    ASSERT_TRUE(std::isfinite(before[v])) << v;
  }
  PairBuffer batch;
  batch.pairs = {{kSource, world->graph.neighbors(kSource)[0]}};
  batch.serials = {0};
  const auto draw = [&](NegativeSampler& sampler) {
    PairSampling sampling(sampler, 4, world->graph.num_nodes(), world->pool);
    sampling.run({11, 0, 0}, batch, world->scorer());
    const auto ids = sampling.negatives().ids;
    return std::vector<NodeId>(ids.begin(), ids.end());
  };
  EXPECT_EQ(draw(*asked), draw(*fresh));
  for (const auto& [v, value] : before)
    EXPECT_EQ(asked->log_q(kSource, v, world->scorer())->value, value) << v;
}

TrainOptions corrected(const std::string& sampler, const std::string& loss) {
  TrainOptions options;
  options.sampler = sampler;
  options.loss = loss;
  options.log_q = "on";
  options.epochs = 2;
  options.dim = 8;
  return options;
}

TEST(LogQTraining, ChangesTheResultAndRefusesWhatCannotBe) {
  const auto world = user_item_world();
  const auto train = [&](TrainOptions options) {
    options.saturated = "skip";
    Trainer trainer(make_plan(options, Task::kRecommend, world->graph), 1, world->graph, nullptr,
                    world->pool);
    trainer.run({});
    const auto row = trainer.scores_view().source[3];
    return std::vector<float>(row.begin(), row.end());
  };
  TrainOptions plain = corrected("degree", "softmax");
  plain.log_q = "off";
  EXPECT_NE(train(corrected("degree", "softmax")), train(plain));
  EXPECT_NO_THROW(train(corrected("mcns", "softmax")));
  EXPECT_THROW(train(corrected("degree", "bpr")), Error);
  EXPECT_NO_THROW(train(corrected("mixed", "softmax")));
  EXPECT_THROW(train(corrected("warp", "softmax")), Error);
  EXPECT_THROW(train(corrected("ahns", "softmax")), Error);
}

}  // namespace
}  // namespace mcns::sampler_test
