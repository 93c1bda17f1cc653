#include "mcns/theory/selftest_case.h"

#include <numeric>

#include "mcns/samplers/registry.h"
#include "mcns/theory/goodness_of_fit.h"

namespace mcns {
namespace {

constexpr int kIndependentDraws = 20'000, kChainDraws = 5'000;
constexpr int kThin = 8, kBurnIn = 50;

struct Drawn {
  Counts counts;
  std::vector<double> scores;  ///< of every state of a chain
};

/// A search that found nothing has weight 0, where negatives are weighed.
NodeId outcome(const Negatives& drawn, std::size_t at) {
  return !drawn.weights.empty() && drawn.weights[at] == 0 ? kNothing : drawn.ids[at];
}

Drawn draw_one_batch(NegativeSampler& sampler, const SelftestWorld& world, Pair pair,
                     std::uint64_t seed) {
  const std::vector<Pair> pairs(kIndependentDraws, pair);
  std::vector<std::uint64_t> names(pairs.size());
  std::vector<std::int32_t> members(pairs.size());
  std::iota(names.begin(), names.end(), 0);
  std::iota(members.begin(), members.end(), 0);
  Negatives out;
  out.resize(pairs.size(), sampler.weighs_negatives(), sampler.weighs_pairs());
  const Scorer scorer = world.scorer();
  const SampleRequest request{{seed, 0, 0}, pairs, names, members, scorer};
  sampler.begin_batch(request);
  sampler.sample(request, out);
  Drawn drawn;
  for (std::size_t i = 0; i < out.ids.size(); ++i) ++drawn.counts[outcome(out, i)];
  return drawn;
}

Drawn draw_batches(NegativeSampler& sampler, const SelftestWorld& world, const SelftestCase& test,
                   Pair pair, std::uint64_t seed) {
  std::vector<Pair> pairs = test.others;
  pairs.push_back(pair);
  const auto self = static_cast<std::int32_t>(pairs.size() - 1);
  std::vector<std::uint64_t> names(pairs.size());
  Negatives out;
  out.k = sampler.negatives_per_positive(1);
  out.resize(pairs.size(), sampler.weighs_negatives(), sampler.weighs_pairs());
  const Scorer scorer = world.scorer();
  const bool handed = test.draws == Draws::kHanded, chain = test.draws == Draws::kChain || handed;
  std::vector<std::int32_t> members(handed ? pairs.size() : 1, self);
  if (handed) std::iota(members.begin(), members.end(), 0);
  const int batches = chain ? kBurnIn + kChainDraws * kThin : kIndependentDraws / out.k;
  Drawn drawn;
  for (int batch = 0; batch < batches; ++batch) {
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = batch * names.size() + i;
    const SampleRequest request{{seed, 0, batch}, pairs, names, members, scorer};
    sampler.begin_batch(request);
    sampler.sample(request, out);
    const std::size_t first = static_cast<std::size_t>(self) * out.k;
    if (chain && batch < kBurnIn) continue;
    if (chain) drawn.scores.push_back(world.score(pair.source, out.ids[first]));
    if (chain && (batch - kBurnIn) % kThin != 0) continue;
    for (int j = 0; j < out.k; ++j) ++drawn.counts[outcome(out, first + j)];
  }
  return drawn;
}

}  // namespace

SelftestRow run_case(const SelftestCase& test, std::uint64_t seed, ThreadPool& pool,
                     const SamplerRegistry& registry) {
  SelftestWorld world(test.kind, test.weighted, test.filter, pool);
  SamplerContext context = world.context();
  context.registry = &registry;
  const auto sampler = test.make ? test.make(context) : make_sampler(test.spec, context);
  const Pair pair{test.source, world.graph().neighbors(test.source)[0]};
  const Distribution expected = test.expected(world, pair, *sampler);
  const Drawn drawn = test.draws == Draws::kOneBatch
                          ? draw_one_batch(*sampler, world, pair, seed)
                          : draw_batches(*sampler, world, test, pair, seed);
  SelftestRow row;
  row.name = component_name(test.spec);
  row.spec = test.spec;
  row.graph = world.name();
  row.filter = test.filter == Filter::kTrain ? "train" : "none";
  row.source = test.source;
  for (const auto& [v, count] : drawn.counts) row.draws += count;
  row.total_variation = total_variation(expected, drawn.counts);
  if (test.exact) row.p_value = chi_square_p_value(expected, drawn.counts);
  if (!drawn.scores.empty()) {
    row.states = static_cast<std::int64_t>(drawn.scores.size());
    row.effective_sample_size = effective_sample_size(drawn.scores);
  }
  row.holds = test.exact ? *row.p_value > kErrorRate : row.total_variation < kLargestDistance;
  return row;
}

}  // namespace mcns
