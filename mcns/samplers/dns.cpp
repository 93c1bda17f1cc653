// DNS, dynamic negative sampling (Zhang et al. 2013): of M targets drawn uniformly the one with the
// highest score; inverse-dns, the paper's verification that far negatives do harm, takes the
// lowest. DNS(M, N) (Shi et al. 2023) takes any of the N highest, each with the same probability,
// which softens the choice without a smaller M.
//
// Ties go to the first drawn, which over independent draws is any of them with equal probability.
// So with F the distribution function of the source's scores over the n allowed targets, and m of
// them tied at score s, p(u) = (G(F(s)) - G(F(s-))) / m with G(F) = E max(0, N - X) / N and X, the
// candidates above, binomial (M, 1 - F); F^M for N = 1. For the lowest, the same with 1 - F(s-), 1
// - F(s). M score evaluations a negative; log q is exact, by n of them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mcns/core/error.h"
#include "mcns/core/thread_scratch.h"
#include "mcns/samplers/enumerate.h"
#include "mcns/samplers/registry.h"
#include "mcns/samplers/self_contrast.h"
#include "mcns/samplers/selftest/closed_forms.h"

namespace mcns {
namespace {

template <bool kHighest>
class Dns final : public PairwiseSampler<Dns<kHighest>> {
 public:
  Dns(int candidates, int top, const Exclusion& exclusion)
      : candidates_(candidates), top_(top), exclusion_(exclusion) {}

  NodeId draw(Pair pair, const Scorer& scorer, Rng& rng) {
    return top_ == 1 ? draw_best(pair, scorer, rng) : draw_of_top(pair, scorer, rng);
  }

  bool can_share_source() const override { return true; }

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
    const double mass = below((beyond + ties) / n) - below(beyond / n);
    return LogProbability{std::log(mass / ties), true};
  }

 private:
  NodeId draw_best(Pair pair, const Scorer& scorer, Rng& rng) const {
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

  /// Equal scores rank in the order of drawing.
  NodeId draw_of_top(Pair pair, const Scorer& scorer, Rng& rng) const {
    struct Scratch {
      std::vector<NodeId> ids;
      std::vector<float> scores;
      std::vector<std::int32_t> order;
    };
    auto& [ids, scores, order] = thread_scratch<Scratch>();
    ids.resize(candidates_);
    scores.resize(candidates_);
    order.resize(candidates_);
    for (NodeId& id : ids) id = exclusion_.draw_uniform(pair.source, rng);
    scorer(pair.source, ids.data(), candidates_, scores.data());
    std::iota(order.begin(), order.end(), 0);
    const auto rank = static_cast<std::ptrdiff_t>(rng.below(top_));
    std::nth_element(order.begin(), order.begin() + rank, order.end(),
                     [&by = scores](std::int32_t a, std::int32_t b) {
                       return by[a] != by[b] ? by[a] > by[b] : a < b;
                     });
    return ids[order[rank]];
  }

  /// G(F): the probability that the chosen candidate is among the share F of all targets that
  /// score lowest.
  double below(double share) const {
    if (top_ == 1 || share <= 0 || share >= 1) return std::pow(share, candidates_);
    const double m = candidates_;
    double sum = 0;
    for (double above = 0; above < top_; ++above)
      sum += (top_ - above) *
             std::exp(std::lgamma(m + 1) - std::lgamma(above + 1) - std::lgamma(m - above + 1) +
                      above * std::log1p(-share) + (m - above) * std::log(share));
    return sum / top_;
  }

  static constexpr int kBlock = 32;

  int candidates_, top_;
  const Exclusion& exclusion_;
};

void check_top(const Parameters& p) {
  require(p.integer("top") <= p.integer("candidates"),
          "dns takes one of the {} highest of {} candidates: top must be at most candidates",
          p.integer("top"), p.integer("candidates"));
}

template <bool kHighest>
SamplerEntry entry_of(const char* name, const char* help) {
  SamplerEntry entry{
      {name,
       help,
       {integer_parameter("candidates", "5", {1, 1'000'000}, "score evaluations per negative")
            .tuned({2, 32}, Scale::kLog)}}};
  entry.adapts = entry.shares = true;
  entry.harder = kHighest;
  entry.make = [](const Parameters& p, const SamplerContext& context) {
    int top = 1;
    if constexpr (kHighest) {
      check_top(p);
      top = p.small("top");
    }
    return std::make_unique<Dns<kHighest>>(p.small("candidates"), top, context.exclusion);
  };
  return entry;
}

/// One of the `top` highest of the candidates, each as likely: by going through all candidates.
Distribution top_of_distribution(const SelftestWorld& world, NodeId source, int candidates,
                                 int top) {
  return distribution_of_candidates(
      world, source, candidates, [top](std::span<const double> scores) {
        std::vector<double> shares(scores.size());
        for (std::size_t i = 0; i < scores.size(); ++i) {
          int before = 0;
          for (std::size_t j = 0; j < scores.size(); ++j)
            before += scores[j] > scores[i] || (scores[j] == scores[i] && j < i);
          shares[i] = before < top ? 1.0 / top : 0.0;
        }
        return shares;
      });
}

}  // namespace

SamplerEntry dns_sampler() {
  SamplerEntry entry = entry_of<true>("dns", "the highest-scored of some uniform candidates");
  entry.declares = [] {
    return std::vector<DeclaredDraws>{{"dns:candidates=8", {Form::kQuantile, 0.5, 1e-3, 8}}};
  };
  entry.parameters.push_back(integer_parameter(
      "top", "1", {1, 1'000'000}, "any of so many highest-scored candidates, at most all"));
  entry.check = [](const Parameters& p, const SamplerRegistry&) { check_top(p); };
  entry.cases = [] {
    std::vector<SelftestCase> out;
    for (const NodeId source : {2, 4})
      out.push_back({"dns:candidates=3", expect(best_of_distribution, 3, true), source});
    out.push_back({"dns:candidates=40", expect(best_of_distribution, 40, true), 4,
                   WorldKind::kUndirected, true});
    out.push_back({"dns", expect(best_of_distribution, 5, true), 3, WorldKind::kUserItem, false,
                   Filter::kNone});
    out.push_back({"dns:candidates=3,top=2", expect(top_of_distribution, 3, 2), 4});
    out.push_back({"dns:candidates=4,top=3", expect(top_of_distribution, 4, 3), 2});
    out.push_back(
        {"dns:candidates=3,top=3", expect(uniform_distribution), 5, WorldKind::kUndirected, true});
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
