#include "mcns/theory/selftest_case.h"

#include <numeric>

#include "mcns/samplers/session.h"
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

Drawn draw_one_batch(SamplerSession& session, const SelftestWorld& world, Pair pair,
                     std::uint64_t seed) {
  PairBuffer batch;
  batch.resize(kIndependentDraws);
  batch.pairs.assign(batch.pairs.size(), pair);
  std::iota(batch.serials.begin(), batch.serials.end(), 0);
  session.batches().run({seed, 0, 0}, batch, world.scorer());
  const Negatives& out = session.batches().negatives();
  Drawn drawn;
  for (std::size_t i = 0; i < out.ids.size(); ++i) ++drawn.counts[outcome(out, i)];
  return drawn;
}

Drawn draw_batches(SamplerSession& session, const SelftestWorld& world, const SelftestCase& test,
                   Pair pair, std::uint64_t seed) {
  PairBuffer batch;
  batch.pairs = test.others;
  batch.pairs.push_back(pair);
  batch.serials.resize(batch.pairs.size());
  const Negatives& out = session.batches().negatives();
  const bool chain = test.draws == Draws::kChain || test.draws == Draws::kHanded;
  const int batches = chain ? kBurnIn + kChainDraws * kThin : kIndependentDraws / out.k;
  const std::size_t first = (batch.pairs.size() - 1) * out.k;  // of our pair
  Drawn drawn;
  for (int number = 0; number < batches; ++number) {
    for (std::size_t i = 0; i < batch.serials.size(); ++i)
      batch.serials[i] = number * batch.serials.size() + i;
    session.batches().run({seed, 0, number}, batch, world.scorer());
    if (chain && number < kBurnIn) continue;
    if (chain) drawn.scores.push_back(world.score(pair.source, out.ids[first]));
    if (chain && (number - kBurnIn) % kThin != 0) continue;
    for (int j = 0; j < out.k; ++j) ++drawn.counts[outcome(out, first + j)];
  }
  return drawn;
}

}  // namespace

SelftestRow run_case(const SelftestCase& test, std::uint64_t seed, ThreadPool& pool,
                     const SamplerRegistry& registry) {
  SelftestWorld world(test.kind, test.weighted, test.filter, pool);
  const SamplerContext context = world.context();
  SamplerSession session(world.graph(),
                         {.sampler = test.spec,
                          .negatives = context.negatives,
                          .dim = context.dim,
                          .filter = test.filter,
                          .seed = context.seed,
                          .names = context.names,
                          .registry = &registry,
                          .make = test.make},
                         pool);
  const Pair pair{test.source, world.graph().neighbors(test.source)[0]};
  const Distribution expected = test.expected(world, pair, session.sampler());
  const Drawn drawn = test.draws == Draws::kOneBatch
                          ? draw_one_batch(session, world, pair, seed)
                          : draw_batches(session, world, test, pair, seed);
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
