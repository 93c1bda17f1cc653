// Steps of many chains at once, against the same steps one by one; sets of pairs against std::set;
// choices of steps against the share they should have.
#include <set>

#include "mcns/core/kernels.h"
#include "mcns/samplers/proposals.h"

#include "graph_support.h"
#include "test_sampler_tools.h"

namespace mcns::sampler_test {
namespace {

constexpr int kChains = 48;

/// Node 0 is linked to half of the others, they to their neighbours.
Graph ring_with_hub(NodeId nodes) {
  std::vector<Pair> pairs;
  for (NodeId v = 1; v < nodes; ++v) {
    pairs.push_back({v, v + 1 < nodes ? v + 1 : 1});
    if (v % 2 == 0) pairs.push_back({0, v});
  }
  return make_graph(std::move(pairs), nodes);
}

/// The chains of random sources, where they stand and where they would go.
struct Chains {
  NodeId sources[kChains], nodes[kChains], to[kChains];
  float energies[kChains], to_energies[kChains], slacks[kChains];
  std::uint32_t offsets[kChains], multipliers[kChains], shifts[kChains], asks[kChains];

  Chains(const Graph& graph, const Exclusion& exclusion, Rng& rng) {
    for (int i = 0; i < kChains; ++i) {
      sources[i] = static_cast<NodeId>(rng.below(graph.sources().end));
      nodes[i] = exclusion.propose_uniform(rng);
      to[i] = exclusion.propose_uniform(rng);
      energies[i] = rng.uniformf();
      to_energies[i] = rng.uniformf();
      slacks[i] = rng.uniformf() - 0.5F;
      const ExclusionSketch sketch = exclusion.sketch(sources[i]);
      offsets[i] = sketch.offset;
      multipliers[i] = sketch.multiplier;
      shifts[i] = sketch.shift;
    }
  }
};

/// Sources with an exact set, with a sketch, and without any.
TEST(ChainKernels, StepsAreThoseOfMetropolisAndHastings) {
  const Graph graph = ring_with_hub(900);
  for (const Filter filter : {Filter::kTrain, Filter::kNone})
    for (const Kernels* kernel : runnable_kernels()) {
      const Exclusion exclusion(graph, filter);
      Rng rng(7, Domain::kTest);
      int moved = 0, excluded = 0, asked = 0;
      for (int round = 0; round < 200; ++round) {
        Chains c(graph, exclusion, rng);
        for (int i = 0; i < kChains; i += 2)  // a neighbour, so that sets matter
          c.to[i] = graph.neighbors(c.sources[i])[0];
        const Chains before = c;
        const bool some = kernel->metropolis({kChains, c.nodes, c.energies, c.to, c.to_energies,
                                              c.slacks, exclusion.words().data(), c.offsets,
                                              c.multipliers, c.shifts, 0, c.asks});
        bool any = false;
        for (int i = 0; i < kChains; ++i) {
          const bool lower = before.to_energies[i] < before.energies[i] + before.slacks[i];
          const bool barred = exclusion.excluded(before.sources[i], before.to[i]);
          any |= c.asks[i] != 0;
          asked += static_cast<int>(c.asks[i]);
          if (c.asks[i] != 0) {
            EXPECT_TRUE(lower && !exclusion.knows_exactly(before.sources[i]));
          }
          const bool moves = lower && !barred && c.asks[i] == 0;
          EXPECT_EQ(c.nodes[i], moves ? before.to[i] : before.nodes[i]) << kernel->name;
          EXPECT_EQ(c.energies[i], moves ? before.to_energies[i] : before.energies[i]);
          moved += moves ? 1 : 0;
          excluded += lower && barred ? 1 : 0;
        }
        EXPECT_EQ(some, any);
      }
      EXPECT_GT(moved, 1000);
      EXPECT_EQ(excluded > 0, filter == Filter::kTrain);
      EXPECT_EQ(asked > 0, filter == Filter::kTrain);
    }
}

TEST(ChainKernels, SetsOfPairsHoldTheirPairsInEitherOrderAndFewOthers) {
  constexpr int kPairs = 2000, kAsked = 20000;
  std::vector<std::uint32_t> words(1024);  // 16 bits a pair
  const PairSet set{words.data(), 22};
  Rng rng(3, Domain::kTest);
  std::set<std::pair<NodeId, NodeId>> pairs;
  std::vector<NodeId> x, y;
  for (int i = 0; i < kPairs; ++i) {
    x.push_back(static_cast<NodeId>(rng.below(3000)));
    y.push_back(static_cast<NodeId>(rng.below(3000)));
    pairs.insert(std::minmax(x[i], y[i]));
    const PairSet::Place place = set.place(x[i], y[i]);
    words[place.word] |= place.mask;
  }
  std::vector<NodeId> other_x, other_y;
  while (other_x.size() < kAsked) {
    const auto a = static_cast<NodeId>(rng.below(3000)), b = static_cast<NodeId>(rng.below(3000));
    if (pairs.contains(std::minmax(a, b))) continue;
    other_x.push_back(a);
    other_y.push_back(b);
  }
  for (const Kernels* kernel : runnable_kernels()) {
    std::vector<std::uint32_t> out(kAsked);
    EXPECT_TRUE(kernel->may_be_pairs(set, y.data(), x.data(), kPairs, out.data()));
    EXPECT_EQ(std::count(out.begin(), out.begin() + kPairs, 1U), kPairs) << kernel->name;
    kernel->may_be_pairs(set, other_x.data(), other_y.data(), kAsked, out.data());
    EXPECT_LT(std::count(out.begin(), out.end(), 1U), kAsked / 100) << kernel->name;
    const int none = static_cast<int>(std::find(out.begin(), out.end(), 1U) - out.begin());
    EXPECT_FALSE(kernel->may_be_pairs(set, other_x.data(), other_y.data(), none, out.data()));
  }
}

/// Walks come at even distances, coins fall as they fall: six standard deviations.
TEST(StepChoices, LocalStepsHaveTheirShare) {
  for (const float share : {0.0F, 0.3F, 0.5F, 1.0F})
    for (const bool nearest : {false, true}) {
      ProposalOptions options;
      options.local = share;
      options.nearest = nearest;
      StepChoices choices(options, Rng(5, Domain::kTest));
      constexpr int kSteps = 10000;
      int local = 0, furthest = 0, since = 0;
      for (int i = 0; i < kSteps; ++i) {
        const bool is_local = choices.next_is_local();
        local += is_local ? 1 : 0;
        since = is_local ? 0 : since + 1;
        furthest = std::max(furthest, since);
      }
      EXPECT_NEAR(local, share * kSteps,
                  nearest ? 6 * std::sqrt(kSteps * share * (1 - share)) : 1.01);
      if (!nearest && share > 0) {
        EXPECT_LE(furthest, static_cast<int>(1 / share));
      }
    }
}

}  // namespace
}  // namespace mcns::sampler_test
