// What MCNS optimises in place of the logistic loss: max(0, gamma + theta_x - theta_u), u from p_d
// and x from p_n. Neither theorem is about it. On free scores the expected loss
//   F(theta) = sum over u, x of p_d(u) p_n(x) max(0, gamma + theta_x - theta_u)
// is piecewise linear and convex, and depends on differences alone. It is the dual of a flow, so
// it is least at scores that differ by whole multiples of gamma: the optimum is a few levels, not
// -log(k p_n / p_d), and between two samples a score stays or jumps by gamma.
//
// Found exactly: from level 0 for all, the set of contexts whose rise by one level lowers F most is
// a minimum cut; then the same downwards, until neither lowers it (F is L-natural convex, for which
// such steps lead to the least value). Of several optima the one that these steps reach is taken.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mcns/core/parallel.h"
#include "mcns/theory/theorems.h"

namespace mcns {

/// Levels of the contexts, in units of gamma, the lowest 0. `weights` of pairs [u * contexts + x],
/// u the positive and x the negative.
std::vector<int> hinge_levels(std::span<const double> weights, int contexts);
/// F at these levels, in units of gamma.
double hinge_loss(std::span<const double> weights, std::span<const int> levels);

/// The hinge loss beside the logistic one, on the same p_d and p_n.
struct HingeCase {
  NamedDistribution distribution;
  std::int64_t samples = 0;
  std::vector<double> logistic;         ///< -log(k p_n / p_d)
  std::vector<double> logistic_spread;  ///< deviation of estimates from so many samples, Theorem 2
  std::vector<int> levels;              ///< the optimum under the hinge loss, in units of gamma
  std::vector<double> spread;           ///< deviation of its estimates, in units of gamma, measured
  int distinct = 0;                     ///< levels
  double r = 0;                         ///< correlation of levels with the logistic optimum
  double ordered = 0;  ///< part of context pairs of different p_d / p_n that levels order alike
  double tied = 0;     ///< part of them that share a level
};

struct HingeTheory {
  std::vector<double> p_d;
  int negatives = 0;
  std::int64_t replicates = 0;
  std::vector<HingeCase> cases;
};

/// Under the distributions of check_theorem2, with `samples` positives of k negatives each.
HingeTheory check_hinge(int contexts, int negatives, std::int64_t samples, std::int64_t replicates,
                        std::uint64_t seed, ThreadPool& pool);

}  // namespace mcns
