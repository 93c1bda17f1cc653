#include "mcns/eval/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "mcns/core/error.h"

namespace mcns {
namespace {

/// The continued fraction of the incomplete beta function by Lentz's method; converges fast for
/// x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300, kPrecision = 1e-15;
  constexpr int kMaxTerms = 10000;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1.0, d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)), fraction = d;
  for (int m = 1; m <= kMaxTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1.0 / away_from_zero(1.0 + even * d);
    c = away_from_zero(1.0 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1.0 / away_from_zero(1.0 + odd * d);
    c = away_from_zero(1.0 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1.0) < kPrecision) break;
  }
  return fraction;
}

}  // namespace

double mean(std::span<const double> values) {
  require(!values.empty(), "the mean of no values is not defined");
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  const double center = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  return values.size() < 2 ? 0.0 : std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double regularized_incomplete_beta(double a, double b, double x) {
  require(a > 0 && b > 0 && x >= 0 && x <= 1,
          "the incomplete beta function needs a, b > 0 and x in [0, 1], got {}, {}, {}", a, b, x);
  if (x == 0 || x == 1) return x;
  const double log_front =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  if (x < (a + 1.0) / (a + b + 2.0)) return std::exp(log_front) * beta_fraction(a, b, x) / a;
  return 1.0 - std::exp(log_front) * beta_fraction(b, a, 1.0 - x) / b;
}

double student_t_p_value(double t, double degrees) {
  require(degrees > 0, "degrees of freedom must be positive, got {}", degrees);
  if (std::isinf(t)) return 0;
  return regularized_incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

TTest paired_t_test(std::span<const double> a, std::span<const double> b, double overlap) {
  require(overlap >= 0, "the overlap of folds is a ratio of sizes, got {}", overlap);
  require(a.size() == b.size() && a.size() >= 2,
          "a paired t-test needs two lists of one length, 2 or more, got {} and {}", a.size(),
          b.size());
  std::vector<double> differences(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) differences[i] = a[i] - b[i];
  const auto count = static_cast<double>(a.size());
  TTest test{mean(differences), 0.0, count - 1.0, 1.0};
  const double error = standard_deviation(differences) * std::sqrt(1 / count + overlap);
  if (error > 0)
    test.t = test.difference / error;
  else if (test.difference != 0)
    test.t = std::copysign(std::numeric_limits<double>::infinity(), test.difference);
  test.p_value = student_t_p_value(test.t, test.degrees);
  return test;
}

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> out(p_values.size());
  double highest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double left = static_cast<double>(order.size() - rank);
    highest = std::max(highest, std::min(1.0, left * p_values[order[rank]]));
    out[order[rank]] = highest;
  }
  return out;
}

}  // namespace mcns
