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
                                         "exact:form=exp", "mix:0.5*rns+0.5*degree"));

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
  EXPECT_THROW(train(corrected("warp", "softmax")), Error);
}

}  // namespace
}  // namespace mcns::sampler_test
