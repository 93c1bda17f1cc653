// The self-test of the samplers: that it passes, that it finds what is broken, and its statistics
// against cases that are known.
#include <cmath>
#include <set>

#include "mcns/samplers/negative_sampler.h"
#include "mcns/samplers/registry.h"
#include "mcns/theory/goodness_of_fit.h"
#include "mcns/theory/selftest.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

TEST(Selftest, EverySamplerOfTheRegistryIsTestedAndHolds) {
  ThreadPool pool(2);
  std::set<std::string> seen;
  for (const SelftestRow& row : selftest_samplers(1, pool)) {
    EXPECT_TRUE(row.holds) << row.spec << " on " << row.graph << ", filter " << row.filter;
    EXPECT_EQ(row.effective_sample_size.has_value(), row.name == "mcns") << row.spec;
    seen.insert(row.name);
  }
  for (const Component& info : builtin_samplers())
    EXPECT_TRUE(seen.contains(info.name)) << info.name;
}

TEST(Selftest, FindsEveryBrokenSamplerAndLetsTheControlPass) {
  ThreadPool pool(1);
  for (const std::uint64_t seed : {1, 2}) {
    const auto rows = selftest_broken_samplers(seed, pool);
    ASSERT_EQ(rows.size(), 5);
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
      EXPECT_FALSE(rows[i].holds) << rows[i].spec;
      EXPECT_LT(rows[i].p_value.value(), 1e-6) << rows[i].spec;
    }
    EXPECT_EQ(rows.back().name, "control-chain");
    EXPECT_TRUE(rows.back().holds);
    EXPECT_FALSE(all_hold(rows));
  }
}

TEST(Selftest, StatisticsOfKnownCases) {
  EXPECT_NEAR(chi_square_tail(18.307, 10), 0.05, 2e-3);
  EXPECT_NEAR(chi_square_tail(37.566, 20), 0.01, 1e-3);
  EXPECT_EQ(chi_square_p_value({{1, 1.0}}, {{2, 10}}), 0);
  EXPECT_EQ(chi_square_p_value({{1, 1.0}}, {{1, 10}}), 1);
  EXPECT_NEAR(total_variation({{1, 0.5}, {2, 0.5}}, {{1, 75}, {3, 25}}), 0.5, 1e-12);
  EXPECT_NEAR(total_variation({{1, 0.5}, {2, 0.5}}, {{1, 50}, {2, 50}}), 0, 1e-12);
}

// x' = r x + noise has (1 - r) / (1 + r) independent draws a state.
TEST(Selftest, EffectiveSampleSizeOfAnAutoregression) {
  constexpr int kStates = 90'000;
  for (const double r : {0.0, 0.5, 0.9}) {
    Rng rng(1, Domain::kTest);
    std::vector<double> states(kStates);
    double x = 0;
    for (double& state : states) state = x = r * x + rng.normal();
    const double expected = kStates * (1 - r) / (1 + r);
    // A variance of 300 means: a standard error of 8 percent.
    EXPECT_NEAR(effective_sample_size(states) / expected, 1, 0.3) << r;
  }
  EXPECT_EQ(effective_sample_size(std::vector<double>(100, 2.0)), 100);
}

TEST(Selftest, TheCommandExitsByTheVerdict) {
  const ScratchFolder folder;
  const Finished broken = run_mcns(folder, "selftest samplers --broken --json");
  EXPECT_EQ(broken.code, 1);
  const auto document = nlohmann::json::parse(broken.out);
  EXPECT_FALSE(document["holds"].get<bool>());
  EXPECT_EQ(document["samplers"][0]["verdict"], "caught");
}

}  // namespace
}  // namespace mcns
