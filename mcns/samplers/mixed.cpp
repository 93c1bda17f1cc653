// Mixed negative sampling (Yang et al. 2020): a share of the negatives is uniform, the others are
// targets of the batch's other pairs. In-batch negatives alone never show a target without links,
// and seldom one with few; uniform ones alone leave popular targets too high.
//
// Each negative chooses by a draw of its own, so p(u) = share / n + (1 - share) x (u's share of the
// batch's allowed targets). No score evaluation. log q is the log of that sum with u's share of all
// links in place of the batch's, which is its mean over batches: what a softmax needs
// (`--loss softmax --log-q on`).
#include <cmath>

#include "mcns/samplers/batch_targets.h"
#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/closed_forms.h"

namespace mcns {
namespace {

class Mixed final : public NegativeSampler {
 public:
  Mixed(double share, const SamplerContext& context)
      : share_(share), exclusion_(context.exclusion), batch_(context) {}

  void sample(const SampleRequest& request, const Negatives& out) override {
    const Streams streams = request.streams();
    for (const std::int32_t i : request.members) {
      Rng rng = streams.at(request.serials[i]);
      NodeId* ids = out.ids.data() + static_cast<std::size_t>(i) * out.k;
      for (int j = 0; j < out.k; ++j)
        ids[j] = rng.uniform() < share_ ? exclusion_.draw_uniform(request.pairs[i].source, rng)
                                        : batch_.draw(request.pairs, i, rng);
    }
  }

  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer&) const override {
    const double uniform = uniform_log_q(exclusion_, source, target).value;
    const double total =
        share_ * std::exp(uniform) + (1 - share_) * std::exp(batch_.log_q(source, target));
    return LogProbability{std::log(total), false};
  }

 private:
  double share_;
  const Exclusion& exclusion_;
  BatchTargets batch_;
};

}  // namespace

SamplerEntry mixed_sampler() {
  SamplerEntry entry{{"mixed",
                      "targets of the batch's other pairs, mixed with uniform ones",
                      {number_parameter("uniform", "0.5", {0, 1}, "share of the uniform ones")
                           .tuned({0.1, 0.9}, Scale::kLinear)}}};
  entry.make = [](const Parameters& p, const SamplerContext& context) {
    return std::make_unique<Mixed>(p.number("uniform"), context);
  };
  entry.bytes = [](const Parameters&, const SamplerSizes& sizes) {
    return alias_table_bytes(sizes);
  };
  entry.cases = [] {
    const std::vector<Pair> others = {{7, 8}, {7, 9}, {7, 9}, {7, 22}, {7, 22}, {7, 22}, {7, 27}};
    const auto mixed = [others](const SelftestWorld& world, Pair pair, const NegativeSampler&) {
      Distribution out = distribution_of_weights(world, pair.source, [&](NodeId v) {
        return static_cast<double>(std::ranges::count(others, v, &Pair::target));
      });
      const Distribution uniform = uniform_distribution(world, pair.source);
      for (auto& [v, p] : out) p = 0.75 * p + 0.25 * uniform.at(v);
      return out;
    };
    return std::vector<SelftestCase>{{"mixed:uniform=0.25", mixed, 2, WorldKind::kUserItem, false,
                                      Filter::kTrain, Draws::kBatches, true, others}};
  };
  return entry;
}

}  // namespace mcns
