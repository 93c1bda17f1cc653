// The theory of negative sampling as measurements, on a distribution p_d that is known and positive
// everywhere.
//
// Theorem 1: with the logistic loss and k negatives from p_n, the optimum is
//   u.v = -log(k p_n(u|v) / p_d(u|v)).
// Checked through the trainer itself: two tables with d >= n can hold any scores, so the regression
// of u.v on the right-hand side over all pairs has slope 1; with d < n they cannot.
// Theorem 2: the optimum of T positives and k T negatives deviates from that with covariance
//   1/T (diag(1/p_d + 1/(k p_n)) - (1 + 1/k)),
// so with variance 1/T (1/p_d - 1 + 1/(k p_n) - 1/k), and -1/T (1 + 1/k) between any two contexts.
// Checked on free scores, whose empirical optimum has a closed form, so that no error of an
// optimizer is measured along.
// The principle p_n ~ p_d^alpha, 0 < alpha < 1: scores keep the order of p_d, and the risk falls
// where p_d is large.
// Everything is a function of the options and the seed, for any number of threads.
#pragma once

#include <string>
#include <vector>

#include "mcns/core/graph.h"

namespace mcns {

/// p_d(u|v) as a graph: directed, complete, with self loops, weights log-normal. Arc weights of a
/// centre add up to how often it is drawn.
Graph make_known_graph(NodeId nodes, std::uint64_t seed, ThreadPool& pool);

struct Theorem1Options {
  NodeId nodes = 32;
  int dim = 32;
  int negatives = 2;
  int epochs = 12000;  ///< each draws nodes^2 positives
  double lr = 0.02;
};

/// How scores follow the optimum under one p_n.
struct Theorem1Case {
  std::string sampler;
  int dim = 0;
  double slope = 0, intercept = 0, r = 0;  ///< of u.v on -log(k p_n / p_d) over all pairs
  std::vector<double> optimum, scores;     ///< these two, by pair
  double expected_samples = 0;             ///< of either kind, of the pair that has the fewest
  double gradient = 0;  ///< length of the exact gradient, as a part of that at the start
  bool holds = false;   ///< slope in [0.97, 1.03] and r >= 0.99
};

Theorem1Case check_theorem1(const Graph& graph, const std::string& sampler,
                            const Theorem1Options& options, std::uint64_t seed, ThreadPool& pool);

/// Weights that make a distribution; `probabilities` add up to 1.
struct NamedDistribution {
  std::string name;
  std::vector<double> probabilities;
};

/// p_d over the contexts of one centre: log-normal with logarithms that deviate by `spread`.
std::vector<double> make_context_distribution(int contexts, double spread, std::uint64_t seed);
/// p_n ~ p_d^alpha.
NamedDistribution power_distribution(const std::vector<double>& p_d, double alpha);

/// The spread of p_d, and the distributions p_n that Theorem 2 is measured under: uniform,
/// p_d^0.75, and a popularity that is independent of p_d.
inline constexpr double kTheorySpread = 0.5;
std::vector<NamedDistribution> theory_distributions(const std::vector<double>& p_d,
                                                    std::uint64_t seed);

struct SimulationOptions {
  int negatives = 2;
  std::int64_t samples = 0;  ///< T; 0: so many that every count is expected to be 1000 or more
  std::int64_t replicates = 8000;
};

/// Replicates of the empirical optimum theta_T(u) = log(positives of u / negatives of u).
struct Simulation {
  std::int64_t samples = 0;
  double expected_samples = 0;    ///< of either kind, of the context that has the fewest
  std::vector<double> optimum;    ///< -log(k p_n / p_d)
  std::vector<double> predicted;  ///< variance by Theorem 2
  std::vector<double> variance;   ///< measured
  /// Between any two contexts: as predicted, and measured, [u * contexts + w] with u != w.
  double predicted_covariance = 0;
  std::vector<double> covariance;
  std::vector<double> risk;  ///< mean squared deviation from the optimum, measured
  double concordant = 0;     ///< part of context pairs that theta_T orders as p_d does, on average
};

/// Exact multinomial counts; O(replicates x samples x (k + 1)).
Simulation simulate_optimum(const std::vector<double>& p_d, const std::vector<double>& p_n,
                            const SimulationOptions& options, std::uint64_t seed, ThreadPool& pool);

struct Theorem2Case {
  NamedDistribution distribution;
  Simulation simulation;
  std::vector<double> ratios;    ///< variances, measured / predicted
  double covariance_ratio = 0;   ///< mean over all pairs of contexts, measured / predicted
  double covariance_error = 0;   ///< the standard error of that mean, as if pairs were independent
  double largest_deviation = 0;  ///< of a pair, in standard errors of its covariance
};

struct Theorem2 {
  std::vector<double> p_d;
  std::vector<Theorem2Case> cases;
  std::int64_t replicates = 0;
  int negatives = 0;
  double min_ratio = 0, max_ratio = 0, mean_ratio = 0;
  /// Every ratio of variances in [0.9, 1.1], their mean in [0.98, 1.02]; of covariances every mean
  /// in [0.8, 1.2] and no pair 5 standard errors off.
  bool holds = false;
};

/// Under theory_distributions.
Theorem2 check_theorem2(int contexts, const SimulationOptions& options, std::uint64_t seed,
                        ThreadPool& pool);

/// One alpha of the principle, at the same T for all.
struct PrincipleCase {
  double alpha = 0;
  double order_optimum = 0;   ///< part of context pairs that the optimum orders as p_d does
  double order_estimate = 0;  ///< and that estimates from T samples do
  std::vector<double> risk;   ///< mean squared deviation by band of p_d, rarest first
  std::vector<double> predicted;
};

struct Principle {
  std::vector<double> band_p_d;  ///< mean p_d of each band
  std::int64_t samples = 0;
  std::vector<PrincipleCase> cases;  ///< alpha = 0 is uniform
};

Principle check_principle(const std::vector<double>& alphas, const SimulationOptions& options,
                          std::uint64_t seed, ThreadPool& pool);

}  // namespace mcns
