// IRGAN and KBGAN: the policy gradient against central differences of the expected reward, and that
// learning raises it.
#include "mcns/samplers/irgan.h"
#include "mcns/samplers/kbgan.h"
#include "mcns/samplers/registry.h"

#include "test_sampler_tools.h"

namespace mcns::sampler_test {
namespace {

/// Adds `by` to one number of a named record.
class Nudge final : public Archive {
 public:
  Nudge(std::string name, std::size_t at, float by) : name_(std::move(name)), at_(at), by_(by) {}
  bool is_loading() const override { return true; }

 protected:
  void fixed(std::string_view name, void* data, std::size_t) override {
    if (name == name_) static_cast<float*>(data)[at_] += by_;
  }

 private:
  std::string name_;
  std::size_t at_;
  float by_;
};

/// Larger vectors than the first ones, so that the policy is far from uniform.
void scatter(Generator& generator) {
  Rng rng(8, Domain::kTest);
  for (const char* table : {"generator.source", "generator.target"}) {
    const Matrix& m = table[10] == 's' ? generator.sources() : generator.targets();
    for (std::int64_t i = 0; i < m.rows(); ++i)
      for (int d = 0; d < m.dim(); ++d) {
        Nudge nudge(table, i * m.stride() + d, static_cast<float>(rng.normal() * 0.5));
        generator.visit_state(nudge);
      }
  }
}

double reward(NodeId source, NodeId row) { return std::sin(1.3 * source + 0.7 * row) + 0.2; }

/// Sum over episodes (a source and its set) of the expected reward, in double from the tables.
struct Episode {
  NodeId source;
  std::vector<NodeId> rows;
};

std::vector<double> policy(const Generator& g, const Episode& episode, double temperature) {
  std::vector<double> p;
  double total = 0;
  for (const NodeId row : episode.rows) {
    double s = 0;
    for (int d = 0; d < g.sources().dim(); ++d)
      s += double(g.sources().row(episode.source)[d]) * g.targets().row(row)[d];
    p.push_back(std::exp(s / temperature));
    total += p.back();
  }
  for (double& x : p) x /= total;
  return p;
}

double expected_reward(const Generator& g, const std::vector<Episode>& episodes, double t) {
  double out = 0;
  for (const Episode& episode : episodes) {
    const auto p = policy(g, episode, t);
    for (std::size_t i = 0; i < p.size(); ++i)
      out += p[i] * reward(episode.source, episode.rows[i]);
  }
  return out;
}

/// Every row of both tables, those not in the gradient being 0 there.
void expect_gradient(Generator& g, const GeneratorGradient& gradient,
                     const std::vector<Episode>& episodes, double temperature) {
  const auto check = [&](const char* name, const Matrix& table, const std::vector<NodeId>& rows,
                         const Matrix& found) {
    double largest = 0;
    for (std::int64_t row = 0; row < table.rows(); ++row)
      for (int d = 0; d < table.dim(); ++d) {
        const std::size_t at = row * table.stride() + d;
        constexpr float kStep = 1.0F / 256;  // exact in a float of this size, but for rounding
        const float before = table.data()[at];
        Nudge up(name, at, kStep);
        g.visit_state(up);
        const double high = expected_reward(g, episodes, temperature), from = table.data()[at];
        Nudge down(name, at, -2 * kStep);
        g.visit_state(down);
        const double low = expected_reward(g, episodes, temperature), to = table.data()[at];
        Nudge back(name, at, before - table.data()[at]);
        g.visit_state(back);
        double analytic = 0;
        for (std::size_t i = 0; i < rows.size(); ++i)
          if (rows[i] == row) analytic += found.row(static_cast<std::int64_t>(i))[d];
        EXPECT_NEAR(analytic, (high - low) / (from - to), 2e-5) << name << row << "," << d;
        largest = std::max(largest, std::fabs(analytic));
      }
    EXPECT_GT(largest, 1e-2);
  };
  check("generator.source", g.sources(), gradient.source_rows, gradient.source);
  check("generator.target", g.targets(), gradient.target_rows, gradient.target);
}

// The mean of REINFORCE over all draws: each target is "drawn" once with advantage p (r - b). It
// must be the gradient of the expected reward for any baseline b.
TEST(SamplerGenerators, IrganGradientIsThatOfTheExpectedReward) {
  const auto world = user_item_world();
  const double t = 1.5;
  Irgan sampler(world->context(), {.lr = 0.1, .temperature = t});
  scatter(sampler.generator());
  std::vector<Episode> episodes;
  std::vector<Pair> pairs;
  NegativesBuffer drawn;
  std::vector<float> advantages;
  for (const NodeId source : {3, 2, 5}) {
    Episode episode{source, {}};
    for (const NodeId v : world->allowed(source)) episode.rows.push_back(v - 8);
    const auto p = policy(sampler.generator(), episode, t);
    // One pair per target, so that a source has several pairs.
    for (std::size_t i = 0; i < p.size(); ++i) {
      pairs.push_back({source, 8});
      drawn.ids.push_back(episode.rows[i] + 8);
      advantages.push_back(static_cast<float>(p[i] * (reward(source, episode.rows[i]) - 0.37)));
    }
    episodes.push_back(std::move(episode));
  }
  GeneratorGradient gradient;
  sampler.compute_gradient({{}, pairs, drawn, {}, world->pool}, advantages, gradient);
  expect_gradient(sampler.generator(), gradient, episodes, t);
}

/// 70 users, 200 items: sources of several tiles, targets of several blocks.
std::unique_ptr<World> wide_world() {
  EdgeList edges;
  Rng rng(6, Domain::kTest);
  for (NodeId u = 0; u < 70; ++u)
    for (int i = 0; i < 30; ++i)
      edges.pairs.push_back({u, static_cast<NodeId>(70 + rng.below(200))});
  return std::make_unique<World>(std::move(edges), 270,
                                 BuildOptions{.kind = GraphKind::kBipartite, .users = 70},
                                 Filter::kTrain);
}

/// A batch, drawn by `sampler` and learned from with fixed advantages.
struct Lesson {
  std::vector<NodeId> ids;
  GeneratorGradient gradient;
};

Lesson learn(World& world, Irgan& sampler) {
  const PairBuffer batch = edge_batch(world.graph, 0, 400);
  PairSampling sampling(sampler, 2, world.graph.num_nodes(), world.pool);
  sampling.run({1, 0, 0}, batch, world.scorer());
  const Negatives& drawn = sampling.negatives();
  std::vector<float> advantages;
  for (std::size_t i = 0; i < drawn.ids.size(); ++i)
    advantages.push_back(static_cast<float>(std::sin(double(i))));
  Lesson out{{drawn.ids.begin(), drawn.ids.end()}, {}};
  sampler.compute_gradient({{}, batch.pairs, drawn, {}, world.pool}, advantages, out.gradient);
  return out;
}

// Rows that are kept, and rows that are made again because only one tile of them fits.
TEST(SamplerGenerators, IrganLearnsTheSameWherePoliciesAreNotKept) {
  const auto world = wide_world();
  const GeneratorOptions options{.lr = 0.1, .temperature = 0.5};
  Irgan all(world->context(), options), few(world->context(), options, 1);
  scatter(all.generator());
  scatter(few.generator());
  const Lesson a = learn(*world, all), b = learn(*world, few);
  EXPECT_EQ(a.ids, b.ids);
  ASSERT_EQ(a.gradient.source_rows, b.gradient.source_rows);
  ASSERT_GT(a.gradient.source_rows.size(), 2U * FullPolicy::kTile);
  double largest = 0;
  const auto compare = [&](const Matrix& x, const Matrix& y, std::size_t rows) {
    for (std::size_t i = 0; i < rows * x.stride(); ++i) {
      EXPECT_NEAR(x.data()[i], y.data()[i], 1e-4) << i;
      largest = std::max(largest, double{std::fabs(x.data()[i])});
    }
  };
  compare(a.gradient.source, b.gradient.source, a.gradient.source_rows.size());
  compare(a.gradient.target, b.gradient.target, a.gradient.target_rows.size());
  EXPECT_GT(largest, 1.0);
}

// A term of an excluded target that is not 0 but small would be drawn once in a while.
TEST(SamplerGenerators, ExcludedTargetsHaveProbabilityZero) {
  const auto world = wide_world();
  Irgan sampler(world->context(), {.lr = 0.1, .temperature = 0.5});
  scatter(sampler.generator());
  FullPolicy policy(sampler.generator(), world->exclusion);
  const PairBuffer batch = edge_batch(world->graph, 0, 400);
  policy.begin(batch.pairs);
  policy.complete(0, policy.sources().size());
  for (std::int32_t s = 0; s < policy.sources().size(); ++s) {
    const NodeId source = policy.sources().key(s);
    double total = 0;
    for (NodeId v = 70; v < 270; ++v) {
      const float term = policy.row(s)[v - 70];
      if (world->graph.has_edge(source, v))
        EXPECT_EQ(term, 0.0F);
      else
        EXPECT_GT(term, 0.0F);
      total += term;
    }
    EXPECT_NEAR(policy.total(s), total, 1e-5 * total);
  }
}

// From the batch's rows, and by scores of its own where there are none.
TEST(SamplerGenerators, IrganLogQIsTheSameWithAndWithoutTheBatch) {
  const auto world = wide_world();
  Irgan sampler(world->context(), {.lr = 0.1, .temperature = 0.5});
  scatter(sampler.generator());
  std::map<NodeId, double> alone;
  for (const NodeId v : world->allowed(2))
    alone[v] = sampler.log_q(2, v, world->scorer()).value().value;
  const auto counts = count(draw_many(sampler, *world, {2, 70}).ids);
  std::map<NodeId, double> distribution;
  double total = 0;
  for (const auto& [v, log_q] : alone) {
    EXPECT_NEAR(sampler.log_q(2, v, world->scorer()).value().value, log_q, 1e-4);
    total += distribution[v] = std::exp(log_q);
  }
  EXPECT_NEAR(total, 1, 1e-6);
  EXPECT_GT(chi_square(distribution, counts), kErrorRate);
}

TEST(SamplerGenerators, KbganGradientIsThatOfTheExpectedReward) {
  const auto world = user_item_world();
  const double t = 0.7;
  const int candidates = 6;
  Kbgan sampler(world->context(), {.lr = 0.1, .temperature = t}, candidates);
  scatter(sampler.generator());
  const std::vector<Pair> pairs = {{2, 8}, {5, 8}, {2, 9}};
  const std::vector<std::uint64_t> names = {1, 2, 3};
  const std::vector<std::int32_t> members = {0, 2, 1};
  NegativesBuffer drawn;
  drawn.k = candidates;
  drawn.resize(pairs.size(), false, false);
  const SampleRequest request{{1, 0, 0}, pairs, names, members, world->scorer()};
  sampler.begin_batch(request);
  sampler.sample(request, drawn);
  std::vector<Episode> episodes;
  std::vector<float> advantages;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto rows = sampler.candidates(static_cast<std::int64_t>(i));
    Episode episode{pairs[i].source, {rows.begin(), rows.end()}};
    const auto p = policy(sampler.generator(), episode, t);
    for (int c = 0; c < candidates; ++c) {
      drawn.ids[i * candidates + c] = rows[c] + 8;
      advantages.push_back(static_cast<float>(p[c] * (reward(pairs[i].source, rows[c]) + 0.9)));
    }
    episodes.push_back(std::move(episode));
  }
  GeneratorGradient gradient;
  sampler.compute_gradient({{}, pairs, drawn, {}, world->pool}, advantages, gradient);
  expect_gradient(sampler.generator(), gradient, episodes, t);
}

/// Mean score of negatives in the first and the last of 200 batches of a model that stands still.
std::pair<double, double> reward_before_and_after(const std::string& spec) {
  const auto world = user_item_world();
  const auto sampler = make_sampler(spec, world->context());
  PairSampling sampling(*sampler, 1, world->graph.num_nodes(), world->pool);
  double first = 0, last = 0;
  for (int b = 0; b < 200; ++b) {
    const PairBuffer batch = edge_batch(world->graph, std::size_t(b) * 256, 256);
    sampling.run({1, b, 0}, batch, world->scorer());
    std::vector<float> scores;
    last = 0;
    for (std::size_t i = 0; i < batch.pairs.size(); ++i) {
      scores.push_back(world->score(batch.pairs[i].source, batch.pairs[i].target));
      scores.push_back(world->score(batch.pairs[i].source, sampling.negatives().ids[i]));
      last += scores.back() / 256;
    }
    if (b == 0) first = last;
    sampling.feedback({1, b, 0}, batch, scores);
  }
  return {first, last};
}

TEST(SamplerGenerators, LearningFindsTargetsOfHighReward) {
  for (const char* spec : {"irgan:lr=0.05", "kbgan:candidates=10,lr=0.05"}) {
    const auto [before, after] = reward_before_and_after(spec);
    EXPECT_GT(after, before + 0.5) << spec;
  }
}

// The estimate stands for an expectation over candidate sets: close, not equal.
TEST(SamplerGenerators, KbganLogQIsAGoodEstimate) {
  const auto world = user_item_world();
  Kbgan sampler(world->context(), {.lr = 0.1, .temperature = 1.0}, 10);
  scatter(sampler.generator());
  const auto counts = count(draw_many(sampler, *world, {2, 8}).ids);
  double distance = 0;
  for (const auto& [v, p] : declared_distribution(sampler, *world, 2)) {
    const auto found = counts.find(v);
    const double seen = found == counts.end() ? 0 : static_cast<double>(found->second) / kDraws;
    distance += 0.5 * std::fabs(seen - p);
  }
  EXPECT_LT(distance, 0.05);
}

}  // namespace
}  // namespace mcns::sampler_test
