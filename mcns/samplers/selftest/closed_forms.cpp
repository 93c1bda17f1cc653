#include "mcns/samplers/selftest/closed_forms.h"

#include <algorithm>
#include <cmath>

namespace mcns {
double arc_weight(const Graph& graph, NodeId v, std::size_t i) {
  return graph.is_weighted() ? graph.weights(v)[i] : 1.0;
}

double degree_by_hand(const Graph& graph, NodeId v) {
  double out = 0;
  for (std::size_t i = 0; i < graph.neighbors(v).size(); ++i) out += arc_weight(graph, v, i);
  return out;
}

Distribution distribution_of_weights(const SelftestWorld& world, NodeId source,
                                     const std::function<double(NodeId)>& weight) {
  Distribution out;
  for (const NodeId v : world.allowed(source)) out[v] = weight(v);
  return normalised(std::move(out));
}

Distribution uniform_distribution(const SelftestWorld& world, NodeId source) {
  return distribution_of_weights(world, source, [](NodeId) { return 1.0; });
}

Distribution degree_distribution(const SelftestWorld& world, NodeId source, double power) {
  const auto weight = [&](NodeId v) {
    const double degree = degree_by_hand(world.graph(), v);
    if (degree == 0) return power > 0 ? 0.0 : 1.0;
    return std::pow(power < 0 ? std::max(degree, 1.0) : degree, power);
  };
  double total = 0;
  for (const NodeId v : world.allowed(source)) total += weight(v);
  return total > 0 ? distribution_of_weights(world, source, weight)
                   : uniform_distribution(world, source);
}

namespace {

/// That the best of `candidates` draws is below what a draw is below with probability p; of a
/// number between two integers, that of either in proportion.
double power_of_best(double p, double candidates) {
  const double low = std::floor(candidates), rest = candidates - low;
  return (1 - rest) * std::pow(p, low) + rest * std::pow(p, low + 1);
}

}  // namespace

Distribution best_of_distribution(const SelftestWorld& world, NodeId source, double candidates,
                                  bool highest) {
  const auto allowed = world.allowed(source);
  const auto n = static_cast<double>(allowed.size());
  return distribution_of_weights(world, source, [&](NodeId v) {
    double below = 0, ties = 0;
    for (const NodeId other : allowed) {
      const float s = world.score(source, v), t = world.score(source, other);
      below += highest ? t < s : t > s;
      ties += t == s;
    }
    return (power_of_best((below + ties) / n, candidates) - power_of_best(below / n, candidates)) /
           ties;
  });
}

Distribution self_contrast_form(const SelftestWorld& world, NodeId source,
                                const SelfContrast& target) {
  if (target.form == Form::kQuantile)
    return best_of_distribution(world, source, target.candidates, true);
  return distribution_of_weights(world, source, [&](NodeId v) {
    const double s = world.score(source, v);
    if (target.form == Form::kPaper) return std::pow(std::max(s, target.floor), target.alpha);
    return std::exp(target.alpha / (1 - target.alpha) * s);
  });
}

Distribution from_degree(const SelftestWorld& world, NodeId source, const SelfContrast& target,
                         double power) {
  const Distribution base = degree_distribution(world, source, power);
  return distribution_of_weights(world, source, [&](NodeId v) {
    const float s = world.score(source, v);
    if (target.form == Form::kExp)
      return base.at(v) * std::exp(target.alpha / (1 - target.alpha) * s);
    double below = 0, ties = 0;
    for (const auto& [other, p] : base) {
      below += world.score(source, other) < s ? p : 0;
      ties += world.score(source, other) == s ? p : 0;
    }
    const double best =
        power_of_best(below + ties, target.candidates) - power_of_best(below, target.candidates);
    return ties > 0 ? best * base.at(v) / ties : 0.0;
  });
}

Distribution distribution_of_candidates(
    const SelftestWorld& world, NodeId source, int candidates,
    const std::function<std::vector<double>(std::span<const double>)>& shares) {
  const auto allowed = world.allowed(source);
  std::vector<double> score_of, scores(candidates);
  for (const NodeId v : allowed) score_of.push_back(world.score(source, v));
  std::vector<std::size_t> list(candidates);
  Distribution out;
  for (bool more = true; more;) {
    for (int i = 0; i < candidates; ++i) scores[i] = score_of[list[i]];
    const std::vector<double> taken = shares(scores);
    for (int i = 0; i < candidates; ++i) out[allowed[list[i]]] += taken[i];
    int place = 0;
    while (place < candidates && ++list[place] == allowed.size()) list[place++] = 0;
    more = place < candidates;
  }
  return normalised(std::move(out));
}

}  // namespace mcns
