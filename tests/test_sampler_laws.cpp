// Draws against closed forms that are written here a second time, the slow and obvious way. Seeds
// are fixed; with another seed a correct sampler fails one comparison with probability kErrorRate.
#include "mcns/samplers/registry.h"
#include "mcns/samplers/self_contrast.h"

#include "test_sampler_tools.h"

namespace mcns::sampler_test {
namespace {

using Distribution = std::map<NodeId, double>;

double p_value(World& world, const std::string& spec, NodeId source,
               const Distribution& distribution) {
  const auto sampler = make_sampler(spec, world.context());
  const Pair pair{source, world.graph.targets().begin};
  return chi_square(distribution, count(draw_many(*sampler, world, pair).ids));
}

TEST(SamplerDistributions, ChiSquareTailIsThatOfTables) {
  EXPECT_NEAR(chi_square_tail(18.307, 10), 0.05, 2e-3);
  EXPECT_NEAR(chi_square_tail(37.566, 20), 0.01, 1e-3);
  EXPECT_EQ(chi_square({{1, 1.0}}, {{2, 10}}), 0);
}

// A distribution that is slightly wrong must be found: the tests below can fail.
TEST(SamplerDistributions, ABiasedDrawIsFound) {
  const auto world = user_item_world();
  Distribution distribution;
  for (const NodeId v : world->allowed(2)) distribution[v] = v % 2 == 0 ? 1.0 : 1.15;
  EXPECT_LT(p_value(*world, "rns", 2, normalised(distribution)), kErrorRate);
}

TEST(SamplerDistributions, DegreeWithAnyPowerAndDegreeZero) {
  const auto world = node_world();
  ASSERT_EQ(world->graph.degree(23), 0);
  for (const double power : {-10.0, -1.0, -0.5, 0.0, 0.75, 1.0, 10.0})
    for (const NodeId source : {0, 5}) {
      Distribution distribution;
      for (const NodeId v : world->allowed(source)) {
        double degree = 0;
        for (const float w : world->graph.weights(v)) degree += w;
        if (degree == 0)
          distribution[v] = power > 0 ? 0.0 : 1.0;
        else
          distribution[v] =
              power < 0 ? std::pow(std::max(degree, 1.0), power) : std::pow(degree, power);
      }
      // Node 0 may have node 23 alone, whatever it weighs.
      if (source == 0) distribution = {{23, 1.0}};
      EXPECT_GT(
          p_value(*world, fmt::format("degree:power={}", power), source, normalised(distribution)),
          kErrorRate)
          << power << " " << source;
    }
}

TEST(SamplerDistributions, WrmfSchemes) {
  const auto world = user_item_world();
  const auto distribution_of = [&](NodeId source, auto weight) {
    Distribution distribution;
    for (const NodeId v : world->allowed(source))
      distribution[v] = weight(static_cast<double>(world->graph.degree(v)));
    return normalised(distribution);
  };
  const NodeId source = 3;
  EXPECT_GT(p_value(*world, "wrmf", source, distribution_of(source, [](double d) { return d; })),
            kErrorRate);
  EXPECT_GT(p_value(*world, "wrmf:scheme=item", source,
                    distribution_of(source, [](double d) { return 8 - d; })),
            kErrorRate);
  for (const char* spec : {"wrmf:scheme=user", "wrmf:scheme=uniform"})
    EXPECT_GT(p_value(*world, spec, source, distribution_of(source, [](double) { return 1.0; })),
              kErrorRate);
}

TEST(SamplerDistributions, WrmfUserWeighsPairsByLinksWithMeanOne) {
  const auto world = user_item_world();
  const auto sampler = make_sampler("wrmf:scheme=user", world->context());
  double total = 0, links = 0;
  std::vector<float> weights;
  for (NodeId u = 0; u < 8; ++u) {
    weights.push_back(draw_many(*sampler, *world, {u, 8}, 1).pair_weights[0]);
    total += weights[u] * static_cast<double>(world->graph.degree(u));
    links += static_cast<double>(world->graph.degree(u));
  }
  EXPECT_NEAR(total / links, 1, 1e-5);
  EXPECT_NEAR(
      weights[0] / weights[1],
      static_cast<double>(world->graph.degree(0)) / static_cast<double>(world->graph.degree(1)),
      1e-5);
}

/// All tuples of three candidates, the first highest (or lowest) of each.
Distribution best_of_three(const World& world, NodeId source, bool highest) {
  const auto allowed = world.allowed(source);
  Distribution distribution;
  for (const NodeId a : allowed)
    for (const NodeId b : allowed)
      for (const NodeId c : allowed) {
        NodeId best = a;
        for (const NodeId v : {b, c}) {
          const float s = world.score(source, v), t = world.score(source, best);
          if (highest ? s > t : s < t) best = v;
        }
        distribution[best] += 1;
      }
  return normalised(distribution);
}

TEST(SamplerDistributions, DnsIsTheBestOfItsCandidatesWithTies) {
  const auto world = user_item_world();
  for (const NodeId source : {2, 4}) {
    const Distribution high = best_of_three(*world, source, true),
                       low = best_of_three(*world, source, false);
    ASSERT_NEAR(high.at(20), high.at(21), 1e-12);
    EXPECT_GT(p_value(*world, "dns:candidates=3", source, high), kErrorRate);
    EXPECT_GT(p_value(*world, "inverse-dns:candidates=3", source, low), kErrorRate);
    EXPECT_GT(p_value(*world, "exact:form=quantile,candidates=3", source, high), kErrorRate);
    EXPECT_LT(p_value(*world, "dns:candidates=4", source, high), kErrorRate);
    for (const auto& [spec, distribution] :
         {std::pair{"dns:candidates=3", high}, std::pair{"inverse-dns:candidates=3", low}}) {
      const auto declared =
          declared_distribution(*make_sampler(spec, world->context()), *world, source);
      for (const auto& [v, p] : distribution) EXPECT_NEAR(declared.at(v), p, 1e-12) << v;
    }
  }
}

TEST(SamplerDistributions, DnsWithMoreCandidatesThanABlock) {
  const auto world = user_item_world();
  const auto sampler = make_sampler("dns:candidates=100", world->context());
  EXPECT_GT(p_value(*world, "dns:candidates=100", 2, declared_distribution(*sampler, *world, 2)),
            kErrorRate);
}

TEST(SamplerDistributions, ExactForms) {
  const auto world = node_world();
  const NodeId source = 4;
  Distribution paper, exponential;
  for (const NodeId v : world->allowed(source)) {
    const double s = world->score(source, v);
    paper[v] = std::pow(std::max(s, 0.05), 0.5);
    exponential[v] = std::exp(2 * s);  // alpha = 2/3
  }
  EXPECT_GT(p_value(*world, "exact:form=paper,alpha=0.5,floor=0.05", source, normalised(paper)),
            kErrorRate);
  EXPECT_GT(
      p_value(*world, "exact:form=exp,alpha=0.66666666666666667", source, normalised(exponential)),
      kErrorRate);
}

TEST(SamplerDistributions, SelfContrastStaysFiniteForLargeScores) {
  std::vector<float> scores = {-1e4F, 0, 3e3F, 1e4F};
  std::vector<double> distribution(scores.size());
  for (const Form form : {Form::kPaper, Form::kExp, Form::kQuantile}) {
    self_contrast_distribution({.form = form, .alpha = 0.75, .candidates = 100}, scores,
                               distribution);
    double total = 0;
    for (const double p : distribution) total += p;
    EXPECT_NEAR(total, 1, 1e-12);
  }
}

TEST(SamplerDistributions, WarpIsUniformOverViolators) {
  const auto world = user_item_world();
  const Pair pair{2, world->graph.neighbors(2)[0]};
  const float positive = world->score(2, pair.target);
  const auto allowed = world->allowed(2);
  Distribution distribution;
  for (const NodeId v : allowed)
    if (world->score(2, v) > positive - 0.25F) distribution[v] = 1;
  ASSERT_GT(distribution.size(), 2);
  ASSERT_LT(distribution.size(), allowed.size());
  const auto sampler = make_sampler("warp:margin=0.25,tries=3", world->context());
  const NegativesBuffer drawn = draw_many(*sampler, *world, pair);
  std::vector<NodeId> found;
  for (std::size_t i = 0; i < drawn.ids.size(); ++i)
    if (drawn.pair_weights[i] > 0) found.push_back(drawn.ids[i]);
  EXPECT_GT(chi_square(normalised(distribution), count(found)), kErrorRate);
  const double miss = std::pow(
      1 - static_cast<double>(distribution.size()) / static_cast<double>(allowed.size()), 3);
  const auto skipped = static_cast<std::int64_t>(drawn.ids.size() - found.size());
  EXPECT_GT(chi_square({{0, 1 - miss}, {1, miss}},
                       {{0, static_cast<std::int64_t>(found.size())}, {1, skipped}}),
            kErrorRate);
}

// One draw means a bad rank, three a better one: Phi(n - 1) and Phi((n - 1) / 3), over Phi(n - 1).
TEST(SamplerDistributions, WarpWeighsByTheRank) {
  const auto world = user_item_world();
  const Pair pair{2, world->graph.neighbors(2)[0]};
  const auto allowed = static_cast<int>(world->allowed(2).size());
  const auto phi = [](int r) {
    double total = 0;
    for (int i = 1; i <= r; ++i) total += 1.0 / i;
    return total;
  };
  const auto sampler = make_sampler("warp:margin=0.25,tries=3", world->context());
  std::vector<float> expected = {0};
  for (const int draws : {3, 2, 1})
    expected.push_back(static_cast<float>(phi((allowed - 1) / draws) / phi(allowed - 1)));
  std::vector<int> seen(expected.size(), 0);
  for (const float w : draw_many(*sampler, *world, pair, 2000).pair_weights) {
    const auto at = std::find(expected.begin(), expected.end(), w);
    ASSERT_NE(at, expected.end()) << w;
    ++seen[at - expected.begin()];
  }
  for (const int n : seen) EXPECT_GT(n, 0);
}

TEST(SamplerDistributions, WarpWithoutAViolationSkipsThePairAndCountsIt) {
  const auto world = user_item_world();
  const NodeId positive = world->graph.neighbors(2)[0];
  // Far above everything user 2 may have as a negative, and below for user 3.
  for (int d = 0; d < 8; ++d) world->table.row(positive)[d] = 100 * world->table.row(2)[d];
  PairBuffer batch;
  batch.pairs = {{2, positive}, {3, world->graph.neighbors(3)[0]}, {2, positive}};
  batch.serials = {0, 1, 2};
  const auto sampler = make_sampler("warp:margin=1000", world->context());
  const auto strict = make_sampler("warp:margin=0.5", world->context());
  PairSampling all(*sampler, 2, world->graph.num_nodes(), world->pool);
  all.run({1, 0, 0}, batch, world->scorer());
  EXPECT_EQ(all.skipped(), 0);
  PairSampling some(*strict, 2, world->graph.num_nodes(), world->pool);
  some.run({1, 0, 0}, batch, world->scorer());
  EXPECT_EQ(some.negatives().pair_weights[0], 0);
  EXPECT_EQ(some.negatives().pair_weights[2], 0);
  EXPECT_EQ(some.skipped(), 2 + (some.negatives().pair_weights[1] == 0 ? 1 : 0));
}

TEST(SamplerDistributions, SelfAdversarialWeighsBySoftmax) {
  const auto world = user_item_world();
  const PairBuffer batch = edge_batch(world->graph, 0, 50);
  for (const int k : {1, 2, 4, 65}) {
    const auto sampler = make_sampler("self-adversarial:temperature=2", world->context(k));
    PairSampling sampling(*sampler, k, world->graph.num_nodes(), world->pool);
    sampling.run({1, 0, 0}, batch, world->scorer());
    const Negatives& drawn = sampling.negatives();
    for (std::size_t i = 0; i < batch.pairs.size(); ++i) {
      double total = 0;
      std::vector<double> e;
      for (std::size_t j = k * i; j < k * (i + 1); ++j) {
        e.push_back(std::exp(2.0 * world->score(batch.pairs[i].source, drawn.ids[j])));
        total += e.back();
      }
      for (int j = 0; j < k; ++j) EXPECT_NEAR(drawn.weights[k * i + j], k * e[j] / total, k * 1e-5);
    }
  }
}

TEST(SamplerDistributions, TopOfCandidatesIsAtMostAllOfThem) {
  const auto world = user_item_world();
  EXPECT_THROW(make_sampler("dns:candidates=2,top=3", world->context()), Error);
  EXPECT_NO_THROW(make_sampler("dns:candidates=3,top=3", world->context()));
}

TEST(SamplerDistributions, InBatchFollowsTheOtherTargetsOfTheBatch) {
  const auto world = user_item_world();
  const auto sampler = make_sampler("in-batch", world->context());
  std::vector<Pair> pairs;
  std::vector<std::uint64_t> names;
  for (const NodeId target : {8, 9, 9, 22, 22, 22, 27}) pairs.push_back({7, target});
  pairs.push_back({2, 23});
  Distribution distribution;
  for (std::size_t i = 0; i + 1 < pairs.size(); ++i)
    if (!world->graph.has_edge(2, pairs[i].target)) distribution[pairs[i].target] += 1;
  const std::int32_t self = 7;
  std::map<NodeId, std::int64_t> counts;
  names.resize(pairs.size());
  for (int draw = 0; draw < kDraws; ++draw) {
    names[self] = draw;
    NegativesBuffer out;
    out.resize(pairs.size(), false, false);
    sampler->sample({{1, 0, 0}, pairs, names, std::span(&self, 1), world->scorer()}, out);
    ++counts[out.ids[self]];
  }
  EXPECT_GT(chi_square(normalised(distribution), counts), kErrorRate);
}

// User 0 may have the last item only, and no other pair of the batch has it.
TEST(SamplerDistributions, InBatchFallsBackWhereTheBatchHasNothing) {
  const auto world = user_item_world();
  const auto sampler = make_sampler("in-batch", world->context());
  for (const NodeId v : draw_many(*sampler, *world, {0, 8}, 50).ids) EXPECT_EQ(v, 27);
  for (const NodeId v : draw_many(*sampler, *world, {3, 27}, 1).ids) EXPECT_GE(v, 8);
}

}  // namespace
}  // namespace mcns::sampler_test
