// Power of degree: p(u) proportional to deg(u)^beta (Mikolov et al. 2013, beta = 0.75), by an alias
// table over the targets. No score evaluation; log q is exact.
#include "mcns/samplers/registry.h"
#include "mcns/samplers/rejection.h"
#include "mcns/samplers/static_distribution.h"

namespace mcns {
namespace {

class Degree final : public RejectionSampler<Degree> {
 public:
  Degree(double power, const SamplerContext& context)
      : RejectionSampler(context.exclusion),
        distribution_(context.exclusion, degree_weights(context.graph, power)) {}

  NodeId propose(std::uint64_t bits) const { return distribution_.propose(bits); }
  NodeId draw(NodeId source, Rng& rng) const { return distribution_.draw(source, rng); }
  double excluded_share(NodeId source) const { return distribution_.excluded_share(source); }
  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer&) const override {
    return distribution_.log_q(source, target);
  }

 private:
  StaticDistribution distribution_;
};

}  // namespace

std::unique_ptr<NegativeSampler> make_degree(Spec& spec, const SamplerContext& context) {
  const double power = spec.number("power", 0.75, -10, 10);
  spec.finish();
  return std::make_unique<Degree>(power, context);
}

}  // namespace mcns
