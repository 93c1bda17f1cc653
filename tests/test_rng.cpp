// Golden values: the generator is part of every saved result, so it must not change by accident.
#include <vector>

#include <gtest/gtest.h>

#include "mcns/core/rng.h"

#include "tests/chi_square.h"

namespace mcns {
namespace {

TEST(Rng, StreamsWithDifferentNamesDiffer) {
  Rng a(1, Domain::kTest, 0, 0), b(1, Domain::kTest, 0, 1), c(1, Domain::kTest, 1, 0),
      d(2, Domain::kTest, 0, 0);
  const auto first = a.next();
  EXPECT_NE(first, b.next());
  EXPECT_NE(first, c.next());
  EXPECT_NE(first, d.next());
}

// Made by an implementation in Python from the description in rng.h; its SplitMix64 gives the
// published 6457827717110365317 for seed 1234567.
TEST(Rng, GoldenValues) {
  const auto expect = [](Rng rng, std::vector<std::uint64_t> values) {
    for (const auto value : values) EXPECT_EQ(rng.next(), value);
  };
  expect(Rng(1, Domain::kTest),
         {0xe294b3addb298a60ULL, 0xfc6192bfd680f6f6ULL, 0x3eae52675561dbe6ULL});
  expect(Rng(42, Domain::kNegatives, 7, 123456789),
         {0xee7f034c2141bd0cULL, 0xf15e6127ed2ac071ULL, 0xf75c6ca033fe16d3ULL});
  expect(Rng(UINT64_MAX, Domain::kPositives, std::uint64_t{1} << 40, UINT64_MAX),
         {0x8e58fe7e0a8293e4ULL, 0xb6e3f14e04c00f2bULL, 0xdedfbeeba39b956fULL});
  expect(Streams(42, Domain::kNegatives, 7).at(123456789), {0xee7f034c2141bd0cULL});
}

TEST(Rng, BelowStaysBelowAndReachesBothEnds) {
  Rng rng(3, Domain::kTest);
  for (const std::uint64_t n : {1ULL, 2ULL, 3ULL, 7ULL, 1000ULL, 1ULL << 31, (1ULL << 63) + 1}) {
    bool low = false, high = false;
    for (int i = 0; i < 100000; ++i) {
      const auto value = rng.below(n);
      ASSERT_LT(value, n);
      low |= value < (n + 9) / 10;
      high |= value >= n - (n + 9) / 10;
    }
    EXPECT_TRUE(low && high) << n;
  }
}

TEST(Rng, UniformNumbersAreUniform) {
  constexpr int kCells = 64;
  std::vector<std::int64_t> below(kCells), doubles(kCells), floats(kCells), first(kCells);
  Rng rng(5, Domain::kTest);
  const Streams streams(5, Domain::kTest, 1);
  for (int i = 0; i < 200000; ++i) {
    ++below[rng.below(kCells)];
    const double u = rng.uniform();
    const float f = rng.uniformf();
    ASSERT_TRUE(u >= 0 && u < 1 && f >= 0 && f < 1);
    ++doubles[static_cast<int>(u * kCells)];
    ++floats[static_cast<int>(f * kCells)];
    ++first[streams.at(i).below(kCells)];  // neighbouring names must not look alike
  }
  const std::vector<double> distribution(kCells, 1);
  expect_distribution(below, distribution, "below");
  expect_distribution(doubles, distribution, "uniform");
  expect_distribution(floats, distribution, "uniformf");
  expect_distribution(first, distribution, "first numbers of neighbouring streams");
}

TEST(Rng, NeighbouringStreamsAreIndependent) {
  std::vector<std::int64_t> joint(64);
  for (std::uint64_t a = 0; a < 200; ++a)
    for (std::uint64_t b = 0; b < 200; ++b)
      ++joint[Rng(1, Domain::kTest, a, b).below(8) * 8 + Rng(1, Domain::kTest, a, b + 1).below(8)];
  expect_distribution(joint, std::vector<double>(64, 1));
}

TEST(Rng, NormalHasTheMomentsOfANormal) {
  Rng rng(9, Domain::kTest);
  constexpr int kDraws = 200000;
  double sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = rng.normal();
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0, 5 / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 1, 5 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(fourth / kDraws, 3, 5 * std::sqrt(96.0 / kDraws));
}

}  // namespace
}  // namespace mcns
