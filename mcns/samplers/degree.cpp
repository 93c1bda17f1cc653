// Power of degree: p(u) proportional to deg(u)^beta (Mikolov et al. 2013, beta = 0.75), by an alias
// table over the targets. Weighted graphs use the weighted degree. A target of degree 0 has weight 0
// for beta > 0 and 1 for beta = 0; for beta < 0 its degree counts as 1, the smallest one there is.
#include <cmath>

#include "mcns/core/alias_table.h"
#include "mcns/samplers/registry.h"

namespace mcns {
namespace {

class Degree final : public PairwiseSampler<Degree> {
 public:
  Degree(double power, const SamplerContext& context) : exclusion_(context.exclusion) {
    const NodeRange targets = exclusion_.targets();
    weights_.resize(targets.size());
    for (NodeId v = targets.begin; v < targets.end; ++v) {
      double degree = context.graph.weighted_degree(v);
      if (power < 0) degree = std::max(degree, 1.0);
      weights_[v - targets.begin] = std::pow(degree, power);
    }
    table_ = AliasTable(weights_);
  }

  NodeId draw(Pair pair, const Scorer&, Rng& rng) {
    const NodeId first = exclusion_.targets().begin;
    for (int tries = 0; tries < Exclusion::kTries; ++tries) {
      const NodeId v = first + table_.draw(rng);
      if (!exclusion_.excluded(pair.source, v)) return v;
    }
    return draw_from_complement(pair.source, rng);
  }

 private:
  /// The same law restricted to the allowed targets, by enumeration; uniform if all of them weigh 0.
  NodeId draw_from_complement(NodeId source, Rng& rng) const {
    const NodeRange targets = exclusion_.targets();
    double total = 0;
    for (NodeId v = targets.begin; v < targets.end; ++v)
      if (!exclusion_.excluded(source, v)) total += weights_[v - targets.begin];
    if (total <= 0) return exclusion_.draw_uniform(source, rng);
    double left = rng.uniform() * total;
    NodeId last = targets.begin;
    for (NodeId v = targets.begin; v < targets.end; ++v) {
      if (weights_[v - targets.begin] <= 0 || exclusion_.excluded(source, v)) continue;
      last = v;
      if ((left -= weights_[v - targets.begin]) < 0) break;
    }
    return last;
  }

  const Exclusion& exclusion_;
  std::vector<double> weights_;
  AliasTable table_;
};

}  // namespace

std::unique_ptr<NegativeSampler> make_degree(Spec& spec, const SamplerContext& context) {
  const double power = spec.number("power", 0.75, -10, 10);
  spec.finish();
  return std::make_unique<Degree>(power, context);
}

}  // namespace mcns
