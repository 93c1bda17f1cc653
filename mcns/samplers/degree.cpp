// Power of degree: p(u) proportional to deg(u)^beta (Mikolov et al. 2013, beta = 0.75), by an alias
// table over the targets. No score evaluation; log q is exact.
#include "mcns/samplers/registry.h"
#include "mcns/samplers/rejection.h"
#include "mcns/samplers/selftest/closed_forms.h"
#include "mcns/samplers/static_distribution.h"

namespace mcns {
namespace {

class Degree final : public RejectionSampler<Degree> {
 public:
  Degree(double power, const SamplerContext& context)
      : RejectionSampler(context.exclusion),
        distribution_(context.exclusion, degree_weights(context.graph, power)) {}

  NodeId propose(std::uint64_t bits) const { return distribution_.propose(bits); }
  NodeId draw(NodeId source, Rng& rng) const { return distribution_.draw(source, rng); }
  double excluded_share(NodeId source) const { return distribution_.excluded_share(source); }
  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer&) const override {
    return distribution_.log_q(source, target);
  }
  double pool_log_q(NodeId target) const override { return distribution_.log_share(target); }

 private:
  StaticDistribution distribution_;
};

}  // namespace

SamplerEntry degree_sampler() {
  SamplerEntry entry{{"degree",
                      "power of degree: p(u) ~ deg(u)^power",
                      {number_parameter("power", "0.75", {-10, 10},
                                        "0 is uniform, 1 the degree itself, below 0 prefers rare "
                                        "nodes")
                           .tuned({0, 1}, Scale::kLinear)}}};
  entry.shares = entry.pools = true;
  entry.make = [](const Parameters& p, const SamplerContext& context) {
    return std::make_unique<Degree>(p.number("power"), context);
  };
  entry.bytes = [](const Parameters&, const SamplerSizes& s) { return alias_table_bytes(s); };
  entry.cases = [] {
    constexpr WorldKind kUndirected = WorldKind::kUndirected;
    std::vector<SelftestCase> out;
    for (const double power : {-1.0, 0.0, 0.75, 1.0})
      out.push_back({fmt::format("degree:power={}", power), expect(degree_distribution, power), 5,
                     kUndirected, true});
    out.push_back({"degree", expect(degree_distribution, 0.75), 0, kUndirected, true});
    out.push_back({"degree", expect(degree_distribution, 0.75), 3, WorldKind::kUserItem, false,
                   Filter::kNone});
    return out;
  };
  return entry;
}

}  // namespace mcns
