// Power of degree: p(u) proportional to deg(u)^beta (Mikolov et al. 2013, beta = 0.75), by an alias
// table over the targets. Weighted graphs use the weighted degree. A target of degree 0 has weight
// 0 for beta > 0 and 1 for beta = 0; for beta < 0 its degree counts as 1, the smallest one there
// is. No score evaluation; log q is exact.
#include <cmath>

#include "mcns/samplers/registry.h"
#include "mcns/samplers/rejection.h"
#include "mcns/samplers/static_law.h"

namespace mcns {
namespace {

class Degree final : public RejectionSampler<Degree> {
 public:
  Degree(double power, const SamplerContext& context)
      : RejectionSampler(context.exclusion),
        law_(context.exclusion, weights(power, context.graph)) {}

  NodeId propose(std::uint64_t bits) const { return law_.propose(bits); }
  NodeId draw(NodeId source, Rng& rng) const { return law_.draw(source, rng); }
  double excluded_share(NodeId source) const { return law_.excluded_share(source); }
  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer&) const override {
    return law_.log_q(source, target);
  }

 private:
  static std::vector<double> weights(double power, const Graph& graph) {
    const NodeRange targets = graph.targets();
    std::vector<double> out(targets.size());
    for (NodeId v = targets.begin; v < targets.end; ++v) {
      double degree = graph.weighted_degree(v);
      if (power < 0) degree = std::max(degree, 1.0);
      out[v - targets.begin] = std::pow(degree, power);
    }
    return out;
  }

  StaticLaw law_;
};

}  // namespace

std::unique_ptr<NegativeSampler> make_degree(Spec& spec, const SamplerContext& context) {
  const double power = spec.number("power", 0.75, -10, 10);
  spec.finish();
  return std::make_unique<Degree>(power, context);
}

}  // namespace mcns
