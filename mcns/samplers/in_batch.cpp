// In-batch negatives: the targets of the batch's other pairs (batch_targets.h). The distribution is
// that of the batch's targets. No score evaluation. log q is an estimate, by popularity.
#include "mcns/samplers/batch_targets.h"
#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/closed_forms.h"

namespace mcns {
namespace {

class InBatch final : public NegativeSampler {
 public:
  explicit InBatch(const SamplerContext& context) : batch_(context) {}

  void sample(const SampleRequest& request, const Negatives& out) override {
    const Streams streams = request.streams();
    for (const std::int32_t i : request.members) {
      Rng rng = streams.at(request.serials[i]);
      NodeId* ids = out.ids.data() + static_cast<std::size_t>(i) * out.k;
      for (int j = 0; j < out.k; ++j) ids[j] = batch_.draw(request.pairs, i, rng);
    }
  }

  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer&) const override {
    return LogProbability{batch_.log_q(source, target), false};
  }

 private:
  BatchTargets batch_;
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
