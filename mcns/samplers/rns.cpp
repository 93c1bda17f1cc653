// RNS: every allowed target with the same probability (Caselles-Dupre et al. 2018). One draw, no
// score evaluation; log q = -log(allowed targets), exact.
#include "mcns/samplers/registry.h"
#include "mcns/samplers/rejection.h"

namespace mcns {
namespace {

class Rns final : public RejectionSampler<Rns> {
 public:
  using RejectionSampler::RejectionSampler;
  NodeId propose(std::uint64_t bits) const { return exclusion().propose_uniform(bits); }
  NodeId draw(NodeId source, Rng& rng) const { return exclusion().draw_uniform(source, rng); }
  double excluded_share(NodeId source) const {
    const NodeId targets = exclusion().targets().size();
    return static_cast<double>(targets - exclusion().allowed(source)) / targets;
  }
  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer&) const override {
    return uniform_log_q(exclusion(), source, target);
  }
};

}  // namespace

std::unique_ptr<NegativeSampler> make_rns(Spec& spec, const SamplerContext& context) {
  spec.finish();
  return std::make_unique<Rns>(context.exclusion);
}

}  // namespace mcns
