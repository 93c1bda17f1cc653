// RNS: every allowed target with the same probability (Caselles-Dupre et al. 2018). One draw, no
// score evaluation; log q = -log(allowed targets), exact.
#include "mcns/samplers/registry.h"

namespace mcns {
namespace {

class Rns final : public PairwiseSampler<Rns> {
 public:
  explicit Rns(const Exclusion& exclusion) : exclusion_(exclusion) {}
  NodeId draw(Pair pair, const Scorer&, Rng& rng) {
    return exclusion_.draw_uniform(pair.source, rng);
  }
  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer&) const override {
    return uniform_log_q(exclusion_, source, target);
  }

 private:
  const Exclusion& exclusion_;
};

}  // namespace

std::unique_ptr<NegativeSampler> make_rns(Spec& spec, const SamplerContext& context) {
  spec.finish();
  return std::make_unique<Rns>(context.exclusion);
}

}  // namespace mcns
