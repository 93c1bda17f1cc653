// Self-adversarial negatives (Sun et al. 2019, RotatE): of uniform candidates the j-th is a
// negative with probability exp(t s_j) / sum_i exp(t s_i), with scores s of the current model and
// temperature t.
//
// candidates=M draws so: each of the k negatives is one of M candidates of its own, for any k. M
// score evaluations a negative; no log q, the distribution over all targets has no closed form.
// candidates=0 is what RotatE does in practice: the k negatives themselves are the candidates, and
// their probabilities are weights. RotatE's weights sum to 1; ours to k, so that t = 0 is RNS
// exactly. With k = 1 the weight is always 1. One score evaluation a negative; log q is the uniform
// draw's, exact, the weight is no part of it.
#include <algorithm>
#include <cmath>

#include "mcns/core/thread_scratch.h"
#include "mcns/samplers/enumerate.h"
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

/// Draws from candidates by the softmax of their scores.
class SoftmaxOfCandidates final : public PairwiseSampler<SoftmaxOfCandidates> {
 public:
  SoftmaxOfCandidates(int candidates, double temperature, const Exclusion& exclusion)
      : candidates_(candidates), temperature_(temperature), exclusion_(exclusion) {}

  NodeId draw(Pair pair, const Scorer& scorer, Rng& rng) {
    struct Scratch {
      std::vector<NodeId> ids;
      std::vector<float> scores;
      std::vector<double> cumulative;
    };
    auto& [ids, scores, cumulative] = thread_scratch<Scratch>();
    ids.resize(candidates_);
    scores.resize(candidates_);
    cumulative.resize(candidates_);
    for (NodeId& id : ids) id = exclusion_.draw_uniform(pair.source, rng);
    scorer(pair.source, ids.data(), candidates_, scores.data());
    const double top = *std::max_element(scores.begin(), scores.end());
    double total = 0;
    for (int i = 0; i < candidates_; ++i)
      cumulative[i] = total += std::exp(temperature_ * (scores[i] - top));
    return ids[draw_cumulative(cumulative, rng)];
  }

 private:
  int candidates_;
  double temperature_;
  const Exclusion& exclusion_;
};

Distribution softmax_of_candidates(const SelftestWorld& world, NodeId source, int candidates,
                                   double temperature) {
  return distribution_of_candidates(world, source, candidates,
                                    [temperature](std::span<const double> scores) {
                                      std::vector<double> shares;
                                      double total = 0;
                                      for (const double s : scores)
                                        total += std::exp(temperature * s);
                                      for (const double s : scores)
                                        shares.push_back(std::exp(temperature * s) / total);
                                      return shares;
                                    });
}

}  // namespace

SamplerEntry self_adversarial_sampler() {
  SamplerEntry entry{
      {"self-adversarial",
       "uniform negatives weighed by the softmax of their scores, k in sum; or drawn by it",
       {number_parameter("temperature", "1", {0, 1e3}, "factor of the scores; 0 is uniform")
            .tuned({0.25, 4}, Scale::kLog),
        integer_parameter("candidates", "0", {0, 1'000'000},
                          "draw each negative from so many, by the softmax of their scores; 0: "
                          "weigh the negatives of a positive")}}};
  entry.adapts = true;
  entry.make = [](const Parameters& p,
                  const SamplerContext& context) -> std::unique_ptr<NegativeSampler> {
    const double temperature = p.number("temperature");
    if (p.integer("candidates") == 0)
      return std::make_unique<SelfAdversarial>(temperature, context.exclusion);
    return std::make_unique<SoftmaxOfCandidates>(p.small("candidates"), temperature,
                                                 context.exclusion);
  };
  entry.cases = [] {
    return std::vector<SelftestCase>{
        {"self-adversarial", expect(uniform_distribution)},
        {"self-adversarial:candidates=3", expect(softmax_of_candidates, 3, 1.0), 4},
        {"self-adversarial:candidates=4,temperature=2.5", expect(softmax_of_candidates, 4, 2.5), 2},
        {"self-adversarial:candidates=2,temperature=2", expect(softmax_of_candidates, 2, 2.0), 5,
         WorldKind::kUndirected, true, Filter::kNone}};
  };
  return entry;
}

}  // namespace mcns
