// Self-adversarial negatives (Sun et al. 2019, RotatE): k uniform ones, the j-th weighing
// k exp(t s_j) / sum_i exp(t s_i), with scores s of the current model and temperature t. RotatE's
// weights sum to 1; ours to k, so that t = 0 is RNS exactly. With k = 1 the weight is always 1. One
// score evaluation a negative; log q is the uniform draw's, exact, the weight is no part of it.
#include <cmath>

#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/closed_forms.h"

namespace mcns {
namespace {

class SelfAdversarial final : public NegativeSampler {
 public:
  SelfAdversarial(double temperature, const Exclusion& exclusion)
      : temperature_(static_cast<float>(temperature)), exclusion_(exclusion) {}

  void sample(const SampleRequest& request, const Negatives& out) override {
    const Streams streams = request.streams();
    for (const std::int32_t i : request.members) {
      const NodeId source = request.pairs[i].source;
      Rng rng = streams.at(request.serials[i]);
      const std::size_t first = static_cast<std::size_t>(i) * out.k;
      NodeId* ids = out.ids.data() + first;
      float* weights = out.weights.data() + first;
      for (int j = 0; j < out.k; ++j) ids[j] = exclusion_.draw_uniform(source, rng);
      request.scorer(source, ids, out.k, weights);
      weigh({weights, static_cast<std::size_t>(out.k)});
    }
  }

  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer&) const override {
    return uniform_log_q(exclusion_, source, target);
  }
  bool weighs_negatives() const override { return true; }
  bool is_joint() const override { return true; }

 private:
  /// Scores to weights.
  void weigh(std::span<float> values) const {
    const float top = *std::max_element(values.begin(), values.end());
    float total = 0;
    for (float& v : values) total += v = std::exp(temperature_ * (v - top));
    for (float& v : values) v *= static_cast<float>(values.size()) / total;
  }

  float temperature_;
  const Exclusion& exclusion_;
};

}  // namespace

SamplerEntry self_adversarial_sampler() {
  SamplerEntry entry{
      {"self-adversarial",
       "uniform negatives weighed by the softmax of their scores, k in sum",
       {number_parameter("temperature", "1", {0, 1e3}, "factor of the scores; 0 is uniform")}}};
  entry.adapts = true;
  entry.make = [](const Parameters& p, const SamplerContext& context) {
    return std::make_unique<SelfAdversarial>(p.number("temperature"), context.exclusion);
  };
  entry.cases = [] {
    return std::vector<SelftestCase>{{"self-adversarial", expect(uniform_distribution)}};
  };
  return entry;
}

}  // namespace mcns
