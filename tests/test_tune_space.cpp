// What a search may change: never what was given, within its ranges, under its conditions, evenly.
#include <map>

#include <gtest/gtest.h>

#include "mcns/core/graph_stats.h"
#include "mcns/tune/space.h"

#include "tests/graph_support.h"
#include "tests/test_io_files.h"

namespace mcns {
namespace {

/// The built-in components and a sampler with every kind of tuning.
const Components& with_probe() {
  static const Components all = [] {
    Components out = builtin_components();
    SamplerEntry probe{
        {"probe",
         "",
         {choice_parameter("mode", {"a", "b"}, "a", "").tuned_among({"a", "b"}),
          number_parameter("x", "1", {0, 100}, "").when("mode=b", "10").tuned_by_factor(0.5, 2),
          number_parameter("only_b", "0.5", {0, 1}, "").tuned({0, 1}, Scale::kLinear, "mode=b"),
          integer_parameter("n", "5", {3, 1 << 20}, "").tuned({1, 64}, Scale::kLog),
          integer_parameter("by_size", "2", {1, 1000}, "")
              .tuned_between("2", "2*default+targets", Scale::kLinear),
          number_parameter("for_links", "1", {0, 9}, "")
              .tuned({1, 9}, Scale::kLinear, "task=linkpred"),
          number_parameter("fixed", "1", {0, 9}, "")}}};
    out.samplers.add(probe);
    return out;
  }();
  return all;
}

class Space : public testing::Test {
 protected:
  Space() {
    experiment_.task = Task::kRecommend;
    experiment_.components = &with_probe();
    experiment_.train.sampler = "probe";
    experiment_.train.similarity = "dot";
  }
  std::vector<TunedSettings> settings(int count) const {
    const SearchSpace space(experiment_, graph_);
    std::vector<TunedSettings> out;
    for (int i = 0; i < count; ++i) out.push_back(space.setting(i));
    return out;
  }
  std::set<std::string> changed(int count = 40) const {
    std::set<std::string> out;
    for (const TunedSettings& setting : settings(count))
      for (const auto& [name, value] : setting) out.insert(name);
    return out;
  }

  Experiment experiment_;
  Graph graph_ = random_graph(GraphKind::kBipartite, 40, 100, 1);
};

TEST_F(Space, SettingZeroIsTheDefaults) { EXPECT_TRUE(settings(1)[0].empty()); }

TEST_F(Space, OpensWhatIsDescribedAndNotGiven) {
  EXPECT_EQ(changed(), (std::set<std::string>{"lr", "l2", "sampler.mode", "sampler.x",
                                              "sampler.only_b", "sampler.n", "sampler.by_size"}));
  experiment_.train.lr = 0.05;
  experiment_.train.sampler = "probe:n=7,x=3";
  EXPECT_EQ(changed(),
            (std::set<std::string>{"l2", "sampler.mode", "sampler.only_b", "sampler.by_size"}));
  experiment_.train.l2 = 1;
  experiment_.from_config = {"l2"};
  EXPECT_FALSE(changed().contains("l2"));
}

TEST_F(Space, APresetStaysOpen) {
  experiment_.train.preset = "paper";
  EXPECT_TRUE(changed().contains("lr"));
}

TEST_F(Space, ConditionsSeeTheTaskAndWhatWasChosenBefore) {
  int with_a = 0;
  for (const TunedSettings& setting : settings(60)) {
    const bool b = setting.contains("sampler.mode");  // a is the default
    EXPECT_TRUE(b || !setting.contains("sampler.only_b"));
    with_a += b ? 0 : 1;
    if (!setting.contains("sampler.x")) continue;
    // The default is 1 with mode a and 10 with mode b.
    const double x = std::stod(setting.at("sampler.x"));
    EXPECT_GE(x, b ? 5 : 0.5);
    EXPECT_LE(x, b ? 20 : 2);
  }
  EXPECT_GT(with_a, 20);
  EXPECT_LT(with_a, 40);
  const Graph links = random_graph(GraphKind::kUndirected, 20, 40, 1);
  experiment_.task = Task::kLinkpred;
  const auto dimensions = SearchSpace(experiment_, links).dimensions();
  EXPECT_TRUE(std::ranges::any_of(
      dimensions, [](const Dimension& d) { return d.name == "sampler.for_links"; }));
}

TEST_F(Space, StaysInItsRanges) {
  for (const TunedSettings& setting : settings(200)) {
    const Plan plan = SearchSpace(experiment_, graph_).plan(setting, 3);
    EXPECT_EQ(*plan.options.epochs, 3);
    for (const auto& [name, value] : setting) {
      EXPECT_EQ(find_setting(plan.settings, name)->value, value);
      EXPECT_EQ(find_setting(plan.settings, name)->from, Origin::kTuned);
      EXPECT_LE(value.size(), 8U) << name << " " << value;
    }
    if (setting.contains("sampler.n")) {
      const int n = std::stoi(setting.at("sampler.n"));
      EXPECT_GE(n, 3);  // of the parameter; the tuning says 1
      EXPECT_LE(n, 64);
    }
    if (setting.contains("sampler.by_size")) {
      EXPECT_LE(std::stoi(setting.at("sampler.by_size")), 24);
    }
  }
}

TEST_F(Space, IsTheSameForASeedAndAnIndex) {
  const auto some = settings(10), more = settings(30);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), more.begin()));
  experiment_.seed = 2;
  EXPECT_NE(settings(10), some);
}

TEST_F(Space, CoversRangesEvenly) {
  experiment_.train.sampler = "rns";
  experiment_.train.similarity = "dot";
  int low = 0;
  std::set<std::string> different;
  const auto all = settings(21);
  for (const TunedSettings& setting : all) {
    if (!setting.contains("lr")) continue;
    different.insert(setting.at("lr"));
    low += std::stod(setting.at("lr")) < 0.05 ? 1 : 0;  // the middle of 0.02 to 0.125, log
  }
  EXPECT_NEAR(low, 10, 1);
  EXPECT_GE(different.size(), 19U);
}

TEST_F(Space, AZeroDefaultHasARangeOfItsOwn) {
  const Graph links = random_graph(GraphKind::kUndirected, 20, 40, 1);
  experiment_.task = Task::kLinkpred;
  experiment_.train.sampler = "rns";
  const auto dimensions = SearchSpace(experiment_, links).dimensions();
  ASSERT_EQ(dimensions.size(), 2U);
  EXPECT_EQ(dimensions[0].range_text(), "0.02 to 0.125, log");
  EXPECT_EQ(dimensions[1].name, "l2");
  EXPECT_EQ(dimensions[1].value, "0");
  EXPECT_EQ(dimensions[1].range_text(), "0.0001 to 0.1, log");
}

TEST(Halton, IsUniformAndUnrelatedBetweenDimensions) {
  for (int dimension = 0; dimension < 12; ++dimension) {
    int low = 0, both = 0;
    for (int i = 1; i <= 400; ++i) {
      const double u = scrambled_halton(7, dimension, i);
      ASSERT_GE(u, 0);
      ASSERT_LT(u, 1);
      low += u < 0.5 ? 1 : 0;
      both += u < 0.5 && scrambled_halton(7, dimension + 1, i) < 0.5 ? 1 : 0;
    }
    EXPECT_NEAR(low, 200, 12) << dimension;
    EXPECT_NEAR(both, 100, 16) << dimension;
  }
}

/// Formulas and conditions of every built-in description can be read, and its values fit.
TEST(Tunings, OfEveryComponentFitTheParameter) {
  int open = 0;
  for (const Task task : {Task::kRecommend, Task::kLinkpred}) {
    const bool users = task == Task::kRecommend;
    const Graph graph =
        random_graph(users ? GraphKind::kBipartite : GraphKind::kUndirected, 60, 200, 1);
    for (const std::string& sampler : builtin_samplers().names()) {
      if (sampler == "mix" || sampler == "file") continue;
      Experiment experiment;
      experiment.task = task;
      experiment.train.sampler = sampler;
      const SearchSpace space(experiment, graph);
      open += static_cast<int>(space.dimensions().size());
      for (int i = 0; i < 10; ++i) EXPECT_NO_THROW(space.plan(space.setting(i), 1)) << sampler;
    }
  }
  EXPECT_GT(open, 60);
}

TEST(Tuned, AGivenValueCountsBeforeATunedOne) {
  const Graph graph = random_graph(GraphKind::kBipartite, 40, 100, 1);
  const TunedSettings tuned = {{"lr", "0.5"}, {"sampler.hardness", "9"}, {"l2", "0.25"}};
  const Plan plan = make_plan({.sampler = "mcns:hardness=4", .l2 = 2}, Task::kRecommend, graph,
                              builtin_components(), {}, tuned);
  EXPECT_EQ(find_setting(plan.settings, "sampler.hardness")->value, "4");
  EXPECT_EQ(find_setting(plan.settings, "l2")->from, Origin::kGiven);
  EXPECT_EQ(*plan.options.lr, 0.5);
  EXPECT_EQ(find_setting(plan.settings, "lr")->from, Origin::kTuned);
  const auto wrong = [&](const TunedSettings& values) {
    return error_of(ErrorKind::kUsage, [&] {
      make_plan({.sampler = "rns"}, Task::kRecommend, graph, builtin_components(), {}, values);
    });
  };
  EXPECT_TRUE(contains(wrong(tuned), "'sampler.hardness'"));
  EXPECT_TRUE(contains(wrong({{"lr", "fast"}}), "--lr"));
}

}  // namespace
}  // namespace mcns
