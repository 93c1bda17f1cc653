#include "mcns/theory/sampler_laws.h"

#include <algorithm>
#include <cmath>

namespace mcns {
namespace {

double weight_of(const Graph& graph, NodeId v, std::size_t i) {
  return graph.is_weighted() ? graph.weights(v)[i] : 1.0;
}

double degree_of(const Graph& graph, NodeId v) {
  double out = 0;
  for (std::size_t i = 0; i < graph.neighbors(v).size(); ++i) out += weight_of(graph, v, i);
  return out;
}

/// sum over t of restart (1 - restart)^t P(walk is at v after t steps), by powers.
std::vector<double> pagerank(const Graph& graph, NodeId source) {
  constexpr double kRestart = 0.15;
  std::vector<double> out(graph.num_nodes(), 0.0), walk(graph.num_nodes(), 0.0);
  walk[source] = 1;
  for (int step = 0; step < 300; ++step) {
    std::vector<double> next(graph.num_nodes(), 0.0);
    for (NodeId v = 0; v < graph.num_nodes(); ++v) {
      out[v] += kRestart * walk[v];
      const double degree = degree_of(graph, v);
      for (std::size_t i = 0; i < graph.neighbors(v).size(); ++i)
        next[graph.neighbors(v)[i]] += (1 - kRestart) * walk[v] * weight_of(graph, v, i) / degree;
    }
    walk = next;
  }
  return out;
}

/// exp(g.h / temperature), up to a factor, in double.
double policy_weight(const Generator& generator, NodeId source, NodeId row, double temperature) {
  double product = 0;
  for (int d = 0; d < generator.sources().dim(); ++d)
    product += double(generator.sources().row(source)[d]) * generator.targets().row(row)[d];
  return std::exp(product / temperature);
}

}  // namespace

Law law_of_weights(const SelftestWorld& world, NodeId source,
                   const std::function<double(NodeId)>& weight) {
  Law law;
  for (const NodeId v : world.allowed(source)) law[v] = weight(v);
  return normalised(std::move(law));
}

Law uniform_law(const SelftestWorld& world, NodeId source) {
  return law_of_weights(world, source, [](NodeId) { return 1.0; });
}

Law degree_law(const SelftestWorld& world, NodeId source, double power) {
  const auto weight = [&](NodeId v) {
    const double degree = degree_of(world.graph(), v);
    if (degree == 0) return power > 0 ? 0.0 : 1.0;
    return std::pow(power < 0 ? std::max(degree, 1.0) : degree, power);
  };
  double total = 0;
  for (const NodeId v : world.allowed(source)) total += weight(v);
  return total > 0 ? law_of_weights(world, source, weight) : uniform_law(world, source);
}

Law wrmf_law(const SelftestWorld& world, NodeId source, bool popularity) {
  const double sources = world.graph().sources().size();
  return law_of_weights(world, source, [&](NodeId v) {
    const auto links = static_cast<double>(world.graph().neighbors(v).size());
    return popularity ? links : sources - links;
  });
}

Law best_of_law(const SelftestWorld& world, NodeId source, int candidates, bool highest) {
  const auto allowed = world.allowed(source);
  const auto n = static_cast<double>(allowed.size());
  return law_of_weights(world, source, [&](NodeId v) {
    double below = 0, ties = 0;
    for (const NodeId other : allowed) {
      const float s = world.score(source, v), t = world.score(source, other);
      below += highest ? t < s : t > s;
      ties += t == s;
    }
    return (std::pow((below + ties) / n, candidates) - std::pow(below / n, candidates)) / ties;
  });
}

Law self_contrast_form(const SelftestWorld& world, NodeId source, const SelfContrast& target) {
  if (target.form == Form::kQuantile) return best_of_law(world, source, target.candidates, true);
  return law_of_weights(world, source, [&](NodeId v) {
    const double s = world.score(source, v);
    if (target.form == Form::kPaper) return std::pow(std::max(s, target.floor), target.alpha);
    return std::exp(target.alpha / (1 - target.alpha) * s);
  });
}

Law from_degree(const SelftestWorld& world, NodeId source, const SelfContrast& target,
                double power) {
  const Law base = degree_law(world, source, power);
  return law_of_weights(world, source, [&](NodeId v) {
    const float s = world.score(source, v);
    if (target.form == Form::kExp)
      return base.at(v) * std::exp(target.alpha / (1 - target.alpha) * s);
    double below = 0, ties = 0;
    for (const auto& [other, p] : base) {
      below += world.score(source, other) < s ? p : 0;
      ties += world.score(source, other) == s ? p : 0;
    }
    const double best =
        std::pow(below + ties, target.candidates) - std::pow(below, target.candidates);
    return ties > 0 ? best * base.at(v) / ties : 0.0;
  });
}

Law warp_law(const SelftestWorld& world, Pair pair, double margin, int tries) {
  const auto allowed = world.allowed(pair.source);
  const double bar = world.score(pair.source, pair.target) - margin;
  std::vector<NodeId> violators;
  for (const NodeId v : allowed)
    if (world.score(pair.source, v) > bar) violators.push_back(v);
  const auto found = static_cast<double>(violators.size());
  const double miss = std::pow(1 - found / static_cast<double>(allowed.size()), tries);
  Law law = {{kNothing, miss}};
  for (const NodeId v : violators) law[v] = (1 - miss) / found;
  return law;
}

Law pinsage_law(const SelftestWorld& world, NodeId source, double hard, int top) {
  const auto rank = pagerank(world.graph(), source);
  auto list = world.allowed(source);
  std::erase_if(list, [&](NodeId v) { return v == source || rank[v] == 0; });
  std::stable_sort(list.begin(), list.end(), [&](NodeId a, NodeId b) { return rank[a] > rank[b]; });
  list.resize(std::min<std::size_t>(list.size(), top));
  Law law = uniform_law(world, source);
  if (list.empty()) return law;
  for (auto& [v, p] : law) p *= 1 - hard;
  for (const NodeId v : list) law[v] += hard / static_cast<double>(list.size());
  return law;
}

Law irgan_law(const SelftestWorld& world, NodeId source, const Generator& generator,
              double temperature) {
  const NodeId first = world.graph().targets().begin;
  return law_of_weights(world, source, [&](NodeId v) {
    return policy_weight(generator, source, v - first, temperature);
  });
}

Law kbgan_pair_law(const SelftestWorld& world, NodeId source, const Generator& generator,
                   double temperature) {
  const Law e = irgan_law(world, source, generator, temperature);
  Law law;
  for (const auto& [a, weight_a] : e)
    for (const auto& [b, weight_b] : e) {
      law[a] += weight_a / (weight_a + weight_b);
      law[b] += weight_b / (weight_a + weight_b);
    }
  return normalised(std::move(law));
}

}  // namespace mcns
