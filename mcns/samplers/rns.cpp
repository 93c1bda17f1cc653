// RNS: every allowed target with the same probability (Caselles-Dupre et al. 2018). One draw, no
// score evaluation; log q = -log(allowed targets), exact.
#include <numeric>

#include "mcns/samplers/registry.h"
#include "mcns/samplers/rejection.h"
#include "mcns/samplers/selftest/closed_forms.h"

namespace mcns {
namespace {

class Rns final : public RejectionSampler<Rns> {
 public:
  using RejectionSampler::RejectionSampler;
  NodeId propose(std::uint64_t bits) const { return exclusion().propose_uniform(bits); }
  NodeId draw(NodeId source, Rng& rng) const { return exclusion().draw_uniform(source, rng); }
  double excluded_share(NodeId source) const {
    const NodeId targets = exclusion().targets().size();
    return static_cast<double>(targets - exclusion().allowed(source)) / targets;
  }
  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer&) const override {
    return uniform_log_q(exclusion(), source, target);
  }
  /// As many as there are targets, or more: each of them once, which is the whole softmax.
  int pool_size(int asked) const override { return std::min(asked, exclusion().targets().size()); }
  void draw_pool(BatchKey key, std::span<NodeId> out) const override {
    const NodeRange targets = exclusion().targets();
    if (std::ssize(out) < targets.size()) return RejectionSampler::draw_pool(key, out);
    std::iota(out.begin(), out.end(), targets.begin);
  }
  double pool_log_q(NodeId) const override { return -std::log(exclusion().targets().size()); }
};

}  // namespace

SamplerEntry rns_sampler() {
  SamplerEntry entry{{"rns", "uniform over the allowed targets"}};
  entry.shares = entry.pools = true;
  entry.make = [](const Parameters&, const SamplerContext& context) {
    return std::make_unique<Rns>(context.exclusion);
  };
  entry.cases = [] {
    std::vector<SelftestCase> out;
    for (const WorldKind kind : {WorldKind::kUserItem, WorldKind::kUndirected})
      for (const NodeId source : {0, 3})  // 0 may have a single target
        out.push_back({"rns", expect(uniform_distribution), source, kind});
    out.push_back(
        {"rns", expect(uniform_distribution), 3, WorldKind::kUserItem, false, Filter::kNone});
    return out;
  };
  return entry;
}

}  // namespace mcns
