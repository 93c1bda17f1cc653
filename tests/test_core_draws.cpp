// Alias tables and keyed permutations.
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "mcns/core/alias_table.h"
#include "mcns/positives/permutation.h"

#include "tests/chi_square.h"
#include "tests/test_io_files.h"

namespace mcns {
namespace {

/// The distribution that the columns stand for, exactly.
std::vector<double> distribution_of(const AliasTable& table) {
  std::vector<double> distribution(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto [threshold, alias] = table.column(i);
    distribution[i] += threshold * 0x1.0p-32;
    distribution[alias] += 1 - threshold * 0x1.0p-32;
  }
  return distribution;
}

void expect_table(const std::vector<double>& weights) {
  const AliasTable table(weights);
  double total = 0;
  for (const double w : weights) total += w;
  const auto distribution = distribution_of(table);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double share = weights[i] / total * static_cast<double>(weights.size());
    EXPECT_NEAR(distribution[i], share, 1e-8 * static_cast<double>(weights.size()))
        << "entry " << i;
    if (weights[i] == 0) {
      EXPECT_EQ(distribution[i], 0) << "entry " << i;
    }
  }
}

TEST(AliasTable, ColumnsAddUpToTheWeights) {
  expect_table({1});
  expect_table({1e-300});
  expect_table({0, 0, 5});
  expect_table({5, 0, 0});
  expect_table({1, 1, 1, 1});
  expect_table({0.1, 0.2, 0.3, 0.4});
  expect_table({1e12, 1, 1e-12});
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed, Domain::kTest);
    std::vector<double> weights(1 + rng.below(200));
    for (double& w : weights) w = rng.below(4) == 0 ? 0 : std::pow(rng.uniform(), 3);
    weights[rng.below(weights.size())] = 1;
    expect_table(weights);
  }
}

TEST(AliasTable, DrawsByWeight) {
  const std::vector<double> weights = {3, 0, 1, 0.5, 10, 2, 0};
  const AliasTable table(weights);
  std::vector<std::int64_t> counts(weights.size());
  Rng rng(1, Domain::kTest);
  for (int i = 0; i < 200000; ++i) ++counts[table.draw(rng)];
  expect_distribution(counts, weights);
}

TEST(AliasTable, RefusesWeightsThatMakeNoDistribution) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& weights :
       {std::vector<double>{}, {0, 0}, {1, nan}, {1, infinity}, {3, -1}, {-1}, {1e308, 1e308}})
    EXPECT_THROW(AliasTable{weights}, Error);
}

TEST(AliasTable, RefusesMoreColumnsThanItCanNumber) {
  constexpr std::size_t kMost = std::size_t{1} << 31;  // the last one is INT32_MAX
  EXPECT_EQ(AliasTable::checked_size(kMost), kMost);
  for (const std::size_t columns : {kMost + 1, kMost * 2, kMost * 1000}) {
    try {
      AliasTable::checked_size(columns);
      FAIL() << columns;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kRuntime);
      EXPECT_TRUE(std::string(error.what()).find(std::to_string(columns)) != std::string::npos)
          << error.what();
    }
  }
}

TEST(KeyedPermutation, IsAPermutationForEverySmallSize) {
  for (std::uint64_t n = 1; n <= 300; ++n)
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const KeyedPermutation order(n, Rng(seed, Domain::kShuffle));
      std::vector<bool> seen(n);
      for (std::uint64_t i = 0; i < n; ++i) {
        const auto at = order(i);
        ASSERT_LT(at, n);
        ASSERT_FALSE(seen[at]) << "n = " << n;
        seen[at] = true;
      }
    }
}

TEST(KeyedPermutation, LargeSizesStayInRangeAndDoNotCollide) {
  for (const std::uint64_t n :
       {(1ULL << 32) - 1, 1ULL << 32, (1ULL << 32) + 1, 3'000'000'019ULL, (1ULL << 40) + 7}) {
    const KeyedPermutation order(n, Rng(n, Domain::kShuffle));
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const std::uint64_t place = i < 10000 ? i : n - 1 - (i - 10000);
      const auto at = order(place);
      ASSERT_LT(at, n);
      ASSERT_TRUE(seen.insert(at).second);
    }
  }
}

/// Four rounds are no uniform permutation of a handful, but every place must be open to every
/// number.
TEST(KeyedPermutation, EveryPlaceIsReachedFromEveryPlace) {
  constexpr int kSize = 10, kKeys = 20000;
  std::vector<int> counts(kSize * kSize);
  for (std::uint64_t seed = 0; seed < kKeys; ++seed) {
    const KeyedPermutation order(kSize, Rng(seed, Domain::kShuffle));
    for (int i = 0; i < kSize; ++i) ++counts[i * kSize + static_cast<int>(order(i))];
  }
  for (const int count : counts) EXPECT_NEAR(count, kKeys / kSize, kKeys / kSize / 3);
}

TEST(KeyedPermutation, ImagesOfAPlaceAreUniformWhereThereAreMany) {
  constexpr int kSize = 5000, kCells = 20;
  for (const int place : {0, 1, 17, kSize / 2, kSize - 1}) {
    std::vector<std::int64_t> counts(kCells);
    for (std::uint64_t seed = 0; seed < 20000; ++seed)
      ++counts[KeyedPermutation(kSize, Rng(seed, Domain::kShuffle))(place) * kCells / kSize];
    expect_distribution(counts, std::vector<double>(kCells, 1), "images of a place");
  }
}

}  // namespace
}  // namespace mcns
