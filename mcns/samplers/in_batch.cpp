// In-batch negatives: the targets of the batch's other pairs, every other position with the same
// probability, less those the source may not have. The distribution is that of the batch's targets.
// Rejection, then by enumeration; where the batch holds no allowed target, uniform over all allowed
// ones. No score evaluation. log q is an estimate: a target is in a batch as often as it is linked,
// so its share of the allowed targets' links, the popularity that the log-q correction needs (Yi et
// al. 2019).
#include "mcns/core/graph_stats.h"
#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/closed_forms.h"
#include "mcns/samplers/static_distribution.h"

namespace mcns {
namespace {

class InBatch final : public NegativeSampler {
 public:
  explicit InBatch(const SamplerContext& context)
      : exclusion_(context.exclusion), popularity_(exclusion_, target_degrees(context.graph)) {}

  void sample(const SampleRequest& request, const Negatives& out) override {
    const Streams streams = request.streams();
    for (const std::int32_t i : request.members) {
      Rng rng = streams.at(request.serials[i]);
      NodeId* ids = out.ids.data() + static_cast<std::size_t>(i) * out.k;
      for (int j = 0; j < out.k; ++j) ids[j] = draw(request.pairs, i, rng);
    }
  }

  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer&) const override {
    return LogProbability{popularity_.log_q(source, target).value, false};
  }

 private:
  NodeId draw(std::span<const Pair> pairs, std::int32_t self, Rng& rng) const {
    const NodeId source = pairs[self].source;
    const auto others = static_cast<std::int64_t>(pairs.size()) - 1;
    if (others == 0) return exclusion_.draw_uniform(source, rng);
    for (int tries = 0; tries < Exclusion::kTries; ++tries) {
      auto at = static_cast<std::int64_t>(rng.below(others));
      at += at >= self;
      if (!exclusion_.excluded(source, pairs[at].target)) return pairs[at].target;
    }
    return draw_by_enumeration(pairs, self, rng);
  }

  NodeId draw_by_enumeration(std::span<const Pair> pairs, std::int32_t self, Rng& rng) const {
    const NodeId source = pairs[self].source;
    std::vector<NodeId> allowed;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(pairs.size()); ++i)
      if (i != self && !exclusion_.excluded(source, pairs[i].target))
        allowed.push_back(pairs[i].target);
    if (allowed.empty()) return exclusion_.draw_uniform(source, rng);
    return allowed[rng.below(allowed.size())];
  }

  const Exclusion& exclusion_;
  StaticDistribution popularity_;
};

}  // namespace

SamplerEntry in_batch_sampler() {
  SamplerEntry entry{{"in-batch", "targets of the batch's other pairs"}};
  entry.make = [](const Parameters&, const SamplerContext& context) {
    return std::make_unique<InBatch>(context);
  };
  entry.cases = [] {
    const std::vector<Pair> others = {{7, 8}, {7, 9}, {7, 9}, {7, 22}, {7, 22}, {7, 22}, {7, 27}};
    const auto of_batch = [others](const SelftestWorld& world, Pair pair, const NegativeSampler&) {
      return distribution_of_weights(world, pair.source, [&](NodeId v) {
        return static_cast<double>(std::ranges::count(others, v, &Pair::target));
      });
    };
    return std::vector<SelftestCase>{{"in-batch", of_batch, 2, WorldKind::kUserItem, false,
                                      Filter::kTrain, Draws::kBatches, true, others}};
  };
  return entry;
}

}  // namespace mcns
