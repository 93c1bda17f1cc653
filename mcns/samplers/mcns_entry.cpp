// The registry entry of mcns: parameters, memory, and what its chains are tested against.
#include "mcns/core/error.h"
#include "mcns/samplers/mcns.h"
#include "mcns/samplers/mcns_ensemble.h"
#include "mcns/samplers/mcns_quantile.h"
#include "mcns/samplers/selftest/closed_forms.h"

namespace mcns {
namespace {

/// form=paper takes Algorithm 2 as printed: one single step per negative, uniform or nearest by
/// halves, and a chain that is handed on. Larger catalogues allow harder negatives: 5 for 1,700
/// targets, 25 for 41,000.
std::vector<ParameterInfo> mcns_parameters() {
  constexpr const char* kPaper = "form=paper";
  constexpr const char* kEnsemble = "step=ensemble";
  std::vector<ParameterInfo> out = {
      choice_parameter("step", {"metropolis", "ensemble"}, "metropolis",
                       "metropolis: proposals one by one; ensemble: all at once, form=exp or "
                       "form=paper"),
      integer_parameter("chains", "1", {1, 1024}, "ensemble: chains of a node")};
  for (ParameterInfo& one : form_parameters("quantile"))
    out.push_back(one.name == "form" ? one.when(kEnsemble, "exp") : std::move(one));
  out.push_back(number_parameter("hardness", "max(5,round(sqrt(targets)/8))", {1, 1 << 20},
                                 "quantile: M, as hard as the best of M draws; 1 is no hardness")
                    .tuned_by_factor(0.4, 4, "form=quantile"));
  out.push_back(number_parameter("power", "0", {-10, 10},
                                 "draws start from degree^power, 0 is uniform; needs steps=0"));
  out.push_back(integer_parameter(
                    "pool", "64", {0, 1 << 16},
                    "proposals from there, shared by a piece of the batch; on walks by one pair")
                    .when(kEnsemble, "64")
                    .when(kPaper, "0"));
  out.push_back(
      integer_parameter("least", "ceil(hardness)", {1, 1 << 20},
                        "quantile: proposals per negative, a chain where they are fewer than M; "
                        "the pool grows up to 16-fold where a source's pairs share it"));
  out.push_back(
      integer_parameter("steps", "0", {0, 1 << 20}, "single proposals per negative, after the pool")
          .when(kEnsemble, "0")
          .when(kPaper, "1"));
  out.push_back(
      choice_parameter("proposal", {"walk", "nearest"}, "walk", "where local single ones come from")
          .when(kPaper, "nearest"));
  out.push_back(
      number_parameter("local", "0.5", {0, 1}, "share of local ones among the single proposals"));
  out.push_back(integer_parameter("hops", "1", {1, 64}, "length of a walk").when("bipartite", "2"));
  out.push_back(integer_parameter("near", "20", {1, UINT16_MAX},
                                  "nearest: length of a node's list, 6 bytes each"));
  out.push_back(choice_parameter("chain", {"node", "dfs"}, "node",
                                 "node: one per node; dfs: passed on from node to node")
                    .when(kEnsemble, "node")
                    .when(kPaper, "dfs"));
  return out;
}

std::unique_ptr<NegativeSampler> make_ensemble(const Parameters& p, const SamplerContext& context) {
  const EnsembleOptions o{read_form(p), p.small("pool"), p.small("chains"), p.number("power"),
                          context.seed};
  require(o.target.form != Form::kQuantile,
          "mcns: step=ensemble weighs by the score; it needs form=exp or form=paper");
  require(o.pool > 0, "mcns: step=ensemble needs a pool of at least 1, got 0");
  require(p.small("steps") == 0, "mcns: steps={} needs step=metropolis", p.small("steps"));
  require(p.text("chain") == "node", "mcns: chain={} needs step=metropolis", p.text("chain"));
  return std::make_unique<McnsEnsemble>(o, context);
}

/// form=quantile without what needs an estimate of the scores' distribution.
std::unique_ptr<NegativeSampler> make_quantile(const Parameters& p, const SamplerContext& context) {
  return std::make_unique<McnsQuantile>(
      QuantileOptions{p.number("hardness"), p.small("pool"), p.small("least"), p.number("power"),
                      context.seed},
      context);
}

std::unique_ptr<NegativeSampler> make_mcns(const Parameters& p, const SamplerContext& context) {
  if (p.text("step") == "ensemble") return make_ensemble(p, context);
  require(p.small("chains") == 1, "mcns: chains={} needs step=ensemble", p.small("chains"));
  McnsOptions o;
  o.target = read_form(p);
  o.target.candidates = p.number("hardness");
  o.per_negative = p.small("least");
  o.pool = p.small("pool");
  o.steps = p.small("steps");
  o.handed_over = p.text("chain") == "dfs";
  o.proposal.nearest = p.text("proposal") == "nearest";
  o.proposal.local = static_cast<float>(p.number("local"));
  o.proposal.hops = p.small("hops");
  o.proposal.near = p.small("near");
  o.power = p.number("power");
  o.proposal.seed = o.seed = context.seed;
  require(!context.graph.is_bipartite() || o.proposal.hops % 2 == 0,
          "mcns: hops must be even on a user-item graph, where odd walks end at users; got {}",
          o.proposal.hops);
  require(o.pool + o.steps > 0, "mcns: pool and steps are both 0, so the chain would never move");
  require(o.target.form != Form::kQuantile || o.pool > 0,
          "mcns: form=quantile learns the distribution of scores from the pool, which must be at "
          "least 1, got 0");
  require(o.power == 0 || o.steps == 0,
          "mcns: power={} needs steps=0: single steps propose uniform and local targets", o.power);
  if (o.target.form == Form::kQuantile && o.steps == 0 && !o.handed_over)
    return make_quantile(p, context);
  return std::make_unique<McnsSampler>(o, context);
}

MemoryNote mcns_bytes(const Parameters& p, const SamplerSizes& s) {
  constexpr std::uint64_t kInt = 4, kAliasColumn = 8;
  const Graph& graph = s.graph;
  const auto sources = static_cast<std::uint64_t>(graph.sources().size()),
             targets = static_cast<std::uint64_t>(graph.targets().size());
  std::uint64_t bytes = sources * kInt * p.integer("chains");
  if (p.text("form") == "quantile" && p.integer("steps") > 0) bytes += sources * 2 * kInt;
  if (p.number("power") != 0) bytes += targets * 2 * kAliasColumn;
  if (p.integer("steps") > 0) {
    bytes += p.text("proposal") == "nearest" ? Proposals::list_bytes(targets, p.integer("near"))
             : graph.is_weighted()           ? std::uint64_t(graph.num_nodes()) * kInt
                                             : 0;
    if (graph.is_weighted()) bytes += std::uint64_t(graph.num_arcs()) * kAliasColumn;
    if (graph.is_directed()) bytes += 2 * graph.bytes();
  }
  return {"chains, tails, local proposals", bytes};
}

struct ChainCase {
  const char* spec;
  SelfContrast target;
};

/// Single steps know the distribution of scores by a running estimate, chains with few candidates
/// by counting among the pool: they come near the target.
bool is_exact(std::string_view spec, const SelfContrast& target) {
  return target.form != Form::kQuantile ||
         (spec.find("steps=") == spec.npos && spec.find("least=") == spec.npos);
}

/// `exact` and the chains have the same targets: what fails for both is the target, for the chain
/// alone the mixing.
std::vector<SelftestCase> mcns_cases() {
  constexpr WorldKind kUserItem = WorldKind::kUserItem, kUndirected = WorldKind::kUndirected;
  const SelfContrast exponential{Form::kExp, 0.5, 1e-3, 5}, steep{Form::kExp, 0.625, 1e-3, 5},
      paper{Form::kPaper, 0.25, 1e-3, 5}, quantile{Form::kQuantile, 0.5, 1e-3, 4},
      between{Form::kQuantile, 0.5, 1e-3, 2.3};
  const ChainCase chains[] = {
      {"mcns:form=exp,pool=12,steps=0", exponential},
      {"mcns:form=exp,pool=0,steps=6,local=0", exponential},
      {"mcns:form=exp,pool=4,steps=6,local=0.9", exponential},
      {"mcns:form=exp,alpha=0.625,pool=8,steps=4", steep},
      {"mcns:form=exp,pool=0,steps=8,proposal=nearest,near=4", exponential},
      {"mcns:form=exp,pool=2,steps=8,proposal=nearest,near=3,local=0.8", exponential},
      {"mcns:form=paper", paper},
      {"mcns:form=paper,pool=8,steps=4,proposal=walk,chain=node", paper},
      {"mcns:form=paper,steps=8,proposal=walk,hops=2", paper},
      {"mcns:step=ensemble,pool=4", exponential},
      {"mcns:step=ensemble,pool=1", exponential},
      {"mcns:step=ensemble,pool=2,chains=3,alpha=0.625", steep},
      {"mcns:step=ensemble,form=paper,pool=6,chains=2", paper},
      {"mcns:hardness=4,pool=16", quantile},
      {"mcns:hardness=2.3,pool=5", between},
      {"mcns:hardness=4,pool=16,least=2", quantile},
      {"mcns:hardness=4,pool=16,steps=4", quantile},
  };
  std::vector<SelftestCase> out;
  for (const auto& [spec, target] : chains)
    for (const auto& [kind, weighted, filter] :
         {std::tuple{kUserItem, false, Filter::kTrain}, std::tuple{kUserItem, true, Filter::kNone},
          std::tuple{kUndirected, true, Filter::kTrain},
          std::tuple{kUndirected, false, Filter::kNone}})
      out.push_back({spec, expect(self_contrast_form, target), 3, kind, weighted, filter,
                     Draws::kChain, is_exact(spec, target)});
  for (const auto& [spec, target] : {ChainCase{"mcns:form=exp,pool=12,power=0.75", exponential},
                                     ChainCase{"mcns:step=ensemble,pool=5,power=0.75", exponential},
                                     ChainCase{"mcns:hardness=4,pool=16,power=0.75", quantile}})
    for (const WorldKind kind : {kUserItem, kUndirected})
      out.push_back({spec, expect(from_degree, target, 0.75), 3, kind, kind == kUndirected,
                     Filter::kTrain, Draws::kChain, is_exact(spec, target)});
  // Handed over, the chain comes from another node's distribution: near its own after some steps.
  const std::vector<Pair> before = {{7, 9}, {5, 8}, {6, 9}};
  for (const auto& [spec, target] : {ChainCase{"mcns:form=paper,steps=10", paper},
                                     ChainCase{"mcns:form=exp,pool=40,chain=dfs", exponential}})
    for (const WorldKind kind : {kUserItem, kUndirected})
      out.push_back({spec, expect(self_contrast_form, target), 3, kind, false, Filter::kTrain,
                     Draws::kHanded, false, before});
  return out;
}

}  // namespace

SamplerEntry mcns_sampler() {
  SamplerEntry entry{{"mcns", "Metropolis-Hastings on the model's own scores, harder than chance",
                      mcns_parameters()}};
  entry.adapts = true;
  entry.chain = true;
  entry.harder = entry.pools = entry.shares = true;
  entry.make = make_mcns;
  entry.bytes = mcns_bytes;
  entry.cases = mcns_cases;
  entry.declares = [] {
    const SelfContrast exponential{Form::kExp, 0.5, 1e-3, 5};
    return std::vector<DeclaredDraws>{{"mcns:hardness=8", {Form::kQuantile, 0.5, 1e-3, 8}},
                                      {"mcns:hardness=2.5", {Form::kQuantile, 0.5, 1e-3, 2.5}},
                                      {"mcns:form=exp", exponential},
                                      {"mcns:step=ensemble", exponential}};
  };
  return entry;
}

}  // namespace mcns
