// Samplers that draw from lists or from other samplers: pinsage, file, mix.
#include <filesystem>
#include <fstream>
#include <set>

#include <unistd.h>

#include "mcns/samplers/pinsage_pagerank.h"
#include "mcns/samplers/registry.h"

#include "test_sampler_tools.h"
#include "tests/paths.h"

namespace mcns::sampler_test {
namespace {

/// Personalised PageRank by power iteration on the whole vector.
std::vector<double> pagerank(const Graph& graph, NodeId source, double restart) {
  std::vector<double> walk(graph.num_nodes(), 0.0), out(graph.num_nodes(), 0.0);
  walk[source] = 1;
  for (int step = 0; step < 400; ++step) {
    std::vector<double> next(graph.num_nodes(), 0.0);
    for (NodeId v = 0; v < graph.num_nodes(); ++v) {
      out[v] += restart * walk[v];
      double total = 0;
      const auto weights = graph.weights(v);
      for (std::size_t i = 0; i < graph.neighbors(v).size(); ++i)
        total += weights.empty() ? 1.0 : weights[i];
      for (std::size_t i = 0; i < graph.neighbors(v).size(); ++i)
        next[graph.neighbors(v)[i]] +=
            (1 - restart) * walk[v] * (weights.empty() ? 1.0 : weights[i]) / total;
    }
    walk = next;
  }
  return out;
}

TEST(SamplerPinsage, ForwardPushIsPageRank) {
  for (const auto& world : {user_item_world(), node_world()})
    for (const NodeId source : {0, 3, 7}) {
      ForwardPush push(world->graph, {.restart = 0.2, .precision = 1e-10});
      push.run(1);
      push.run(source);
      const auto expected = pagerank(world->graph, source, 0.2);
      for (NodeId v = 0; v < world->graph.num_nodes(); ++v)
        EXPECT_NEAR(push.value(v), expected[v], 1e-6) << source << " " << v;
    }
}

TEST(SamplerPinsage, ListsHoldTheTopAllowedTargets) {
  const auto world = node_world();
  const HardTargets hard(world->exclusion, {.top = 4, .restart = 0.15, .precision = 1e-10},
                         world->pool);
  for (NodeId u = 0; u < 23; ++u) {
    const auto rank = pagerank(world->graph, u, 0.15);
    auto expected = world->allowed(u);
    std::erase_if(expected, [&](NodeId v) { return rank[v] == 0; });
    std::sort(expected.begin(), expected.end(),
              [&](NodeId a, NodeId b) { return rank[a] > rank[b]; });
    expected.resize(std::min<std::size_t>(expected.size(), 4));
    const auto list = hard.of(u);
    EXPECT_EQ(std::vector<NodeId>(list.begin(), list.end()), expected) << u;
  }
  EXPECT_TRUE(hard.of(23).empty());
}

TEST(SamplerPinsage, PaperModeSharesTwentyAndAddsFiveHard) {
  const auto world = user_item_world();
  const auto sampler = make_sampler("pinsage:mode=paper,top=3", world->context());
  ASSERT_EQ(sampler->negatives_per_positive(1), 25);
  const HardTargets hard(world->exclusion, {.top = 3}, world->pool);
  PairSampling sampling(*sampler, 25, world->graph.num_nodes(), world->pool);
  const PairBuffer batch = edge_batch(world->graph, 0, 40);
  sampling.run({1, 0, 0}, batch, world->scorer());
  const auto& ids = sampling.negatives().ids;
  for (int j = 0; j < 20; ++j) {
    std::set<NodeId> shared;
    std::vector<std::pair<NodeId, NodeId>> seen;
    for (std::size_t i = 0; i < batch.pairs.size(); ++i)
      if (batch.pairs[i].source != 0) seen.emplace_back(batch.pairs[i].source, ids[i * 25 + j]);
    // The shared one is what every source that may have it got.
    std::map<NodeId, int> votes;
    for (const auto& [u, v] : seen) ++votes[v];
    const NodeId common = std::max_element(votes.begin(), votes.end(), [](auto& a, auto& b) {
                            return a.second < b.second;
                          })->first;
    for (const auto& [u, v] : seen) {
      if (!world->graph.has_edge(u, common)) {
        EXPECT_EQ(v, common);
      }
    }
  }
  for (std::size_t i = 0; i < batch.pairs.size(); ++i) {
    const auto list = hard.of(batch.pairs[i].source);
    for (int j = 20; j < 25 && !list.empty(); ++j)
      EXPECT_NE(std::find(list.begin(), list.end(), ids[i * 25 + j]), list.end());
  }
}

class SamplerFile : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    const std::string folder = std::string(kTestScratch) + "/sampler_file";
    std::filesystem::create_directories(folder);
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    const std::string path = fmt::format("{}/{}.tsv", folder, test->name());
    std::ofstream(path) << text;
    return path;
  }
  std::string error(const std::string& spec) {
    try {
      make_sampler(spec, world_->context());
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kData);
      return e.what();
    }
    return "";
  }
  std::unique_ptr<World> world_ = user_item_world();
};

TEST_F(SamplerFile, DrawsFromTheListsOfAllLines) {
  const auto sampler = make_sampler(
      "file:" + write("# mine\nn2\tn20\tn21\tn21\nn3\tn25\r\nn2\tn22\n"), world_->context());
  EXPECT_GT(chi_square({{20, 0.25}, {21, 0.5}, {22, 0.25}},
                       count(draw_many(*sampler, *world_, {2, 8}).ids)),
            kErrorRate);
  for (const NodeId v : draw_many(*sampler, *world_, {3, 8}, 20).ids) EXPECT_EQ(v, 25);
  EXPECT_EQ(sampler->figures()[0].value, 6);
}

TEST_F(SamplerFile, LeavesTrainingPositivesOut) {
  const NodeId positive = world_->graph.neighbors(2)[0];
  const std::string path = write(fmt::format("n2\tn{}\tn22\n", positive));
  const auto sampler = make_sampler("file:" + path, world_->context());
  for (const NodeId v : draw_many(*sampler, *world_, {2, 8}, 100).ids) EXPECT_EQ(v, 22);
  EXPECT_EQ(sampler->figures()[1].value, 1);
}

TEST_F(SamplerFile, NamesFileAndLineOfWhatIsWrong) {
  EXPECT_NE(error("file:" + write("n2\tn20\nn77\tn20\n")).find(".tsv:2"), std::string::npos);
  EXPECT_NE(error("file:" + write("n2\tn20\n\nn3\tn21\tn1\n")).find(".tsv:3"), std::string::npos);
  EXPECT_NE(error("file:" + write("n2\n")).find(".tsv:1"), std::string::npos);
  EXPECT_NE(error("file:" + write("n2\tn20\n") + ",missing=error").find("7 linked sources"),
            std::string::npos);
  EXPECT_THROW(make_sampler("file:/no/such/file", world_->context()), Error);
  EXPECT_THROW(make_sampler("file:", world_->context()), Error);
}

TEST(SamplerMix, DistributionIsTheSumOfItsParts) {
  const auto world = user_item_world();
  const std::string spec = "mix:3*dns:candidates=3+1*degree:power=1e+0";
  const auto sampler = make_sampler(spec, world->context());
  const auto dns =
      declared_distribution(*make_sampler("dns:candidates=3", world->context()), *world, 2);
  const auto degree =
      declared_distribution(*make_sampler("degree:power=1", world->context()), *world, 2);
  std::map<NodeId, double> distribution;
  for (const auto& [v, p] : dns) distribution[v] = 0.75 * p + 0.25 * degree.at(v);
  EXPECT_GT(chi_square(distribution, count(draw_many(*sampler, *world, {2, 8}).ids)), kErrorRate);
  for (const auto& [v, p] : declared_distribution(*sampler, *world, 2))
    EXPECT_NEAR(p, distribution[v], 1e-12);
}

// The best of 300 draws is the lowest of some twenty but for one time in a million.
TEST(SamplerMix, RampGoesFromOneSideToTheOther) {
  const auto world = node_world();
  const auto sampler = make_sampler("mix:ramp=4,rns>inverse-dns:candidates=300", world->context());
  const auto allowed = world->allowed(2);
  const NodeId lowest = *std::min_element(allowed.begin(), allowed.end(), [&](NodeId a, NodeId b) {
    return world->score(2, a) < world->score(2, b);
  });
  for (const int epoch : {0, 1, 3, 4, 9}) {
    const double done = std::min(1.0, epoch / 4.0);
    std::map<NodeId, double> distribution;
    for (const NodeId v : allowed)
      distribution[v] = (1 - done) / static_cast<double>(allowed.size()) + (v == lowest ? done : 0);
    EXPECT_GT(chi_square(distribution, count(draw_many(*sampler, *world, {2, 8}, 2000, epoch).ids)),
              kErrorRate)
        << epoch;
  }
}

TEST(SamplerMix, PassesWeightsOfItsParts) {
  const auto world = user_item_world();
  const auto sampler = make_sampler("mix:0.5*warp:tries=2+0.5*rns", world->context());
  ASSERT_TRUE(sampler->weighs_negatives());
  EXPECT_FALSE(sampler->weighs_pairs());
  std::set<float> weights;
  for (const float w : draw_many(*sampler, *world, {2, world->graph.neighbors(2)[0]}, 500).weights)
    weights.insert(w);
  EXPECT_TRUE(weights.contains(1.0F));
  EXPECT_GT(weights.size(), 1);
}

TEST(SamplerMix, SaysWhatIsWrong) {
  const auto world = user_item_world();
  for (const char* spec :
       {"mix", "mix:", "mix:0*rns", "mix:-1*rns+2*dns", "mix:0.5*+0.5*rns", "mix:0.5*nosuch",
        "mix:0.5*self-adversarial+0.5*rns", "mix:0.5*pinsage:mode=paper+0.5*rns",
        "mix:0.5*mix:0.5*rns", "mix:ramp=0,rns>dns", "mix:ramp=3,rns", "mix:ramp=x,rns>dns",
        "mix:ramp=3,rns>", "mix:0.5*dns:candidates=0+0.5*rns"})
    EXPECT_THROW(make_sampler(spec, world->context()), Error) << spec;
}

}  // namespace
}  // namespace mcns::sampler_test
