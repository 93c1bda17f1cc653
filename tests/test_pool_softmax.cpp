// The softmax against a shared pool: the fused computation against sums in double, the step against
// central differences, bits for any number of threads, chains on their target.
#include <cmath>

#include <gtest/gtest.h>

#include "mcns/samplers/session.h"
#include "mcns/train/pool_softmax.h"
#include "mcns/train/step.h"

#include "tests/chi_square.h"
#include "tests/train_support.h"

namespace mcns {
namespace {

/// A batch of random rows: some sources with several pairs, one whose pool is masked whole.
struct World {
  World(int size, int chains, bool biased, int dim, int number_of_sources)
      : table(kRows, dim), groups(kRows), chains(chains) {
    Rng rng(7, Domain::kTest);
    for (int v = 0; v < kRows; ++v)
      for (int d = 0; d < dim; ++d) table.row(v)[d] = static_cast<float>(rng.normal());
    const auto row = [&] { return static_cast<NodeId>(rng.below(kRows)); };
    std::vector<NodeId> keys;
    for (int i = 0; i < number_of_sources * 3 / 2; ++i) {
      keys.push_back(i % number_of_sources);
      positives.push_back(row());
    }
    groups.build(keys);
    for (int j = 0; j < size; ++j) pool.push_back(row());
    for (int j = 0; biased && j < size; ++j) biases.push_back(static_cast<float>(rng.normal()));
    for (std::int32_t g = 0; g < groups.size(); ++g) {
      sources.push_back(row());
      for (int i = 0; i < chains; ++i) {
        states.push_back(row());
        if (biased) state_biases.push_back(static_cast<float>(rng.normal()));
      }
      for (int j = 0; j < size; ++j)
        if (g == 1 || rng.below(5) == 0) columns.push_back(j);
      first.push_back(static_cast<std::int32_t>(columns.size()));
    }
  }
  PoolBatch batch() const {
    return {table.view(), groups, sources,      positives, pool,   biases,
            chains,       states, state_biases, first,     columns};
  }
  bool is_masked(std::int32_t group, int column) const {
    return std::find(columns.begin() + first[group], columns.begin() + first[group + 1], column) !=
           columns.begin() + first[group + 1];
  }
  double dot(NodeId a, NodeId b) const {
    double sum = 0;
    for (int d = 0; d < table.dim(); ++d) sum += double(table.row(a)[d]) * table.row(b)[d];
    return sum;
  }

  static constexpr int kRows = 300;
  Matrix table;
  RowGroups groups;
  int chains;
  std::vector<NodeId> sources, positives, pool, states;
  std::vector<float> biases, state_biases;
  std::vector<std::int32_t> first = {0}, columns;
};

/// The same by the definition: the loss, and its slopes by every score.
struct Slow {
  Slow(const World& world, double margin)
      : pool(world.groups.size(), std::vector<double>(world.pool.size())),
        states(world.states.size()),
        positives(world.positives.size()) {
    for (std::int32_t g = 0; g < world.groups.size(); ++g)
      for (const std::int32_t pair : world.groups.members(g)) add(world, margin, g, pair);
  }
  void add(const World& w, double margin, std::int32_t g, std::int32_t pair) {
    const double s = w.dot(w.sources[g], w.positives[pair]);
    const int terms = std::max(w.chains, 1);
    const double beside = std::exp(s) + (margin > 0 ? std::exp(margin) : 0.0);
    double all = 0;
    std::vector<double> e(w.pool.size());
    for (std::size_t j = 0; j < e.size(); ++j) {
      const double bias = w.biases.empty() ? 0.0 : w.biases[j];
      if (w.is_masked(g, static_cast<int>(j))) continue;
      all += e[j] = std::exp(w.dot(w.sources[g], w.pool[j]) + bias);
    }
    for (int i = 0; i < terms; ++i) {
      const std::size_t state = std::size_t(g) * w.chains + i;
      double own = 0;
      if (w.chains > 0) {
        const double bias = w.state_biases.empty() ? 0.0 : w.state_biases[state];
        own = std::exp(w.dot(w.sources[g], w.states[state]) + bias);
      }
      // With biases the pool's sum stands for all targets, and the ensemble shares out its part.
      const double others = w.biases.empty() ? all + own : all, z = beside + others;
      const double share = all + own > 0 ? others / z / (all + own) / terms : 0.0;
      loss += (std::log(z) - s) / terms;
      positives[pair] += (std::exp(s) / z - 1) / terms;
      for (std::size_t j = 0; j < e.size(); ++j) pool[g][j] += e[j] * share;
      if (w.chains > 0) states[state] += own * share;
    }
  }

  double loss = 0;
  std::vector<std::vector<double>> pool;
  std::vector<double> states, positives;
};

void expect_equal(const World& w, const PoolSoftmax& got, const Slow& slow) {
  for (std::size_t i = 0; i < slow.positives.size(); ++i)
    ASSERT_NEAR(got.positive_slope(static_cast<std::int32_t>(i)), slow.positives[i], 2e-5);
  for (std::size_t i = 0; i < slow.states.size(); ++i)
    ASSERT_NEAR(got.state_slope(i), slow.states[i], 2e-5);
  for (std::int32_t g = 0; g < w.groups.size(); ++g)
    for (int d = 0; d < w.table.dim(); ++d) {
      double sum = 0;
      for (const std::int32_t pair : w.groups.members(g))
        sum += slow.positives[pair] * w.table.row(w.positives[pair])[d];
      for (std::size_t j = 0; j < w.pool.size(); ++j)
        sum += slow.pool[g][j] * w.table.row(w.pool[j])[d];
      for (int i = 0; i < w.chains; ++i)
        sum += slow.states[std::size_t(g) * w.chains + i] *
               w.table.row(w.states[std::size_t(g) * w.chains + i])[d];
      ASSERT_NEAR(got.source_gradient(g)[d], sum, 2e-4) << "source " << g;
    }
  for (std::size_t j = 0; j < w.pool.size(); ++j)
    for (int d = 0; d < w.table.dim(); ++d) {
      double sum = 0;
      for (std::int32_t g = 0; g < w.groups.size(); ++g)
        sum += slow.pool[g][j] * w.table.row(w.sources[g])[d];
      ASSERT_NEAR(got.pool_gradient(static_cast<std::int32_t>(j))[d], sum, 2e-4) << "column " << j;
    }
}

TEST(PoolSoftmax, EqualsTheDefinition) {
  ThreadPool pool(2);
  for (const int size : {1, 5, 192, 193, 500})
    for (const int chains : {0, 1, 3})
      for (const bool biased : {false, true})
        for (const double margin : {0.0, 1.5}) {
          const World world(size, chains, biased, size % 2 == 0 ? 16 : 5, 130);
          PoolSoftmax softmax({static_cast<float>(margin)}, pool);
          const double loss = softmax.run(world.batch());
          const Slow slow(world, margin);
          EXPECT_NEAR(loss, slow.loss, 2e-5 * slow.loss);
          expect_equal(world, softmax, slow);
        }
}

TEST(PoolSoftmax, AScoreThatIsNotFiniteShows) {
  ThreadPool pool(1);
  for (const float bad : {std::nanf(""), INFINITY}) {
    World world(50, 1, false, 5, 20);
    world.table.row(world.pool[49])[0] = bad;
    PoolSoftmax softmax({}, pool);
    EXPECT_FALSE(std::isfinite(softmax.run(world.batch())));
  }
}

/// Scores far apart: nothing overflows, and what weighs nothing has no slope.
TEST(PoolSoftmax, LargeScores) {
  ThreadPool pool(1);
  World world(60, 1, false, 5, 20);
  for (float& x : world.table.flat()) x *= 6;
  PoolSoftmax softmax({}, pool);
  const double loss = softmax.run(world.batch());
  EXPECT_TRUE(std::isfinite(loss));
  EXPECT_NEAR(loss, Slow(world, 0).loss, 1e-4 * loss);
}

/// A step of plain descent is the gradient of the loss over the pool that the sampler drew.
TEST(SharedStep, FollowsCentralDifferences) {
  constexpr int kSize = 24, kDim = 6;
  constexpr float kL2 = 0.05F;
  const BatchKey key{3, 1, 4};
  for (const auto kind : {GraphKind::kBipartite, GraphKind::kUndirected, GraphKind::kDirected})
    for (const char* sampler : {"rns", "mcns:step=ensemble,chains=2"}) {
      const Graph graph = random_graph(kind, 40, 120, 2);
      ThreadPool pool(2);
      SamplerSession session(graph, {.sampler = sampler, .dim = kDim, .seed = 3}, pool);
      Lookup lookup(graph.num_nodes(), {kDim, kind == GraphKind::kDirected, 2.0}, 0, 5, &pool);
      PairBuffer batch;
      for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u)
        for (const NodeId v : graph.neighbors(u))
          if (batch.pairs.size() < 30) {
            batch.pairs.push_back({u, v});
            batch.serials.push_back(batch.serials.size());
          }
      // What the step will draw.
      PoolSource& source = *session.sampler().pool_source();
      std::vector<NodeId> targets(source.pool_size(kSize));
      source.draw_pool(key, targets);
      std::map<NodeId, std::vector<NodeId>> states;
      for (const Pair pair : batch.pairs) {
        states[pair.source].resize(source.chains());
        source.states(key, pair.source, states[pair.source]);
      }
      const auto loss = [&](const std::vector<double>& x) {
        const auto row = [&](NodeId r) { return x.data() + std::size_t(r) * kDim; };
        const auto dot = [&](NodeId a, NodeId b) {
          double sum = 0;
          for (int d = 0; d < kDim; ++d) sum += row(a)[d] * row(b)[d];
          return sum;
        };
        double total = 0;
        for (const auto [u, v] : batch.pairs) {
          const NodeId a = lookup.source_row(u), b = lookup.target_row(v);
          double others = std::exp(dot(a, b));
          for (const NodeId t : targets)
            if (!session.exclusion().excluded(u, t))
              others += std::exp(dot(a, lookup.target_row(t)));
          const auto& own = states[u];
          for (const NodeId state : own)
            total += std::log(others + std::exp(dot(a, lookup.target_row(state)))) / own.size();
          if (own.empty()) total += std::log(others);
          total += -dot(a, b) + kL2 / 2 * (dot(a, a) + dot(b, b));
        }
        return total;
      };
      std::vector<double> x;
      for (std::int64_t r = 0; r < lookup.rows(); ++r)
        for (int d = 0; d < kDim; ++d) x.push_back(lookup.parameters().row(r)[d]);
      const auto step =
          make_shared_step({session, Softmax{}, Sgd{}, kL2, pool}, lookup, kSize, false, false);
      StepTotals totals;
      step->run(key, batch, 1.0F, totals);
      for (std::size_t i = 0; i < x.size(); ++i) {
        constexpr double kStep = 1e-5;
        auto high = x, low = x;
        high[i] += kStep;
        low[i] -= kStep;
        const double gradient = (loss(high) - loss(low)) / (2 * kStep);
        const float moved = lookup.parameters().row(std::int64_t(i) / kDim)[i % kDim];
        ASSERT_NEAR(x[i] - moved, gradient, 2e-4) << sampler << ", parameter " << i;
      }
    }
}

TEST(SharedStep, SameBitsForAnyNumberOfThreads) {
  const Graph graph = random_graph(GraphKind::kBipartite, 300, 1500, 2);
  for (const char* encoder : {"lookup", "gcn", "graphsage", "lightgcn"})
    for (const char* sampler : {"rns", "degree", "mcns:chains=2"})
      for (const char* similarity : {"dot", "cosine"}) {
        ShortRun setup;
        setup.options.encoder = encoder;
        setup.options.sampler = sampler;
        setup.options.similarity = similarity;
        setup.options.loss = "softmax";
        setup.options.negatives = NegativeCount(200, true);
        setup.options.batch = 700;
        if (std::string(similarity) == "cosine") setup.options.l2.reset();
        const Tables one = setup.train(graph);
        for (const int threads : {2, 3, 7}) {
          setup.threads = threads;
          EXPECT_EQ(setup.train(graph), one) << encoder << ", " << sampler << ", " << threads;
        }
      }
}

/// The chains that the step moves have the softmax over all allowed targets as their distribution.
class ChainsReach : public testing::TestWithParam<std::pair<int, bool>> {};
TEST_P(ChainsReach, TheSoftmax) {
  const auto [chains, log_q] = GetParam();
  const Graph graph = random_graph(GraphKind::kBipartite, 40, 100, 2);
  ThreadPool pool(1);
  SamplerSession session(
      graph, {.sampler = fmt::format("mcns:step=ensemble,chains={}", chains), .seed = 3}, pool);
  Lookup lookup(graph.num_nodes(), {4, false, 2.0}, 0, 5, &pool);
  PairBuffer batch;
  NodeId source = 0;
  while (graph.degree(source) < 2) ++source;
  batch.pairs.push_back({source, graph.neighbors(source)[0]});
  batch.serials.push_back(0);
  const auto step =
      make_shared_step({session, Softmax{}, Sgd{}, 0.0F, pool}, lookup, 6, false, log_q);
  PoolSource& states = *session.sampler().pool_source();
  std::vector<NodeId> now(chains);
  std::vector<std::int64_t> counts(graph.num_nodes());
  std::vector<double> expected(graph.num_nodes());
  constexpr int kRounds = 40'000, kEvery = 8;
  StepTotals totals;
  for (int i = 0; i < kRounds; ++i) {
    step->run({3, 0, i}, batch, 0.0F, totals);
    if (i < 100 || i % kEvery != 0) continue;
    states.states({}, source, now);
    ++counts[now[chains - 1]];
  }
  const NodeRange targets = graph.targets();
  for (NodeId v = targets.begin; v < targets.end; ++v)
    if (!session.exclusion().excluded(source, v))
      expected[v] = std::exp(lookup.scorer()(source, v));
  expect_distribution(counts, expected, chains == 1 ? "one chain" : "three chains");
}
INSTANTIATE_TEST_SUITE_P(SharedStep, ChainsReach,
                         testing::Values(std::pair{1, false}, std::pair{3, false},
                                         std::pair{1, true}, std::pair{3, true}));

/// Three targets of probabilities 0.7, 0.2 and 0.1, every pool of two, every pair of states of two
/// chains: with states of that distribution the slopes of the targets are the softmax's, on
/// average.
TEST(PoolSoftmax, TheEnsembleIsUnbiased) {
  ThreadPool threads(1);
  const double target[] = {0.7, 0.2, 0.1};
  Matrix table(5, 1);  // the targets, the source, a positive that weighs nothing
  for (int v = 0; v < 3; ++v) table.row(v)[0] = static_cast<float>(std::log(target[v]));
  table.row(3)[0] = 1;
  table.row(4)[0] = -40;
  RowGroups groups(1);
  groups.build(std::vector<NodeId>{0});
  const std::vector<NodeId> sources = {3}, positives = {4};
  for (const bool log_q : {false, true}) {
    double slopes[3] = {};
    for (int choice = 0; choice < 81; ++choice) {
      const std::vector<NodeId> pool = {choice % 3, choice / 3 % 3};
      const std::vector<NodeId> states = {choice / 9 % 3, choice / 27};
      const std::vector<float> biases(log_q ? 2 : 0, std::log(1.5F));  // 3 targets, 2 in the pool
      PoolSoftmax softmax({}, threads);
      softmax.run(
          {table.view(), groups, sources, positives, pool, biases, 2, states, biases, {}, {}});
      const double weight = target[states[0]] * target[states[1]] / 9;
      for (int j = 0; j < 2; ++j) slopes[pool[j]] += weight * softmax.pool_gradient(j)[0];
      for (int i = 0; i < 2; ++i) slopes[states[i]] += weight * softmax.state_slope(i);
    }
    for (int v = 0; v < 3; ++v) EXPECT_NEAR(slopes[v], target[v], 1e-5) << "log-q " << log_q;
  }
}

}  // namespace
}  // namespace mcns
