// Folds and hold-outs of interactions: sizes, partition, determinism, and what hold-outs must keep.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"
#include "mcns/splits/interactions.h"

namespace mcns {
namespace {

/// `count` distinct pairs of 40 users (rows 0 .. 39) and 60 items (rows 40 .. 99), shuffled.
std::vector<Pair> some_pairs(std::size_t count, std::uint64_t seed = 1) {
  Rng rng(seed, Domain::kTest);
  std::set<Pair> seen;
  std::vector<Pair> out;
  while (out.size() < count) {
    const Pair pair{static_cast<NodeId>(rng.below(40)), static_cast<NodeId>(40 + rng.below(60))};
    if (seen.insert(pair).second) out.push_back(pair);
  }
  return out;
}

std::vector<float> weights_of(const std::vector<Pair>& pairs) {
  std::vector<float> out;
  for (const auto [u, v] : pairs) out.push_back(static_cast<float>(u * 100 + v));
  return out;
}

std::multiset<Pair> together(const InteractionSplit& split) {
  std::multiset<Pair> all(split.train.pairs.begin(), split.train.pairs.end());
  all.insert(split.valid.begin(), split.valid.end());
  all.insert(split.test.begin(), split.test.end());
  return all;
}

bool equal(const InteractionSplit& a, const InteractionSplit& b) {
  return a.train.pairs == b.train.pairs && a.train.weights == b.train.weights &&
         a.valid == b.valid && a.test == b.test;
}

TEST(SplitInteractions, SizesAreTheFractionsAndNothingIsLost) {
  const auto pairs = some_pairs(503);
  const auto split = split_interactions(pairs, 0.1, 0.2, 7, weights_of(pairs));
  EXPECT_EQ(split.valid.size(), 50);
  EXPECT_EQ(split.test.size(), 101);
  EXPECT_EQ(split.train.pairs.size(), 352);
  EXPECT_EQ(together(split), std::multiset<Pair>(pairs.begin(), pairs.end()));
  EXPECT_EQ(split.train.weights, weights_of(split.train.pairs));
}

TEST(SplitInteractions, KeepsInputOrderWithinParts) {
  const auto pairs = some_pairs(200);
  const auto split = split_interactions(pairs, 0.2, 0.2, 7);
  const auto is_subsequence = [&](const std::vector<Pair>& part) {
    auto at = pairs.begin();
    return std::all_of(part.begin(), part.end(), [&](Pair pair) {
      at = std::find(at, pairs.end(), pair);
      return at != pairs.end();
    });
  };
  EXPECT_TRUE(is_subsequence(split.train.pairs));
  EXPECT_TRUE(is_subsequence(split.valid));
  EXPECT_TRUE(is_subsequence(split.test));
}

TEST(SplitInteractions, SeedNamesTheSplitAndLineOrderDoesNot) {
  auto pairs = some_pairs(300);
  const auto split = split_interactions(pairs, 0.1, 0.1, 7);
  EXPECT_TRUE(equal(split, split_interactions(pairs, 0.1, 0.1, 7)));
  EXPECT_FALSE(equal(split, split_interactions(pairs, 0.1, 0.1, 8)));
  std::reverse(pairs.begin(), pairs.end());
  auto reversed = split_interactions(pairs, 0.1, 0.1, 7);
  std::reverse(reversed.test.begin(), reversed.test.end());
  EXPECT_EQ(split.test, reversed.test);
}

TEST(SplitInteractions, RepeatedPairsStayInOnePart) {
  auto pairs = some_pairs(100);
  const auto copies = pairs;
  pairs.insert(pairs.end(), copies.begin(), copies.end());
  const auto split = split_interactions(pairs, 0.2, 0.2, 3);
  EXPECT_EQ(together(split), std::multiset<Pair>(pairs.begin(), pairs.end()));
  const std::set<Pair> train(split.train.pairs.begin(), split.train.pairs.end());
  const std::set<Pair> test(split.test.begin(), split.test.end());
  EXPECT_EQ(test.size(), 20);
  EXPECT_EQ(split.test.size(), 40);
  for (const Pair pair : test) EXPECT_FALSE(train.contains(pair));
}

TEST(SplitInteractions, EveryPairIsHeldOutEquallyOften) {
  const auto pairs = some_pairs(20);
  std::map<Pair, int> held_out;
  constexpr int kSeeds = 2000;
  for (int seed = 0; seed < kSeeds; ++seed)
    for (const Pair pair : split_interactions(pairs, 0.0, 0.25, seed).test) ++held_out[pair];
  // 5 of 20 without replacement: the counts have covariance (I - J/20) * 2000 * 0.25 * 0.75 *
  // 20/19, so the scaled sum of squares is chi-square with 19 degrees; 43.8 is its 0.1 % point.
  double statistic = 0;
  for (const Pair pair : pairs) {
    const double off = held_out[pair] - kSeeds * 0.25;
    statistic += off * off / (kSeeds * 0.25 * 0.75 * 20 / 19);
  }
  EXPECT_LT(statistic, 43.8);
}

TEST(SplitInteractions, RefusesWrongArguments) {
  const auto pairs = some_pairs(10);
  EXPECT_THROW(split_interactions(pairs, 0.5, 0.5, 1), Error);
  EXPECT_THROW(split_interactions(pairs, -0.1, 0.5, 1), Error);
  EXPECT_THROW(split_interactions(pairs, std::nan(""), 0.5, 1), Error);
  EXPECT_THROW(split_interactions(pairs, 0.1, 0.1, 1, std::vector<float>(3)), Error);
  EXPECT_THROW(fold_interactions(pairs, 11, 0, 1), Error);
  EXPECT_THROW(fold_interactions(pairs, 11, 11, 1), Error);
  EXPECT_THROW(fold_interactions(pairs, 2, 1, 1), Error);
}

TEST(SplitInteractions, AcceptsNoPairs) {
  EXPECT_TRUE(split_interactions({}, 0.1, 0.1, 1).train.pairs.empty());
  EXPECT_TRUE(fold_interactions({}, 11, 1, 1).test.empty());
  EXPECT_TRUE(hold_out_interactions({}, 0.1, 1).valid.empty());
}

TEST(FoldInteractions, TenTestPartsAndTheValidPartCoverEveryPairOnce) {
  const auto pairs = some_pairs(500);
  std::multiset<Pair> seen;
  const auto valid = fold_interactions(pairs, 11, 1, 5).valid;
  seen.insert(valid.begin(), valid.end());
  for (int fold = 1; fold <= 10; ++fold) {
    const auto split = fold_interactions(pairs, 11, fold, 5, weights_of(pairs));
    EXPECT_EQ(split.valid, valid);
    EXPECT_TRUE(split.test.size() == 45 || split.test.size() == 46) << split.test.size();
    EXPECT_EQ(together(split), std::multiset<Pair>(pairs.begin(), pairs.end()));
    EXPECT_EQ(split.train.weights, weights_of(split.train.pairs));
    seen.insert(split.test.begin(), split.test.end());
  }
  EXPECT_EQ(seen, std::multiset<Pair>(pairs.begin(), pairs.end()));
}

TEST(HoldOutInteractions, NoNodeLosesItsLastPair) {
  for (const double fraction : {0.05, 0.5, 0.95}) {
    // Few pairs, so that many nodes have one or two.
    const auto pairs = some_pairs(120);
    const auto split = hold_out_interactions(pairs, fraction, 9, weights_of(pairs));
    EXPECT_EQ(together(split), std::multiset<Pair>(pairs.begin(), pairs.end()));
    EXPECT_EQ(split.train.weights, weights_of(split.train.pairs));
    EXPECT_TRUE(split.test.empty());
    std::set<NodeId> before, after;
    for (const auto [u, v] : pairs) before.insert({u, v});
    for (const auto [u, v] : split.train.pairs) after.insert({u, v});
    EXPECT_EQ(before, after) << fraction;
  }
}

TEST(HoldOutInteractions, TakesTheFractionOfEverySource) {
  const auto pairs = some_pairs(1600);
  std::map<NodeId, int> degree, taken;
  for (const auto [u, v] : pairs) ++degree[u];
  const auto split = hold_out_interactions(pairs, 0.1, 9);
  for (const auto [u, v] : split.valid) ++taken[u];
  for (const auto [user, pairs_of_user] : degree)
    EXPECT_NEAR(taken[user], 0.1 * pairs_of_user, 1.0) << user;
  EXPECT_NEAR(static_cast<double>(split.valid.size()), 160, 12);
}

}  // namespace
}  // namespace mcns
