// AHNS, adaptive hardness (Lai et al. 2024): of M targets drawn uniformly the one whose score is
// nearest to beta (s+ + alpha)^(p + 1), where s+ is the positive's score and p < -1: the better a
// positive is learned already, the softer its negatives, so that few of them are false ones.
//
// For s+ <= -alpha the power has no meaning or the wrong sign; its limit from above is infinite, so
// the highest-scored candidate is taken there. Ties go to the first drawn. With H the distribution
// function of the distances of all allowed targets, larger ones first, and m targets at distance d,
// p(u) = (H(d)^M - H(d+)^M) / m: DNS by distance. M + 1 score evaluations a negative, one of them
// shared by a positive's. No log q: the distribution depends on the positive.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/closed_forms.h"

namespace mcns {
namespace {

struct AhnsOptions {
  int candidates = 32;
  double alpha = 1, beta = 0.1, power = -2;  ///< power: p
};

class Ahns final : public NegativeSampler {
 public:
  Ahns(const AhnsOptions& options, const Exclusion& exclusion)
      : options_(options), exclusion_(exclusion) {}

  void sample(const SampleRequest& request, const Negatives& out) override {
    const Streams streams = request.streams();
    for (const std::int32_t i : request.members) {
      const Pair pair = request.pairs[i];
      Rng rng = streams.at(request.serials[i]);
      const float wanted = wanted_score(request.scorer(pair.source, pair.target));
      NodeId* ids = out.ids.data() + static_cast<std::size_t>(i) * out.k;
      for (int j = 0; j < out.k; ++j) ids[j] = draw(pair.source, wanted, request.scorer, rng);
    }
  }

 private:
  /// Infinite where the highest is wanted.
  float wanted_score(float positive) const {
    const double base = static_cast<double>(positive) + options_.alpha;
    if (base <= 0) return std::numeric_limits<float>::infinity();
    return static_cast<float>(options_.beta * std::pow(base, options_.power + 1));
  }

  NodeId draw(NodeId source, float wanted, const Scorer& scorer, Rng& rng) const {
    NodeId best = -1;
    float best_distance = 0;
    for (int left = options_.candidates; left > 0; left -= kBlock) {
      NodeId ids[kBlock];
      float scores[kBlock];
      const int count = std::min(left, kBlock);
      for (int i = 0; i < count; ++i) ids[i] = exclusion_.draw_uniform(source, rng);
      scorer(source, ids, count, scores);
      for (int i = 0; i < count; ++i) {
        const float distance = std::isinf(wanted) ? -scores[i] : std::abs(scores[i] - wanted);
        if (best >= 0 && distance >= best_distance) continue;
        best = ids[i];
        best_distance = distance;
      }
    }
    return best;
  }

  static constexpr int kBlock = 32;

  AhnsOptions options_;
  const Exclusion& exclusion_;
};

/// By going through all lists of candidates.
SelftestCase::Expected nearest_of(const AhnsOptions& options) {
  return [options](const SelftestWorld& world, Pair pair, const NegativeSampler&) {
    const double base = world.score(pair.source, pair.target) + options.alpha;
    const double wanted = options.beta * std::pow(base, options.power + 1);
    return distribution_of_candidates(
        world, pair.source, options.candidates, [&](std::span<const double> scores) {
          const auto is_nearer = [&](double a, double b) {
            return base > 0 ? std::abs(a - wanted) < std::abs(b - wanted) : a > b;
          };
          std::vector<double> shares(scores.size());
          shares[std::min_element(scores.begin(), scores.end(), is_nearer) - scores.begin()] = 1;
          return shares;
        });
  };
}

std::vector<SelftestCase> ahns_cases() {
  std::vector<SelftestCase> out;
  const auto add = [&](const AhnsOptions& o, NodeId source, WorldKind kind) {
    out.push_back({fmt::format("ahns:candidates={},alpha={},beta={},p={}", o.candidates, o.alpha,
                               o.beta, o.power),
                   nearest_of(o), source, kind});
  };
  for (const NodeId source : {2, 3, 4}) add({3, 1, 0.1, -2}, source, WorldKind::kUserItem);
  add({4, 2, 0.5, -1.5}, 4, WorldKind::kUserItem);
  for (const NodeId source : {3, 5}) add({3, 0, 0.3, -2}, source, WorldKind::kUndirected);
  return out;
}

}  // namespace

SamplerEntry ahns_sampler() {
  SamplerEntry entry{
      {"ahns",
       "of some uniform candidates the one nearest to a score that falls as the positive's rises",
       {integer_parameter("candidates", "32", {1, 1'000'000}, "score evaluations per negative")
            .tuned({4, 64}, Scale::kLog),
        number_parameter("alpha", "1", {0, 1e6}, "added to the positive's score"),
        number_parameter("beta", "0.1", {1e-6, 1e6}, "factor of the wanted score")
            .tuned({0.02, 1}, Scale::kLog),
        number_parameter("p", "-2", {-100, -1}, "wanted: beta (positive + alpha)^(p + 1)")}}};
  entry.adapts = true;
  entry.harder = true;
  entry.make = [](const Parameters& p, const SamplerContext& context) {
    const AhnsOptions options{p.small("candidates"), p.number("alpha"), p.number("beta"),
                              p.number("p")};
    return std::make_unique<Ahns>(options, context.exclusion);
  };
  entry.cases = ahns_cases;
  return entry;
}

}  // namespace mcns
