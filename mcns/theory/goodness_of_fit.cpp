#include "mcns/theory/goodness_of_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mcns {
namespace {

double variance(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double x : values) mean += x / n;
  for (const double x : values) squares += (x - mean) * (x - mean);
  return squares / (n - 1);
}

double count_of(const Counts& counts, NodeId v) {
  const auto found = counts.find(v);
  return found == counts.end() ? 0.0 : static_cast<double>(found->second);
}

double total(const Counts& counts) {
  double out = 0;
  for (const auto& [v, count] : counts) out += static_cast<double>(count);
  return out;
}

}  // namespace

double chi_square_tail(double value, int degrees) {
  const double a = 2.0 / (9.0 * degrees);
  return 0.5 * std::erfc((std::cbrt(value / degrees) - (1 - a)) / std::sqrt(2 * a));
}

double chi_square_p_value(const Distribution& expected, const Counts& counts) {
  constexpr double kFewest = 5;
  for (const auto& [v, count] : counts) {
    const auto found = expected.find(v);
    if (found == expected.end() || found->second <= 0) return 0;
  }
  const double draws = total(counts);
  double value = 0, rest_expected = 0, rest_seen = 0;
  int cells = 0;
  const auto add = [&](double expected, double seen) {
    value += (seen - expected) * (seen - expected) / expected;
    ++cells;
  };
  for (const auto& [v, p] : expected) {
    const double seen = count_of(counts, v);
    if (p * draws >= kFewest) {
      add(p * draws, seen);
    } else {
      rest_expected += p * draws;
      rest_seen += seen;
    }
  }
  if (rest_expected >= kFewest) add(rest_expected, rest_seen);
  return cells < 2 ? 1.0 : chi_square_tail(value, cells - 1);
}

double total_variation(const Distribution& expected, const Counts& counts) {
  const double draws = total(counts);
  double out = 0;
  for (const auto& [v, p] : expected) out += std::abs(p - count_of(counts, v) / draws) / 2;
  for (const auto& [v, count] : counts)
    if (!expected.contains(v)) out += static_cast<double>(count) / draws / 2;
  return out;
}

double effective_sample_size(std::span<const double> states) {
  const auto n = static_cast<double>(states.size());
  const auto batch = static_cast<std::size_t>(std::sqrt(n));
  std::vector<double> means(states.size() / batch, 0.0);
  for (std::size_t i = 0; i < means.size() * batch; ++i)
    means[i / batch] += states[i] / static_cast<double>(batch);
  const double of_means = static_cast<double>(batch) * variance(means);
  if (of_means == 0) return n;
  return std::min(n, n * variance(states) / of_means);
}

}  // namespace mcns
