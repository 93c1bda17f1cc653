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
    const SelfContrast law{.form = Form::kQuantile, .candidates = candidates_};
    const double mass = law.quantile_mass(beyond / n, (beyond + ties) / n);
    return LogProbability{std::log(mass / ties), true};
  }

  bool is_adaptive() const override { return true; }

 private:
  static constexpr int kBlock = 32;

  int candidates_;
  const Exclusion& exclusion_;
};

int read_candidates(Spec& spec) {
  const auto candidates = spec.integer("candidates", 5, 1, 1'000'000);
  spec.finish();
  return static_cast<int>(candidates);
}

}  // namespace

std::unique_ptr<NegativeSampler> make_dns(Spec& spec, const SamplerContext& context) {
  return std::make_unique<Dns<true>>(read_candidates(spec), context.exclusion);
}

std::unique_ptr<NegativeSampler> make_inverse_dns(Spec& spec, const SamplerContext& context) {
  return std::make_unique<Dns<false>>(read_candidates(spec), context.exclusion);
}

}  // namespace mcns
