// two-hop: a negative is reached from the positive's target by two steps to random neighbours,
// all equally likely. Such nodes share a neighbour with the target, so they are harder than uniform
// ones. A walk that ends at a node that may not be a negative is repeated; after `walks` of them
// the draw is uniform.
//
// With m(v) the probability that a walk ends at an allowed v, and r = 1 - sum of m that it fails,
// p(v) = m(v) (1 + r + ... + r^(walks-1)) + r^walks / allowed. At most 2 walks + 1 random numbers
// and no table; p depends on the positive, so there is no log q.
#include <cmath>

#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/case.h"

namespace mcns {
namespace {

class TwoHop final : public PairwiseSampler<TwoHop> {
 public:
  TwoHop(int walks, const SamplerContext& context)
      : walks_(walks), graph_(context.graph), exclusion_(context.exclusion) {}

  NodeId draw(Pair pair, const Scorer&, Rng& rng) const {
    for (int walk = 0; walk < walks_; ++walk) {
      const auto step = [&](NodeId v) {
        const auto next = graph_.neighbors(v);
        return next.empty() ? v : next[rng.below(next.size())];
      };
      const NodeId v = step(step(pair.target));  // a target: items are two steps from items
      if (!exclusion_.excluded(pair.source, v)) return v;
    }
    return exclusion_.draw_uniform(pair.source, rng);
  }

 private:
  int walks_;
  const Graph& graph_;
  const Exclusion& exclusion_;
};

/// The same from the edges alone, for `mcns selftest`.
Distribution two_hop_distribution(const SelftestWorld& world, Pair pair, int walks) {
  const Graph& graph = world.graph();
  Distribution ends, out;
  for (const NodeId u : graph.neighbors(pair.target))
    for (const NodeId v : graph.neighbors(u))
      ends[v] += 1.0 / static_cast<double>(graph.degree(pair.target) * graph.degree(u));
  const auto allowed = world.allowed(pair.source);
  double fails = 1;
  for (const NodeId v : allowed) fails -= ends[v];
  double tries = 0;
  for (int walk = 0; walk < walks; ++walk) tries += std::pow(fails, walk);
  const double uniform = std::pow(fails, walks) / static_cast<double>(allowed.size());
  for (const NodeId v : allowed) out[v] = ends[v] * tries + uniform;
  return out;
}

}  // namespace

SamplerEntry two_hop_sampler() {
  SamplerEntry entry{{"two-hop",
                      "a node two random steps from the positive",
                      {integer_parameter("walks", "4", {1, 1000}, "tries before a uniform draw")}}};
  entry.harder = true;
  entry.make = [](const Parameters& p, const SamplerContext& context) {
    return std::make_unique<TwoHop>(p.small("walks"), context);
  };
  entry.bytes = [](const Parameters&, const SamplerSizes&) {
    return MemoryNote{"walks on the graph itself", 0};
  };
  entry.cases = [] {
    const auto expected = [](int walks) -> SelftestCase::Expected {
      return [walks](const SelftestWorld& world, Pair pair, const NegativeSampler&) {
        return two_hop_distribution(world, pair, walks);
      };
    };
    return std::vector<SelftestCase>{
        {"two-hop", expected(4)},
        {"two-hop:walks=1", expected(1), 5, WorldKind::kUndirected},
        {"two-hop:walks=2", expected(2), 0, WorldKind::kUndirected, true, Filter::kNone}};
  };
  return entry;
}

}  // namespace mcns
