// WRMF's sampling schemes (Pan et al. 2008, "One-class collaborative filtering"; Hu et al. 2008).
//
//   popularity  p(u) ~ deg(u)             the default: what the MCNS paper calls item-oriented
//                                         (ItemPop) and sums up as p_n ~ deg^beta
//   item        p(u) ~ sources - deg(u)   Pan et al.'s own item-oriented scheme: an item that few
//                                         users have is more likely a true negative
//   user        p(u) uniform, the pair weighs deg(v), over its mean on the training edges: for a
//               user with many items the others are more likely true negatives
//   uniform     p(u) uniform (RNS)
//
// Number of links, not weights, as in the papers. Every source is a user here, also on graphs that
// are not bipartite. O(1) a draw, no score evaluation; log q is exact (of the draw, not the
// weight).
#include "mcns/core/error.h"
#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/closed_forms.h"
#include "mcns/samplers/static_distribution.h"

namespace mcns {
namespace {

enum class Scheme { kPopularity, kItem, kUser, kUniform };

std::vector<double> target_weights(Scheme scheme, const Graph& graph) {
  const NodeRange targets = graph.targets();
  std::vector<double> weights(targets.size(), 1.0);
  std::vector<double> links(targets.size(), 0.0);
  for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u)
    for (const NodeId v : graph.neighbors(u)) links[v - targets.begin] += 1;
  if (scheme == Scheme::kPopularity) return links;
  if (scheme == Scheme::kItem)
    for (NodeId i = 0; i < targets.size(); ++i)
      weights[i] = std::max(0.0, graph.sources().size() - links[i]);
  return weights;
}

class Wrmf final : public NegativeSampler {
 public:
  Wrmf(Scheme scheme, const SamplerContext& context)
      : distribution_(context.exclusion, target_weights(scheme, context.graph)) {
    if (scheme != Scheme::kUser) return;
    const Graph& graph = context.graph;
    double links = 0, squares = 0;
    source_weights_.resize(graph.sources().end);
    for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u) {
      const auto degree = static_cast<double>(graph.degree(u));
      links += degree;
      squares += degree * degree;
    }
    // A source without links (a centre of walks alone) weighs as one with a single link.
    for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u)
      source_weights_[u] = static_cast<float>(
          squares > 0 ? std::max<double>(1, graph.degree(u)) * links / squares : 1.0);
  }

  void sample(const SampleRequest& request, const Negatives& out) override {
    const Streams streams = request.streams();
    for (const std::int32_t i : request.members) {
      const NodeId source = request.pairs[i].source;
      Rng rng = streams.at(request.serials[i]);
      NodeId* ids = out.ids.data() + static_cast<std::size_t>(i) * out.k;
      for (int j = 0; j < out.k; ++j) ids[j] = distribution_.draw(source, rng);
      if (weighs_pairs()) out.pair_weights[i] = source_weights_[source];
    }
  }

  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer&) const override {
    return distribution_.log_q(source, target);
  }
  bool weighs_pairs() const override { return !source_weights_.empty(); }

 private:
  StaticDistribution distribution_;
  std::vector<float> source_weights_;
};

/// Links of v, or sources less links.
Distribution wrmf_distribution(const SelftestWorld& world, NodeId source, bool popularity) {
  const double sources = world.graph().sources().size();
  return distribution_of_weights(world, source, [&](NodeId v) {
    const auto links = static_cast<double>(world.graph().neighbors(v).size());
    return popularity ? links : sources - links;
  });
}

}  // namespace

SamplerEntry wrmf_sampler() {
  SamplerEntry entry{
      {"wrmf",
       "the sampling schemes of one-class collaborative filtering",
       {choice_parameter("scheme", {"popularity", "item", "user", "uniform"}, "popularity",
                         "popularity: p ~ links; item: p ~ sources - links; user: uniform, a pair "
                         "weighs its source's links; uniform")}}};
  entry.make = [](const Parameters& p, const SamplerContext& context) {
    const std::string& name = p.text("scheme");
    const Scheme scheme = name == "popularity" ? Scheme::kPopularity
                          : name == "item"     ? Scheme::kItem
                          : name == "user"     ? Scheme::kUser
                                               : Scheme::kUniform;
    return std::make_unique<Wrmf>(scheme, context);
  };
  entry.bytes = [](const Parameters&, const SamplerSizes& s) { return alias_table_bytes(s); };
  entry.cases = [] {
    return std::vector<SelftestCase>{
        {"wrmf", expect(wrmf_distribution, true)},
        {"wrmf", expect(wrmf_distribution, true), 5, WorldKind::kUndirected, true},
        {"wrmf:scheme=item", expect(wrmf_distribution, false)},
        {"wrmf:scheme=user", expect(uniform_distribution)}};
  };
  return entry;
}

}  // namespace mcns
