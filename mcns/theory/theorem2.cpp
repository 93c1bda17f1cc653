// Theorem 2 and the principle p_n ~ p_d^alpha on free scores. The empirical loss of score theta_u,
//   -a_u log sigma(theta_u) - b_u log sigma(-theta_u),
// of a_u positives and b_u negatives is least at theta_u = log(a_u / b_u).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "mcns/core/alias_table.h"
#include "mcns/core/error.h"
#include "mcns/theory/theorems.h"

namespace mcns {
namespace {

std::vector<double> normalized(std::vector<double> weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& w : weights) w /= total;
  return weights;
}

/// Part of the pairs of contexts that `scores` order as p_d does; a tie counts half.
double concordance(const std::vector<double>& p_d, const double* scores) {
  double same = 0, pairs = 0;
  for (std::size_t i = 0; i < p_d.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (p_d[i] == p_d[j]) continue;
      const double gap = (scores[i] - scores[j]) * (p_d[i] > p_d[j] ? 1 : -1);
      same += std::abs(gap) < 1e-12 ? 0.5 : gap > 0 ? 1.0 : 0.0;
      ++pairs;
    }
  return same / pairs;
}

void add_counts(const AliasTable& table, std::int64_t draws, Rng rng,
                std::vector<std::int64_t>& counts) {
  std::fill(counts.begin(), counts.end(), 0);
  for (std::int64_t i = 0; i < draws; ++i) ++counts[table.draw(rng)];
}

std::int64_t samples_for(const std::vector<double>& p_d, const std::vector<double>& p_n, int k) {
  constexpr double kExpected =
      1000;  // the next term of the variance, 3/2 of 1/count, is then small
  const double rarest = std::min(std::ranges::min(p_d), k * std::ranges::min(p_n));
  return static_cast<std::int64_t>(std::ceil(kExpected / rarest));
}

/// Risk, variances and covariances of replicates of theta.
void measure_spread(const std::vector<double>& theta, Simulation& out) {
  const std::size_t contexts = out.optimum.size(), replicates = theta.size() / contexts;
  const auto count = static_cast<double>(replicates);
  std::vector<double> bias(contexts), products(contexts * contexts), off(contexts);
  for (std::size_t i = 0; i < replicates; ++i) {
    for (std::size_t u = 0; u < contexts; ++u) {
      off[u] = theta[i * contexts + u] - out.optimum[u];
      bias[u] += off[u] / count;
    }
    for (std::size_t u = 0; u < contexts; ++u)
      for (std::size_t w = 0; w <= u; ++w) products[u * contexts + w] += off[u] * off[w];
  }
  out.covariance.resize(contexts * contexts);
  for (std::size_t u = 0; u < contexts; ++u) {
    for (std::size_t w = 0; w < u; ++w)
      out.covariance[u * contexts + w] = out.covariance[w * contexts + u] =
          (products[u * contexts + w] - count * bias[u] * bias[w]) / (count - 1);
    const double squares = products[u * contexts + u];
    out.risk.push_back(squares / count);
    out.variance.push_back((squares - count * bias[u] * bias[u]) / (count - 1));
    out.covariance[u * contexts + u] = out.variance[u];
  }
}

/// Covariances against the predicted one. That of a pair is known with an error that is larger than
/// itself, so pairs are judged together and by their standard errors.
void judge_covariances(std::int64_t replicates, Theorem2Case& out) {
  const Simulation& s = out.simulation;
  const std::size_t contexts = s.variance.size();
  const double predicted = s.predicted_covariance;
  double sum = 0, squares = 0, pairs = 0;
  for (std::size_t u = 0; u < contexts; ++u)
    for (std::size_t w = 0; w < u; ++w) {
      const double error = std::sqrt((s.predicted[u] * s.predicted[w] + predicted * predicted) /
                                     static_cast<double>(replicates));
      const double off = s.covariance[u * contexts + w] - predicted;
      out.largest_deviation = std::max(out.largest_deviation, std::abs(off) / error);
      sum += s.covariance[u * contexts + w];
      squares += error * error;
      ++pairs;
    }
  out.covariance_ratio = sum / pairs / predicted;
  out.covariance_error = std::sqrt(squares) / pairs / std::abs(predicted);
}

}  // namespace

std::vector<double> make_context_distribution(int contexts, double spread, std::uint64_t seed) {
  Rng rng(seed, Domain::kGenerate);
  std::vector<double> weights(contexts);
  for (double& w : weights) w = std::exp(spread * std::clamp(rng.normal(), -2.0, 2.0));
  return normalized(std::move(weights));
}

NamedDistribution power_distribution(const std::vector<double>& p_d, double alpha) {
  std::vector<double> weights;
  for (const double p : p_d) weights.push_back(std::pow(p, alpha));
  return {alpha == 0 ? "uniform" : fmt::format("p_d^{}", alpha), normalized(std::move(weights))};
}

std::vector<NamedDistribution> theory_distributions(const std::vector<double>& p_d,
                                                    std::uint64_t seed) {
  const auto contexts = static_cast<int>(p_d.size());
  return {power_distribution(p_d, 0),
          power_distribution(p_d, 0.75),
          {"popularity", make_context_distribution(contexts, kTheorySpread, mix64(seed))}};
}

Simulation simulate_optimum(const std::vector<double>& p_d, const std::vector<double>& p_n,
                            const SimulationOptions& options, std::uint64_t seed,
                            ThreadPool& pool) {
  const std::size_t contexts = p_d.size();
  const int k = options.negatives;
  Simulation out;
  out.samples = options.samples > 0 ? options.samples : samples_for(p_d, p_n, k);
  const auto samples = static_cast<double>(out.samples);
  out.expected_samples = samples * std::min(std::ranges::min(p_d), k * std::ranges::min(p_n));
  out.predicted_covariance = -(1 + 1.0 / k) / samples;
  for (std::size_t u = 0; u < contexts; ++u) {
    out.optimum.push_back(-std::log(k * p_n[u] / p_d[u]));
    out.predicted.push_back((1 / p_d[u] - 1 + 1 / (k * p_n[u]) - 1.0 / k) / samples);
  }

  const AliasTable positives(p_d), negatives(p_n);
  std::vector<double> theta(options.replicates * contexts), order(options.replicates);
  pool.for_ranges(options.replicates, 16, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> a(contexts), b(contexts);
    for (std::int64_t i = begin; i < end; ++i) {
      const auto name = static_cast<std::uint64_t>(i);
      add_counts(positives, out.samples, Rng(seed, Domain::kPositives, name), a);
      add_counts(negatives, k * out.samples, Rng(seed, Domain::kNegatives, name), b);
      double* const row = theta.data() + i * contexts;
      for (std::size_t u = 0; u < contexts; ++u) {
        require(a[u] > 0 && b[u] > 0,
                "context {} was drawn {} times as positive and {} times as negative of {} samples; "
                "its optimum is finite with more samples only",
                u, a[u], b[u], out.samples);
        row[u] = std::log(static_cast<double>(a[u]) / static_cast<double>(b[u]));
      }
      order[i] = concordance(p_d, row);
    }
  });

  const auto count = static_cast<double>(options.replicates);
  measure_spread(theta, out);
  out.concordant = std::accumulate(order.begin(), order.end(), 0.0) / count;
  return out;
}

Theorem2 check_theorem2(int contexts, const SimulationOptions& options, std::uint64_t seed,
                        ThreadPool& pool) {
  Theorem2 out;
  out.p_d = make_context_distribution(contexts, kTheorySpread, seed);
  out.replicates = options.replicates;
  out.negatives = options.negatives;
  std::vector<double> all;
  for (const NamedDistribution& distribution : theory_distributions(out.p_d, seed)) {
    Theorem2Case one{distribution, {}, {}, 0, 0, 0};
    const std::uint64_t key = mix64(seed + 1 + out.cases.size());
    one.simulation = simulate_optimum(out.p_d, distribution.probabilities, options, key, pool);
    for (std::size_t u = 0; u < out.p_d.size(); ++u)
      one.ratios.push_back(one.simulation.variance[u] / one.simulation.predicted[u]);
    all.insert(all.end(), one.ratios.begin(), one.ratios.end());
    judge_covariances(options.replicates, one);
    out.cases.push_back(std::move(one));
  }
  out.min_ratio = std::ranges::min(all);
  out.max_ratio = std::ranges::max(all);
  out.mean_ratio = std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  out.holds = out.min_ratio >= 0.9 && out.max_ratio <= 1.1 && out.mean_ratio >= 0.98 &&
              out.mean_ratio <= 1.02 && std::ranges::all_of(out.cases, [](const Theorem2Case& one) {
                return std::abs(one.covariance_ratio - 1) <= 0.2 && one.largest_deviation < 5;
              });
  return out;
}

Principle check_principle(const std::vector<double>& alphas, const SimulationOptions& options,
                          std::uint64_t seed, ThreadPool& pool) {
  constexpr int kContexts = 20, kBands = 4, kBandSize = kContexts / kBands;
  std::vector<double> p_d = make_context_distribution(kContexts, 1.0, seed);
  std::ranges::sort(p_d);
  Principle out;
  SimulationOptions same = options;  // distributions are compared at the same T
  for (const double alpha : alphas)
    if (options.samples == 0)
      same.samples = std::max(
          same.samples,
          samples_for(p_d, power_distribution(p_d, alpha).probabilities, options.negatives));
  out.samples = same.samples;
  const auto banded = [&](const std::vector<double>& values) {
    std::vector<double> means(kBands);
    for (int u = 0; u < kContexts; ++u) means[u / kBandSize] += values[u] / kBandSize;
    return means;
  };
  out.band_p_d = banded(p_d);
  for (const double alpha : alphas) {
    const NamedDistribution distribution = power_distribution(p_d, alpha);
    const Simulation done = simulate_optimum(p_d, distribution.probabilities, same,
                                             mix64(seed + 1 + out.cases.size()), pool);
    out.cases.push_back({alpha, concordance(p_d, done.optimum.data()), done.concordant,
                         banded(done.risk), banded(done.predicted)});
  }
  return out;
}

}  // namespace mcns
