// The samplers by name: one line each.
#include "mcns/samplers/registry.h"

#include <algorithm>

#include "mcns/core/error.h"

namespace mcns {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<NegativeSampler> (*make)(Spec&, const SamplerContext&);
  const char* help;
  std::vector<ParameterInfo> parameters;
};

/// Samplers whose negatives are harder than chance: they want more regularisation.
constexpr std::string_view kHard[] = {"mcns", "dns", "warp", "irgan", "kbgan", "exact", "mix"};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      {"degree",
       make_degree,
       "power of degree: p(u) ~ deg(u)^power",
       {{"power", "0.75", "0 is uniform, 1 the degree itself, below 0 prefers rare nodes"}}},
      {"mcns",
       make_mcns,
       "Metropolis-Hastings on the model's own scores, harder than chance",
       {{"form", "quantile", "target: paper (u.v)^alpha, exp, or quantile F(s)^(hardness-1)"},
        {"alpha", "0.5", "paper (default 0.25) and exp: p_n ~ p_d^alpha"},
        {"floor", "0.001", "paper: smaller scores count as this"},
        {"hardness", "sqrt(targets)/8", "quantile: as hard as the best of so many draws"},
        {"power", "0", "draws start from degree^power, 0 is uniform; needs steps=0"},
        {"pool", "64", "proposals from there, shared by a piece of the batch; 0 for paper"},
        {"least", "hardness",
         "quantile: proposals per negative; the pool grows up to eightfold where a source's pairs "
         "share it"},
        {"steps", "0", "single proposals per negative, after the pool; 1 for paper"},
        {"proposal", "walk", "local single ones: walk, or nearest, the default of paper"},
        {"local", "0.5", "share of local ones among the single proposals"},
        {"hops", "1 or 2", "length of a walk; 2 on user-item graphs"},
        {"near", "20", "nearest: length of a node's list, 6 bytes each"},
        {"chain", "node", "node: one per node; dfs, of paper: handed on from node to node"}}},
      {"rns", make_rns, "uniform over the allowed targets", {}},
      {"wrmf",
       make_wrmf,
       "the sampling schemes of one-class collaborative filtering",
       {{"scheme", "popularity",
         "popularity: p ~ links; item: p ~ sources - links; user: uniform, a pair weighs its "
         "source's links; uniform"}}},
      {"pinsage",
       make_pinsage,
       "hard negatives from personalised PageRank; lists of 4 bytes x top x sources",
       {{"mode", "plain", "plain: k as asked; paper: 20 uniform per batch and 5 hard per positive"},
        {"hard", "0.5", "plain: probability that a negative is hard"},
        {"top", "100", "targets in a source's list"},
        {"restart", "0.15", "of the PageRank"},
        {"precision", "1e-4", "of the PageRank; smaller is slower"}}},
      {"warp",
       make_warp,
       "uniform draws until one violates the margin, weighed by the rank that tells",
       {{"margin", "1", "violation: negative - positive + margin > 0"},
        {"tries", "100", "draws at most; without a violation the pair is skipped"},
        {"weight", "rank", "rank: harmonic sum of the estimated rank; none: 1"}}},
      {"dns",
       make_dns,
       "the highest-scored of some uniform candidates",
       {{"candidates", "5", "score evaluations per negative"}}},
      {"inverse-dns",
       make_inverse_dns,
       "the lowest-scored of some uniform candidates",
       {{"candidates", "5", "score evaluations per negative"}}},
      {"self-adversarial",
       make_self_adversarial,
       "uniform negatives weighed by the softmax of their scores, k in sum",
       {{"temperature", "1", "factor of the scores; 0 is rns"}}},
      {"in-batch", make_in_batch, "targets of the batch's other pairs", {}},
      {"irgan",
       make_irgan,
       "a generator over all targets, taught by reward",
       {{"lr", "0.001", "learning rate of the generator"},
        {"temperature", "1", "divides the generator's scores"}}},
      {"kbgan",
       make_kbgan,
       "a generator that chooses among uniform candidates, taught by reward",
       {{"candidates", "100", "drawn per positive"},
        {"lr", "0.001", "learning rate of the generator"},
        {"temperature", "1", "divides the generator's scores"}}},
      {"exact",
       make_exact,
       "the self-contrast law by scoring every target: the reference for mcns",
       {{"form", "exp", "paper: max(s, floor)^alpha; exp: exp(alpha/(1-alpha) s); quantile: F^M"},
        {"alpha", "0.5", "sub-linear exponent; 0.25 for form=paper"},
        {"floor", "0.001", "paper: smallest score"},
        {"candidates", "5", "quantile: M, as in dns"}}},
      {"file",
       make_file_list,
       "negatives from file:PATH, lines of source<TAB>negative[<TAB>more...]",
       {{"missing", "uniform",
         "sources without a list, as file:PATH,missing=error: draw uniformly, or refuse"}}},
      {"mix",
       make_mixture,
       "mix:0.8*NAME+0.2*NAME: each negative chooses its sampler",
       {{"ramp", "none", "mix:ramp=10,EASY>HARD moves from one to the other in 10 epochs"}}},
  };
  return all;
}

}  // namespace

std::unique_ptr<NegativeSampler> make_sampler(const std::string& text,
                                              const SamplerContext& context) {
  Spec spec = Spec::parse(text);
  std::vector<std::string> known;
  for (const Entry& entry : entries()) {
    if (spec.name() == entry.name) return entry.make(spec, context);
    known.emplace_back(entry.name);
  }
  throw_unknown("sampler", spec.name(), known);
}

bool draws_hard(const std::string& text) {
  const std::string name = Spec::parse(text).name();
  return std::find(std::begin(kHard), std::end(kHard), name) != std::end(kHard);
}

std::vector<ComponentInfo> list_samplers() {
  std::vector<ComponentInfo> out;
  for (const Entry& entry : entries()) out.push_back({entry.name, entry.help, entry.parameters});
  return out;
}

}  // namespace mcns
