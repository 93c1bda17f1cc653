// DNS, dynamic negative sampling (Zhang et al. 2013): of S targets drawn uniformly the one with the
// highest score; inverse-dns, the paper's verification that far negatives do harm, takes the
// lowest.
//
// Ties go to the first drawn, which over independent draws is any of them with equal probability.
// So with F the distribution function of the source's scores over the n allowed targets, and m of
// them tied at score s, p(u) = (F(s)^S - F(s-)^S) / m; for the lowest, the same with 1 - F(s-), 1 -
// F(s). S score evaluations a negative; log q is exact, by n of them.
#include <cmath>
#include <limits>

#include "mcns/samplers/enumerate.h"
#include "mcns/samplers/registry.h"
#include "mcns/samplers/self_contrast.h"
#include "mcns/samplers/selftest/closed_forms.h"

namespace mcns {
namespace {

template <bool kHighest>
class Dns final : public PairwiseSampler<Dns<kHighest>> {
 public:
  Dns(int candidates, const Exclusion& exclusion)
      : candidates_(candidates), exclusion_(exclusion) {}

  NodeId draw(Pair pair, const Scorer& scorer, Rng& rng) {
    NodeId best = -1;
    float best_score = 0;
    for (int left = candidates_; left > 0; left -= kBlock) {
      NodeId ids[kBlock];
      float scores[kBlock];
      const int count = std::min(left, kBlock);
      for (int i = 0; i < count; ++i) ids[i] = exclusion_.draw_uniform(pair.source, rng);
      scorer(pair.source, ids, count, scores);
      for (int i = 0; i < count; ++i)
        if (best < 0 || (kHighest ? scores[i] > best_score : scores[i] < best_score)) {
          best = ids[i];
          best_score = scores[i];
        }
    }
    return best;
  }

  std::optional<LogProbability> log_q(NodeId source, NodeId target,
                                      const Scorer& scorer) const override {
    ScoredTargets all;
    all.fill(exclusion_, source, scorer);
    const std::size_t at = all.find(target);
    if (at == all.ids.size()) return LogProbability{-std::numeric_limits<double>::infinity(), true};
    double beyond = 0, ties = 0;
    for (const float s : all.scores) {
      beyond += kHighest ? s < all.scores[at] : s > all.scores[at];
      ties += s == all.scores[at];
    }
    const auto n = static_cast<double>(all.ids.size());
    const SelfContrast distribution{.form = Form::kQuantile, .candidates = candidates_};
    const double mass = distribution.quantile_mass(beyond / n, (beyond + ties) / n);
    return LogProbability{std::log(mass / ties), true};
  }

 private:
  static constexpr int kBlock = 32;

  int candidates_;
  const Exclusion& exclusion_;
};

template <bool kHighest>
SamplerEntry entry_of(const char* name, const char* help) {
  SamplerEntry entry{
      {name,
       help,
       {integer_parameter("candidates", "5", {1, 1'000'000}, "score evaluations per negative")}}};
  entry.adapts = true;
  entry.harder = kHighest;
  entry.make = [](const Parameters& p, const SamplerContext& context) {
    return std::make_unique<Dns<kHighest>>(p.small("candidates"), context.exclusion);
  };
  return entry;
}

}  // namespace

SamplerEntry dns_sampler() {
  SamplerEntry entry = entry_of<true>("dns", "the highest-scored of some uniform candidates");
  entry.cases = [] {
    std::vector<SelftestCase> out;
    for (const NodeId source : {2, 4})
      out.push_back({"dns:candidates=3", expect(best_of_distribution, 3, true), source});
    out.push_back({"dns:candidates=40", expect(best_of_distribution, 40, true), 4,
                   WorldKind::kUndirected, true});
    out.push_back({"dns", expect(best_of_distribution, 5, true), 3, WorldKind::kUserItem, false,
                   Filter::kNone});
    return out;
  };
  return entry;
}

SamplerEntry inverse_dns_sampler() {
  SamplerEntry entry =
      entry_of<false>("inverse-dns", "the lowest-scored of some uniform candidates");
  entry.cases = [] {
    return std::vector<SelftestCase>{
        {"inverse-dns", expect(best_of_distribution, 5, false), 2},
        {"inverse-dns", expect(best_of_distribution, 5, false), 4, WorldKind::kUndirected, true}};
  };
  return entry;
}

}  // namespace mcns
