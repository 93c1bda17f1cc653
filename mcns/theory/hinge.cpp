#include "mcns/theory/hinge.h"

#include <algorithm>
#include <cmath>

#include "mcns/core/alias_table.h"
#include "mcns/core/rng.h"
#include "mcns/theory/regression.h"

namespace mcns {
namespace {

/// Dense minimum cut by shortest augmenting paths; a few dozen nodes.
class Cut {
 public:
  explicit Cut(int nodes) : nodes_(nodes), capacity_(static_cast<std::size_t>(nodes) * nodes) {}

  void add(int from, int to, double capacity) { at(from, to) += capacity; }

  /// Nodes on the side of `from`, the fewest possible.
  std::vector<bool> side(int from, int to) {
    std::vector<int> parent;
    while (reach(from, parent)[to]) {
      double flow = at(parent[to], to);
      for (int v = to; v != from; v = parent[v]) flow = std::min(flow, at(parent[v], v));
      for (int v = to; v != from; v = parent[v]) {
        at(parent[v], v) -= flow;
        at(v, parent[v]) += flow;
      }
    }
    return reach(from, parent);
  }

 private:
  static constexpr double kNothing = 1e-12;
  double& at(int from, int to) { return capacity_[static_cast<std::size_t>(from) * nodes_ + to]; }

  std::vector<bool> reach(int from, std::vector<int>& parent) {
    std::vector<bool> seen(nodes_);
    parent.assign(nodes_, -1);
    std::vector<int> queue = {from};
    seen[from] = true;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (int v = 0; v < nodes_; ++v)
        if (!seen[v] && at(queue[i], v) > kNothing) {
          seen[v] = true;
          parent[v] = queue[i];
          queue.push_back(v);
        }
    return seen;
  }

  int nodes_;
  std::vector<double> capacity_;
};

/// The contexts whose step by `step` (+1 or -1) lowers the loss most; none where no step does. With
/// s in {0, 1} for who takes it, the loss of a pair, max(0, 1 + d) with d the difference of levels
/// and step (s_x - s_u), is linear in s but where levels are one apart: there it is an arc of the
/// cut.
std::vector<bool> best_step(std::span<const double> weights, std::span<const int> levels,
                            int step) {
  const auto n = static_cast<int>(levels.size());
  Cut cut(n + 2);
  const int source = n, sink = n + 1;  // the side of the source takes the step
  std::vector<double> gain(n);         // of the loss, where s is 1
  for (int u = 0; u < n; ++u)
    for (int x = 0; x < n; ++x) {
      const double w = weights[static_cast<std::size_t>(u) * n + x];
      const int d = levels[x] - levels[u];
      if (u == x || w == 0 || d < -1) continue;  // no loss, also after a step
      if (d >= 0) {                              // linear
        gain[x] += step * w;
        gain[u] -= step * w;
      } else if (step > 0) {  // d = -1: only x alone costs
        cut.add(x, u, w);
      } else {  // only u alone costs
        cut.add(u, x, w);
      }
    }
  for (int v = 0; v < n; ++v)
    gain[v] < 0 ? cut.add(source, v, -gain[v]) : cut.add(v, sink, gain[v]);
  std::vector<bool> side = cut.side(source, sink);
  side.resize(n);
  return side;
}

std::vector<double> pair_weights(const std::vector<double>& p_d, const std::vector<double>& p_n) {
  std::vector<double> out;
  for (const double positive : p_d)
    for (const double negative : p_n) out.push_back(positive * negative);
  return out;
}

/// Counts of the pairs of one sample.
std::vector<double> draw_pairs(const AliasTable& positives, const AliasTable& negatives,
                               std::size_t contexts, std::int64_t samples, int k, Rng rng) {
  std::vector<double> out(contexts * contexts);
  for (std::int64_t i = 0; i < samples; ++i) {
    const auto u = static_cast<std::size_t>(positives.draw(rng));
    for (int j = 0; j < k; ++j) ++out[u * contexts + negatives.draw(rng)];
  }
  return out;
}

/// Differences count alone, so levels are taken from their mean.
std::vector<double> centred(const std::vector<int>& levels) {
  double mean = 0;
  for (const int level : levels) mean += level / static_cast<double>(levels.size());
  std::vector<double> out;
  for (const int level : levels) out.push_back(level - mean);
  return out;
}

void measure_spread(const std::vector<double>& theta, HingeCase& out) {
  const std::size_t contexts = out.levels.size(), replicates = theta.size() / contexts;
  for (std::size_t u = 0; u < contexts; ++u) {
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < replicates; ++i)
      mean += theta[i * contexts + u] / static_cast<double>(replicates);
    for (std::size_t i = 0; i < replicates; ++i) {
      const double off = theta[i * contexts + u] - mean;
      squares += off * off;
    }
    out.spread.push_back(std::sqrt(squares / static_cast<double>(replicates - 1)));
  }
}

/// How levels go with the logistic optimum, which orders contexts by p_d / p_n.
void compare_orders(HingeCase& out) {
  double pairs = 0;
  for (std::size_t u = 0; u < out.levels.size(); ++u)
    for (std::size_t w = 0; w < u; ++w) {
      const double gap = out.logistic[u] - out.logistic[w];
      if (std::abs(gap) < 1e-12) continue;
      const int step = out.levels[u] - out.levels[w];
      out.tied += step == 0;
      out.ordered += step != 0 && (step > 0) == (gap > 0);
      ++pairs;
    }
  if (pairs > 0) {
    out.tied /= pairs;
    out.ordered /= pairs;
  }
  std::vector<int> distinct = out.levels;
  std::ranges::sort(distinct);
  const auto last = std::unique(distinct.begin(), distinct.end());
  out.distinct = static_cast<int>(last - distinct.begin());
  if (out.distinct > 1) out.r = regress(out.logistic, centred(out.levels)).r;
}

}  // namespace

double hinge_loss(std::span<const double> weights, std::span<const int> levels) {
  double sum = 0;
  for (std::size_t u = 0; u < levels.size(); ++u)
    for (std::size_t x = 0; x < levels.size(); ++x)
      sum += weights[u * levels.size() + x] * std::max(0, 1 + levels[x] - levels[u]);
  return sum;
}

std::vector<int> hinge_levels(std::span<const double> weights, int contexts) {
  std::vector<int> levels(contexts);
  for (bool lower = true; lower;) {
    lower = false;
    for (const int step : {1, -1}) {
      const std::vector<bool> side = best_step(weights, levels, step);
      std::vector<int> next = levels;
      for (int v = 0; v < contexts; ++v) next[v] += side[v] ? step : 0;
      if (hinge_loss(weights, next) >= hinge_loss(weights, levels) - 1e-12) continue;
      levels = next;
      lower = true;
    }
  }
  const int lowest = std::ranges::min(levels);
  for (int& level : levels) level -= lowest;
  return levels;
}

HingeTheory check_hinge(int contexts, int negatives, std::int64_t samples, std::int64_t replicates,
                        std::uint64_t seed, ThreadPool& pool) {
  HingeTheory out;
  out.p_d = make_context_distribution(contexts, kTheorySpread, seed);
  out.negatives = negatives;
  out.replicates = replicates;
  const auto n = static_cast<std::size_t>(contexts);
  for (const NamedDistribution& distribution : theory_distributions(out.p_d, seed)) {
    HingeCase one;
    one.distribution = distribution;
    one.samples = samples;
    const std::vector<double>& p_n = distribution.probabilities;
    for (std::size_t u = 0; u < n; ++u) {
      one.logistic.push_back(-std::log(negatives * p_n[u] / out.p_d[u]));
      one.logistic_spread.push_back(
          std::sqrt((1 / out.p_d[u] - 1 + 1 / (negatives * p_n[u]) - 1.0 / negatives) /
                    static_cast<double>(samples)));
    }
    one.levels = hinge_levels(pair_weights(out.p_d, p_n), contexts);
    const AliasTable positives(out.p_d), others(p_n);
    std::vector<double> theta(static_cast<std::size_t>(replicates) * n);
    const std::uint64_t key = mix64(seed + 100 + out.cases.size());
    pool.run(replicates, [&](std::int64_t i) {
      const Rng rng(key, Domain::kNegatives, static_cast<std::uint64_t>(i));
      const auto found = centred(
          hinge_levels(draw_pairs(positives, others, n, samples, negatives, rng), contexts));
      std::ranges::copy(found, theta.begin() + i * contexts);
    });
    measure_spread(theta, one);
    compare_orders(one);
    out.cases.push_back(std::move(one));
  }
  return out;
}

}  // namespace mcns
