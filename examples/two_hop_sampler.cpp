// two-hop: with probability `share` a negative is two random steps from the positive's target,
// where such a node may be one; else it is uniform. With m(v) the probability that two steps end at
// v, p(v) = share m(v) + (1 - share * sum of m over the allowed targets) / allowed. No table.
#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/case.h"

namespace mcns {
namespace {

class TwoHop final : public PairwiseSampler<TwoHop> {
 public:
  TwoHop(double share, const SamplerContext& context)
      : share_(share), graph_(context.graph), exclusion_(context.exclusion) {}

  NodeId draw(Pair pair, const Scorer&, Rng& rng) const {
    const auto step = [&](NodeId v) {
      return graph_.degree(v) == 0 ? v : graph_.neighbors(v)[rng.below(graph_.degree(v))];
    };
    if (rng.uniform() < share_) {
      const NodeId v = step(step(pair.target));  // a target: items are two steps from items
      if (!exclusion_.excluded(pair.source, v)) return v;
    }
    return exclusion_.draw_uniform(pair.source, rng);
  }

 private:
  double share_;
  const Graph& graph_;
  const Exclusion& exclusion_;
};

/// The same from the edges alone, for `mcns selftest`.
Distribution expected(const SelftestWorld& world, Pair pair, const NegativeSampler&) {
  const Graph& graph = world.graph();
  const auto allowed = world.allowed(pair.source);
  Distribution ends, out;
  for (const NodeId u : graph.neighbors(pair.target))
    for (const NodeId v : graph.neighbors(u))
      ends[v] += 0.5 / double(graph.degree(pair.target) * graph.degree(u));
  double uniform = 1;
  for (const NodeId v : allowed) uniform -= ends[v];
  for (const NodeId v : allowed) out[v] = ends[v] + uniform / double(allowed.size());
  return out;
}

}  // namespace

SamplerEntry two_hop_sampler() {
  SamplerEntry entry{{"two-hop",
                      "a node two random steps from the positive, or a uniform one",
                      {number_parameter("share", "0.5", {0, 1}, "of walks among the draws")}}};
  entry.make = [](const Parameters& p, const SamplerContext& context) {
    return std::make_unique<TwoHop>(p.number("share"), context);
  };
  entry.cases = [] { return std::vector<SelftestCase>{{"two-hop", expected}}; };
  return entry;
}

}  // namespace mcns
