// Goodness of fit, for tests of distributions. Seeds are fixed, so a test passes always or never;
// the error rate says how likely a right sampler would have been to draw a bad seed.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace mcns {

/// Counts against expected probabilities (they need not add up to 1). A cell of probability 0 must
/// be empty. Rejects at five standard deviations of Wilson and Hilferty's normal: rate 3e-7.
inline void expect_distribution(const std::vector<std::int64_t>& counts,
                                const std::vector<double>& distribution, const char* what = "") {
  ASSERT_EQ(counts.size(), distribution.size());
  double draws = 0, total = 0, statistic = 0;
  for (const auto c : counts) draws += static_cast<double>(c);
  for (const double p : distribution) total += p;
  int cells = 0;
  for (std::size_t i = 0; i < distribution.size(); ++i) {
    if (distribution[i] == 0) {
      EXPECT_EQ(counts[i], 0) << what << ": cell " << i << " has probability 0";
      continue;
    }
    const double expected = draws * distribution[i] / total;
    ASSERT_GE(expected, 5) << what << ": too few draws for cell " << i;
    const double gap = static_cast<double>(counts[i]) - expected;
    statistic += gap * gap / expected;
    ++cells;
  }
  if (cells < 2) return;
  const double df = cells - 1, spread = 2 / (9 * df);
  const double critical = df * std::pow(1 - spread + 5 * std::sqrt(spread), 3);
  EXPECT_LT(statistic, critical) << what << ": chi-square of " << df << " degrees of freedom";
}

}  // namespace mcns
