// The default temperature: found on validation where that is possible, never where it was given.
#include "mcns/plan/rules.h"
#include "mcns/train/temperature_search.h"

#include "tests/graph_support.h"
#include "tests/run_binary.h"

namespace mcns {
namespace {

/// The best step and how many were tried, for values of the ladder's steps.
std::pair<int, std::size_t> climbed(const std::vector<double>& values, int start) {
  const auto found = climb(static_cast<int>(values.size()), start,
                           [&](int step) { return std::optional(values[step]); });
  return {found->best, found->tried.size()};
}

TEST(Climb, GoesToTheNearestTop) {
  EXPECT_EQ(climbed({1, 2, 3, 4}, 3), std::pair(3, std::size_t{2}));
  EXPECT_EQ(climbed({4, 3, 2, 1}, 3), std::pair(0, std::size_t{4}));
  EXPECT_EQ(climbed({1, 3, 2, 1}, 3), std::pair(1, std::size_t{4}));
  EXPECT_EQ(climbed({1, 2, 3, 2}, 1), std::pair(2, std::size_t{4}));
  EXPECT_EQ(climbed({1, 2, 3, 2}, 2), std::pair(2, std::size_t{3}));
  EXPECT_EQ(climbed({1}, 0), std::pair(0, std::size_t{1}));
}

TEST(Climb, StaysWhereNothingIsBetter) {
  EXPECT_EQ(climbed({2, 2, 2, 2}, 2).first, 2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(climbed({nan, nan, 1, nan}, 2).first, 2);
}

TEST(Climb, StopsWhenInterrupted) {
  int calls = 0;
  EXPECT_FALSE(climb(4, 3, [&](int) { return ++calls > 1 ? std::nullopt : std::optional(1.0); }));
  EXPECT_EQ(calls, 2);
}

class Temperature : public testing::Test {
 protected:
  nlohmann::json settings_of(const std::string& flags, int dim = 8) {
    const auto done = run_mcns(
        folder_, fmt::format("run --task recommend --force --dim {} --train {} --out {} {}", dim,
                             ratings_, folder_.path("out"), flags));
    EXPECT_EQ(done.code, 0) << done.err;
    said_ = done.err;
    return nlohmann::json::parse(
        content_of(folder_.path("out/run.json")))["settings"]["temperature"];
  }

  ScratchFolder folder_;
  std::string ratings_ = [this] {
    Rng rng(7, Domain::kTest);
    std::string lines;
    for (int i = 0; i < 600; ++i) {
      const auto group = rng.below(2);
      lines += fmt::format("u{}\ti{}\n", group * 20 + rng.below(20), group * 30 + rng.below(30));
    }
    return folder_.write("ratings.tsv", lines);
  }();
  std::string said_;
};

TEST_F(Temperature, IsFoundOnValidation) {
  const auto found = settings_of("--epochs 20");
  EXPECT_EQ(found["from"], "tuned");
  EXPECT_TRUE(contains(said_, fmt::format("temperature {}: valid mrr", found["value"].dump())))
      << said_;
  const std::string first = content_of(folder_.path("out/embeddings.npy"));
  settings_of("--epochs 20 --threads 3");
  EXPECT_EQ(content_of(folder_.path("out/embeddings.npy")), first);
  settings_of("--epochs 20 --temperature " + found["value"].dump());
  EXPECT_EQ(content_of(folder_.path("out/embeddings.npy")), first) << "the trials leave no trace";
}

TEST_F(Temperature, TrialsOfWideVectorsAreNarrowAndLonger) {
  settings_of("--epochs 20");
  EXPECT_TRUE(contains(said_, "after 2 epochs with 8 dimensions")) << said_;
  settings_of("--epochs 20", 128);
  EXPECT_TRUE(contains(said_, "after 4 epochs with 64 dimensions")) << said_;
  settings_of("--epochs 20", 96);
  EXPECT_TRUE(contains(said_, "after 3 epochs with 64 dimensions")) << said_;
}

TEST_F(Temperature, OfAnInterruptedRunStays) {
  const std::string run = "run --task recommend --dim 8 --train " + ratings_ + " --out " +
                          folder_.path("out") +
                          " --checkpoint-every 1 --patience 0 --resume --epochs ";
  Process process(folder_, run + "400");
  ASSERT_TRUE(process.wait_for(folder_.path("out/checkpoint/state.bin")));
  process.signal(SIGINT);
  const auto stopped = process.wait();
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_TRUE(contains(stopped.err, "temperature 0")) << stopped.err;
  const auto resumed = run_mcns(folder_, run + "500");
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_FALSE(contains(resumed.err, "temperature")) << "it was sought again\n" << resumed.err;
}

TEST_F(Temperature, TheFolderIsLockedWhileItIsSought) {
  const std::string run =
      "run --task recommend --data debian --epochs 100000 --quiet --out " + folder_.path("out");
  Process process(folder_, run);
  ASSERT_TRUE(process.wait_for(folder_.path("out/.lock")));
  const ScratchFolder other;
  expect_failure(other, run + " --force", 4, "in use by another run");
  process.signal(SIGKILL);
  process.wait();
}

TEST_F(Temperature, ARunRepeatsByItsSettings) {
  settings_of("--epochs 20");
  const auto done = run_mcns(folder_, "run --quiet --config " + folder_.path("out/run.json") +
                                          " --out " + folder_.path("again"));
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(content_of(folder_.path("again/embeddings.npy")),
            content_of(folder_.path("out/embeddings.npy")));
}

TEST_F(Temperature, IsNotSoughtWhereItIsGivenOrCannotBe) {
  EXPECT_EQ(settings_of("--epochs 20 --temperature 0.2")["from"], "given");
  EXPECT_EQ(settings_of("--epochs 5")["from"], "default");
  EXPECT_EQ(settings_of("--epochs 20 --similarity dot")["value"], 1);
  EXPECT_EQ(settings_of("--epochs 20 --split random --valid-share 0")["from"], "default");
  EXPECT_FALSE(contains(said_, "temperature"));
}

TEST_F(Temperature, TheRuleBehindTheDefaultIsShownWithItsNumbers) {
  const auto done = run_mcns(folder_, "run --task recommend --plan --train " + ratings_);
  EXPECT_TRUE(contains(done.out, "defaults that follow the data")) << done.out;
  EXPECT_TRUE(contains(done.out, "temperature = clamp(")) << done.out;
  EXPECT_TRUE(contains(done.out, "sources 40, targets 60, edges ")) << done.out;
}

TEST(Rules, OnlyDefaultsHaveThem) {
  const Graph graph = make_graph({{0, 2}, {1, 3}}, 4, {GraphKind::kBipartite, 2});
  const auto names = [&](const TrainOptions& options) {
    std::vector<std::string> out;
    for (const Rule& rule : rules_of(make_plan(options, Task::kRecommend, graph)))
      out.push_back(rule.setting);
    return out;
  };
  const auto all = names({});
  EXPECT_NE(std::ranges::find(all, "batch"), all.end());
  EXPECT_NE(std::ranges::find(all, "temperature"), all.end());
  EXPECT_EQ(std::ranges::find(all, "lr"), all.end()) << "a number is no rule";
  TrainOptions given;
  given.batch = 7;
  const auto rest = names(given);
  EXPECT_EQ(std::ranges::find(rest, "batch"), rest.end());
}

}  // namespace
}  // namespace mcns
