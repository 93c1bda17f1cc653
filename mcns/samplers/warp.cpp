// WARP (Weston et al. 2011, WSABIE): uniform draws until one violates the margin,
// s(negative) - s(positive) + margin > 0; the number of draws N it took estimates the positive's
// rank, r = floor((n - 1) / N) among n allowed targets, and the negative weighs Phi(r) / Phi(n - 1)
// with Phi(r) = 1 + 1/2 + ... + 1/r, so a positive that ranks badly learns more.
//
// Given the positive, the distribution is uniform over the violators, and nothing is found with
// probability (1 - violators / n)^tries. Each of the k negatives has its own search. One that finds
// nothing weighs 0; a pair where none does is skipped (pair weight 0) and so counted by the
// trainer. The pair's weight is the mean of its negatives' and theirs are relative to it: for a
// pairwise loss that is the weight of each negative, and the positive's own term in other losses
// shrinks alike. 1 to `tries` score evaluations, n / violators on average. No log q: the
// distribution depends on the positive.
#include <cmath>

#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/closed_forms.h"

namespace mcns {
namespace {

class Warp final : public NegativeSampler {
 public:
  struct Options {
    float margin;
    int tries;
    bool rank_weight;
  };

  Warp(const Options& options, const Exclusion& exclusion)
      : options_(options), exclusion_(exclusion), phi_(exclusion.targets().size() + 1) {
    for (std::size_t r = 1; r < phi_.size(); ++r)
      phi_[r] = phi_[r - 1] + 1.0 / static_cast<double>(r);
  }

  void sample(const SampleRequest& request, const Negatives& out) override {
    const Streams streams = request.streams();
    for (const std::int32_t i : request.members) {
      const Pair pair = request.pairs[i];
      Rng rng = streams.at(request.serials[i]);
      const std::size_t first = static_cast<std::size_t>(i) * out.k;
      float positive = 0;
      request.scorer(pair.source, &pair.target, 1, &positive);
      const NodeId allowed = exclusion_.allowed(pair.source);
      float total = 0;
      for (int j = 0; j < out.k; ++j) {
        const Found found = search(pair.source, positive, request.scorer, rng);
        out.ids[first + j] = found.id;
        total += out.weights[first + j] = weight(found.draws, allowed);
      }
      const float mean = total / static_cast<float>(out.k);
      out.pair_weights[i] = mean;
      for (int j = 0; j < out.k && mean > 0; ++j) out.weights[first + j] /= mean;
    }
  }

  bool weighs_negatives() const override { return true; }
  bool weighs_pairs() const override { return true; }

 private:
  struct Found {
    NodeId id;
    int draws;  ///< 0: no violation
  };

  /// Candidates are scored a few at a time; the first violator in order of drawing counts.
  Found search(NodeId source, float positive, const Scorer& scorer, Rng& rng) const {
    NodeId ids[kBlock] = {};
    float scores[kBlock];
    for (int done = 0; done < options_.tries;) {
      const int count = std::min(kBlock, options_.tries - done);
      for (int c = 0; c < count; ++c) ids[c] = exclusion_.draw_uniform(source, rng);
      scorer(source, ids, count, scores);
      for (int c = 0; c < count; ++c)
        if (scores[c] - positive + options_.margin > 0) return {ids[c], done + c + 1};
      done += count;
    }
    return {ids[0], 0};
  }

  float weight(int draws, NodeId allowed) const {
    if (draws == 0) return 0;
    if (!options_.rank_weight || allowed <= 2) return 1;
    const NodeId rank = std::max(1, (allowed - 1) / draws);
    return static_cast<float>(phi_[rank] / phi_[allowed - 1]);
  }

  static constexpr int kBlock = 4;

  Options options_;
  const Exclusion& exclusion_;
  std::vector<double> phi_;
};

/// Uniform over the targets above the positive's score less the margin, or nothing in `tries`.
Distribution warp_distribution(const SelftestWorld& world, Pair pair, double margin, int tries) {
  const auto allowed = world.allowed(pair.source);
  const double bar = world.score(pair.source, pair.target) - margin;
  std::vector<NodeId> violators;
  for (const NodeId v : allowed)
    if (world.score(pair.source, v) > bar) violators.push_back(v);
  const auto found = static_cast<double>(violators.size());
  const double miss = std::pow(1 - found / static_cast<double>(allowed.size()), tries);
  Distribution out = {{kNothing, miss}};
  for (const NodeId v : violators) out[v] = (1 - miss) / found;
  return out;
}

}  // namespace

SamplerEntry warp_sampler() {
  SamplerEntry entry{
      {"warp",
       "uniform draws until one violates the margin, weighed by the rank that their number implies",
       {number_parameter("margin", "1", {0, 1e6}, "violation: negative - positive + margin > 0"),
        integer_parameter("tries", "100", {1, 1'000'000},
                          "maximum number of draws; without a violation the pair is skipped"),
        choice_parameter("weight", {"rank", "none"}, "rank",
                         "rank: harmonic sum of the estimated rank; none: 1")}}};
  entry.adapts = true;
  entry.harder = true;
  entry.make = [](const Parameters& p, const SamplerContext& context) {
    Warp::Options options;
    options.margin = static_cast<float>(p.number("margin"));
    options.tries = p.small("tries");
    options.rank_weight = p.text("weight") == "rank";
    return std::make_unique<Warp>(options, context.exclusion);
  };
  entry.cases = [] {
    const auto expected = [](const SelftestWorld& world, Pair pair, const NegativeSampler&) {
      return warp_distribution(world, pair, 0.25, 3);
    };
    return std::vector<SelftestCase>{
        {"warp:margin=0.25,tries=3", expected, 2},
        {"warp:margin=0.25,tries=3", expected, 5, WorldKind::kUndirected, true}};
  };
  return entry;
}

}  // namespace mcns
