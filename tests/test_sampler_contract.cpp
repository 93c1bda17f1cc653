// What every sampler of the registry must do, whatever its distribution.
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "mcns/core/error.h"
#include "mcns/plan/options.h"
#include "mcns/samplers/registry.h"
#include "mcns/train/trainer.h"

#include "test_sampler_tools.h"
#include "tests/paths.h"

namespace mcns::sampler_test {
namespace {

const std::string kFolder = std::string(kTestScratch) + "/sampler_contract";

/// Every sampler by its defaults, and variants that take other paths.
std::vector<std::string> all_specs() {
  std::vector<std::string> out;
  for (const Component& info : builtin_samplers()) {
    if (info.name == "file")
      out.push_back("file:" + kFolder + "/list.tsv");
    else if (info.name == "mix")
      out.push_back("mix:0.3*dns:candidates=3+0.3*kbgan:candidates=8+0.4*rns");
    else
      out.push_back(info.name);
  }
  for (const char* spec :
       {"degree:power=-1", "wrmf:scheme=item", "wrmf:scheme=user", "pinsage:mode=paper,top=3",
        "warp:tries=3,margin=0", "dns:candidates=40", "exact:form=paper", "exact:form=quantile",
        "mcns:form=exp", "mcns:form=paper", "mix:ramp=2,0.5*rns+0.5*degree>irgan",
        "mix:0.5*warp+0.5*mcns", "mix:0.5*in-batch+0.5*irgan"})
    out.emplace_back(spec);
  return out;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : info.param.starts_with("file") ? std::string("file") : info.param)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

/// Everything a run of batches produced.
struct Trace {
  std::vector<NodeId> ids;
  std::vector<float> weights;
  friend bool operator==(const Trace&, const Trace&) = default;
};

class Batches {
 public:
  Batches(World& world, const std::string& spec, int k, int threads)
      : world_(world),
        pool_(threads),
        sampler_(make_sampler(spec, context(k))),
        k_(sampler_->negatives_per_positive(k)),
        sampling_(*sampler_, k_, world.graph.num_nodes(), pool_) {}

  /// Batches [from, to), three an epoch, with feedback as in training.
  Trace run(int from, int to) {
    Trace out;
    for (int b = from; b < to; ++b) {
      const BatchKey key{9, b / 3, b % 3};
      const PairBuffer batch = edge_batch(world_.graph, std::size_t(b) * 300, 300);
      if (b % 3 == 0) sampler_->begin_epoch(key.epoch, world_.scorer(), pool_);
      sampling_.run(key, batch, world_.scorer());
      const Negatives& drawn = sampling_.negatives();
      if (sampling_.wants_feedback()) sampling_.feedback(key, batch, scores(batch, drawn));
      out.ids.insert(out.ids.end(), drawn.ids.begin(), drawn.ids.end());
      out.weights.insert(out.weights.end(), drawn.weights.begin(), drawn.weights.end());
      out.weights.insert(out.weights.end(), drawn.pair_weights.begin(), drawn.pair_weights.end());
      check(batch, drawn);
    }
    return out;
  }
  NegativeSampler& sampler() { return *sampler_; }

 private:
  SamplerContext context(int k) {
    SamplerContext context = world_.context(k);
    return {context.graph, context.exclusion, context.dim, k, context.seed, pool_, context.names};
  }

  std::vector<float> scores(const PairBatch& batch, const Negatives& drawn) const {
    std::vector<float> out;
    for (std::size_t i = 0; i < batch.pairs.size(); ++i) {
      const auto [u, v] = batch.pairs[i];
      out.push_back(world_.score(u, v));
      for (int j = 0; j < drawn.k; ++j) out.push_back(world_.score(u, drawn.ids[i * drawn.k + j]));
    }
    return out;
  }

  void check(const PairBatch& batch, const Negatives& drawn) const {
    ASSERT_EQ(drawn.ids.size(), batch.pairs.size() * k_);
    for (std::size_t at = 0; at < drawn.ids.size(); ++at) {
      const NodeId source = batch.pairs[at / k_].source, v = drawn.ids[at];
      ASSERT_TRUE(world_.graph.targets().contains(v)) << v;
      if (world_.exclusion.filter() == Filter::kNone) continue;
      ASSERT_NE(v, source);
      ASSERT_FALSE(world_.graph.has_edge(source, v)) << source << " " << v;
    }
    for (const float w : drawn.weights) ASSERT_TRUE(std::isfinite(w) && w >= 0) << w;
    for (const float w : drawn.pair_weights) ASSERT_TRUE(std::isfinite(w) && w >= 0) << w;
  }

  World& world_;
  ThreadPool pool_;
  std::unique_ptr<NegativeSampler> sampler_;
  int k_;
  PairSampling sampling_;
};

class SamplerContract : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!GetParam().starts_with("file:")) return;
    // Lists for some sources, by names that hold in both worlds.
    std::filesystem::create_directories(kFolder);
    const std::string path = GetParam().substr(5), draft = path + std::to_string(getpid());
    std::ofstream(draft) << "# negatives\nn0\tn22\tn23\nn1\tn23\tn21\tn9\nn2\tn20\n";
    std::filesystem::rename(draft, path);
  }
};
INSTANTIATE_TEST_SUITE_P(Registry, SamplerContract, testing::ValuesIn(all_specs()), test_name);

// Source 0 has a single allowed target in both worlds: exactly k come back, none a positive.
TEST_P(SamplerContract, GivesExactlyKAllowedTargets) {
  for (const auto& world : {user_item_world(), node_world()})
    for (const int k : {1, 4}) {
      Batches run(*world, GetParam(), k, 1);
      run.run(0, 3);
    }
}

TEST_P(SamplerContract, WorksWithoutExclusion) {
  for (const auto& world : {user_item_world(Filter::kNone), node_world(Filter::kNone)})
    Batches(*world, GetParam(), 2, 1).run(0, 3);
}

TEST_P(SamplerContract, SameBitsForAnyNumberOfThreads) {
  for (const auto& world : {user_item_world(), node_world()}) {
    const Trace one = Batches(*world, GetParam(), 3, 1).run(0, 5);
    for (const int threads : {1, 2, 3, 7})
      EXPECT_EQ(Batches(*world, GetParam(), 3, threads).run(0, 5), one) << threads;
  }
}

// In the middle of an epoch: begin_epoch is not called again after a resume.
TEST_P(SamplerContract, ContinuesFromACheckpoint) {
  const auto world = user_item_world();
  Batches whole(*world, GetParam(), 2, 2);
  whole.run(0, 4);
  MemoryArchive archive;
  whole.sampler().visit_state(archive);
  archive.rewind();
  Batches resumed(*world, GetParam(), 2, 2);
  resumed.sampler().visit_state(archive);
  EXPECT_TRUE(archive.at_end());
  EXPECT_EQ(resumed.run(4, 8), whole.run(4, 8));
}

TEST_P(SamplerContract, DeclaresADistributionThatSumsToOne) {
  const auto world = user_item_world();
  const auto sampler = make_sampler(GetParam(), world->context());
  for (const NodeId source : {0, 1, 5}) {
    const auto first = sampler->log_q(source, 8, world->scorer());
    if (!first) GTEST_SKIP() << "has no log q";
    double total = 0;
    for (const auto& [v, p] : declared_distribution(*sampler, *world, source)) {
      total += p;
      if (world->exclusion.excluded(source, v)) {
        EXPECT_EQ(p, 0) << v;
      }
    }
    if (first->exact) {
      EXPECT_NEAR(total, 1, 1e-5) << source;
    }
  }
}

TEST_P(SamplerContract, DrawsFromTheDistributionItDeclares) {
  for (const auto& world : {user_item_world(), node_world()}) {
    const auto sampler = make_sampler(GetParam(), world->context());
    const auto first = sampler->log_q(2, world->graph.targets().begin, world->scorer());
    if (!first || !first->exact || sampler->negatives_per_positive(1) != 1)
      GTEST_SKIP() << "has no exact log q";
    for (const NodeId source : {0, 2, 3}) {
      const Pair pair{source, world->graph.neighbors(source)[0]};
      const NegativesBuffer drawn = draw_many(*sampler, *world, pair);
      EXPECT_GT(chi_square(declared_distribution(*sampler, *world, source), count(drawn.ids)),
                kErrorRate)
          << source;
    }
  }
}

TEST_P(SamplerContract, TrainsThroughTheTrainer) {
  const auto world = user_item_world();
  TrainOptions options;
  options.sampler = GetParam();
  options.dim = 8;
  options.epochs = 3;
  options.batch = 16;
  Trainer trainer(make_plan(options, Task::kRecommend, world->graph), 1, world->graph, nullptr,
                  world->pool, {.names = &world->names});
  EXPECT_TRUE(trainer.run({}));
  EXPECT_TRUE(std::isfinite(trainer.totals().loss));
  EXPECT_GT(trainer.totals().pairs, 0);
}

TEST(SamplerRegistry, NamesUnknownParameters) {
  const auto world = user_item_world();
  EXPECT_THROW(make_sampler("dns:candidate=5", world->context()), Error);
  EXPECT_THROW(make_sampler("dns:candidates=0", world->context()), Error);
  EXPECT_THROW(make_sampler("dnss", world->context()), Error);
  EXPECT_THROW(make_sampler("rns:power=1", world->context()), Error);
}

}  // namespace
}  // namespace mcns::sampler_test
