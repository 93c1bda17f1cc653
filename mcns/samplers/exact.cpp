// The self-contrast distribution by enumeration: every allowed target is scored and one is drawn
// from the normalised target (self_contrast.h: form=paper, exp or quantile). The reference that
// separates a wrong target from a chain that mixes badly. n score evaluations per source and batch,
// shared by its pairs, then O(log n) a negative; log q is exact, by n of them.
#include <cmath>
#include <limits>

#include "mcns/samplers/enumerate.h"
#include "mcns/samplers/registry.h"
#include "mcns/samplers/self_contrast.h"
#include "mcns/samplers/selftest/closed_forms.h"

namespace mcns {
namespace {

class Exact final : public NegativeSampler {
 public:
  Exact(const SelfContrast& target, const Exclusion& exclusion)
      : target_(target), exclusion_(exclusion) {}

  void sample(const SampleRequest& request, const Negatives& out) override {
    const Streams streams = request.streams();
    ScoredTargets all;
    std::vector<double> distribution;
    for_each_source(request, [&](NodeId source, std::span<const std::int32_t> members) {
      all.fill(exclusion_, source, request.scorer);
      distribution.resize(all.ids.size());
      self_contrast_distribution(target_, all.scores, distribution);
      for (std::size_t i = 1; i < distribution.size(); ++i) distribution[i] += distribution[i - 1];
      for (const std::int32_t i : members) {
        Rng rng = streams.at(request.serials[i]);
        NodeId* ids = out.ids.data() + static_cast<std::size_t>(i) * out.k;
        for (int j = 0; j < out.k; ++j) ids[j] = all.ids[draw_cumulative(distribution, rng)];
      }
    });
  }

  bool can_share_source() const override { return true; }

  std::optional<LogProbability> log_q(NodeId source, NodeId target,
                                      const Scorer& scorer) const override {
    ScoredTargets all;
    all.fill(exclusion_, source, scorer);
    const std::size_t at = all.find(target);
    if (at == all.ids.size()) return LogProbability{-std::numeric_limits<double>::infinity(), true};
    std::vector<double> distribution(all.ids.size());
    self_contrast_distribution(target_, all.scores, distribution);
    return LogProbability{std::log(distribution[at]), true};
  }

 private:
  SelfContrast target_;
  const Exclusion& exclusion_;
};

}  // namespace

SamplerEntry exact_sampler() {
  SamplerEntry entry{{"exact",
                      "the self-contrast distribution by scoring every target: the reference for "
                      "mcns",
                      form_parameters("exp")}};
  entry.parameters.push_back(
      integer_parameter("candidates", "5", {1, 1'000'000}, "quantile: M, as in dns")
          .tuned({2, 32}, Scale::kLog, "form=quantile"));
  entry.adapts = entry.shares = true;
  entry.harder = true;
  entry.make = [](const Parameters& p, const SamplerContext& context) {
    SelfContrast target = read_form(p);
    target.candidates = p.small("candidates");
    return std::make_unique<Exact>(target, context.exclusion);
  };
  entry.declares = [] { return std::vector<DeclaredDraws>{{"exact", {Form::kExp, 0.5, 1e-3, 5}}}; };
  entry.cases = [] {
    const SelfContrast exponential{Form::kExp, 0.5, 1e-3, 5}, paper{Form::kPaper, 0.25, 1e-3, 5},
        quantile{Form::kQuantile, 0.5, 1e-3, 4};
    return std::vector<SelftestCase>{
        {"exact", expect(self_contrast_form, exponential)},
        {"exact:form=paper", expect(self_contrast_form, paper), 4, WorldKind::kUndirected, true},
        {"exact:form=quantile,candidates=4", expect(self_contrast_form, quantile)}};
  };
  return entry;
}

}  // namespace mcns
