// Successive halving on a function: which settings go on, what it costs, ties and failures.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "mcns/tune/halving.h"

#include "tests/test_io_files.h"

namespace mcns {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Runs with values from `value(setting, epochs)`; the rungs that were trained are in `ran`.
template <class Value>
HalvingResult halve(int settings, int epochs, const Value& value, std::vector<Rung>& ran) {
  return successive_halving(settings, epochs, [&](const Rung& rung) {
    ran.push_back(rung);
    std::vector<double> out;
    for (const int setting : rung.settings) out.push_back(value(setting, rung.epochs));
    return std::optional(out);
  });
}

TEST(Halving, TheBestFifthThenTheBestTwoAndTheDefaultsGoOn) {
  std::vector<Rung> ran;
  const auto found = halve(
      20, 60, [](int setting, int) { return -std::abs(setting - 7.2); }, ran);
  ASSERT_EQ(ran.size(), 3U);
  EXPECT_EQ(ran[0].settings.size(), 20U);
  EXPECT_EQ(ran[1].settings, (std::vector<int>{6, 7, 8, 9}));
  EXPECT_EQ(ran[2].settings, (std::vector<int>{0, 7, 8}));
  EXPECT_EQ(ran[0].epochs, 6);
  EXPECT_EQ(ran[1].epochs, 20);
  EXPECT_EQ(ran[2].epochs, 60);
  EXPECT_TRUE(found.finished);
  EXPECT_EQ(found.best, 7);
}

TEST(Halving, TheLastRungDecides) {
  std::vector<Rung> ran;
  const auto found = halve(
      8, 30, [](int setting, int epochs) { return epochs == 30 ? -setting : setting; }, ran);
  EXPECT_EQ(ran[2].settings, (std::vector<int>{0, 6, 7}));
  EXPECT_EQ(found.best, 0);
}

TEST(Halving, TwentySettingsCostEightRunsAtMost) {
  for (const int epochs : {4, 5, 6, 7, 8, 9, 10, 12, 15, 25, 30, 60, 100, 300}) {
    std::vector<Rung> ran;
    halve(
        20, epochs, [](int setting, int) { return setting; }, ran);
    double cost = 0;
    for (const Rung& rung : ran)
      cost += static_cast<double>(rung.settings.size()) * rung.epochs / epochs;
    EXPECT_LE(cost, epochs % 10 == 0 ? 6.4 : 8.0) << epochs;
    EXPECT_GE(cost, 6.0) << epochs;
  }
}

TEST(Halving, OfEqualOnesTheLowerNumberGoesOn) {
  std::vector<Rung> ran;
  const auto found = halve(
      12, 10, [](int, int) { return 0.5; }, ran);
  EXPECT_EQ(ran[1].settings, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(ran[2].settings, (std::vector<int>{0, 1}));
  EXPECT_EQ(found.best, 0);
}

TEST(Halving, AFailureIsWorseThanAnything) {
  std::vector<Rung> ran;
  const auto found = halve(
      4, 10, [](int setting, int) { return setting == 2 ? -1e300 : kNan; }, ran);
  EXPECT_EQ(ran[1].settings, (std::vector<int>{0, 2}));
  EXPECT_EQ(found.best, 2);
  EXPECT_TRUE(std::isnan(found.rungs[0].values[0]));
}

TEST(Halving, AsManyEpochsAsBeforeAreNotTrainedAgain) {
  std::vector<Rung> ran;
  const auto found = halve(
      9, 1, [](int setting, int) { return setting == 4; }, ran);
  ASSERT_EQ(ran.size(), 1U);
  ASSERT_EQ(found.rungs.size(), 2U);
  EXPECT_EQ(found.rungs[1].rung.settings, (std::vector<int>{0, 4}));
  EXPECT_EQ(found.rungs[1].values, (std::vector<double>{0, 1}));
  EXPECT_EQ(found.best, 4);
}

TEST(Halving, OneSettingIsTheBest) {
  std::vector<Rung> ran;
  EXPECT_EQ(halve(
                1, 10, [](int, int) { return 0.1; }, ran)
                .best,
            0);
  EXPECT_EQ(ran[2].settings, std::vector<int>{0});
}

TEST(Halving, StopsWhereARungSaysSo) {
  int rungs = 0;
  const auto found = successive_halving(8, 10, [&](const Rung& rung) {
    return ++rungs == 2 ? std::nullopt : std::optional(std::vector<double>(rung.settings.size()));
  });
  EXPECT_FALSE(found.finished);
  EXPECT_EQ(rungs, 2);
  EXPECT_EQ(found.rungs.size(), 1U);
}

TEST(Halving, RefusesNothingToDo) {
  const auto never = [](const Rung&) { return std::optional<std::vector<double>>(); };
  EXPECT_TRUE(contains(error_of(ErrorKind::kUsage, [&] { successive_halving(0, 5, never); }),
                       "got 0 and 5"));
  error_of(ErrorKind::kUsage, [&] { successive_halving(5, 0, never); });
}

}  // namespace
}  // namespace mcns
