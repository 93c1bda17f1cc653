// The session that any training loop may use: draws, scores by a function, state that resumes.
#include "mcns/samplers/session.h"

#include "tests/graph_support.h"
#include "tests/test_io_files.h"
#include "tests/test_sampler_tools.h"

namespace mcns::sampler_test {
namespace {

std::vector<NodeId> ids_of(const Negatives& drawn) { return {drawn.ids.begin(), drawn.ids.end()}; }

std::vector<NodeId> sources_of(const Graph& graph) {
  std::vector<NodeId> out;
  for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u)
    if (graph.degree(u) > 0 && graph.degree(u) + 1 < graph.targets().size()) out.push_back(u);
  return out;
}

TEST(SamplerSession, DrawsKAllowedTargetsForEverySamplerAndTheSameForAnyThreads) {
  const auto world = user_item_world();
  const auto sources = sources_of(world->graph);
  for (const SamplerEntry& entry : builtin_samplers()) {
    if (entry.takes_text) continue;  // need an argument
    std::vector<NodeId> first;
    for (const int threads : {1, 3}) {
      ThreadPool pool(threads);
      SamplerSession session(world->graph, {.sampler = entry.name, .negatives = 3, .dim = 8}, pool);
      std::vector<NodeId> all;
      for (int call = 0; call < 3; ++call) {
        const Negatives drawn = session.draw(sources, {}, 3, world->scorer());
        ASSERT_EQ(drawn.ids.size(), sources.size() * 3) << entry.name;
        for (std::size_t i = 0; i < drawn.ids.size(); ++i) {
          ASSERT_TRUE(world->graph.targets().contains(drawn.ids[i])) << entry.name;
          if (drawn.weights.empty() || drawn.weights[i] > 0) {
            EXPECT_FALSE(world->graph.has_edge(sources[i / 3], drawn.ids[i])) << entry.name;
          }
        }
        all.insert(all.end(), drawn.ids.begin(), drawn.ids.end());
      }
      if (threads == 1) first = all;
      EXPECT_EQ(all, first) << entry.name;
    }
  }
}

/// The same scores by a function give the same draws as by tables.
TEST(SamplerSession, TakesScoresThatAreNoDotProducts) {
  const auto world = user_item_world();
  const auto sources = sources_of(world->graph);
  const Scorer tables = world->scorer();
  const ScoreFunction function = [&](NodeId u, const NodeId* nodes, int count, float* out) {
    tables(u, nodes, count, out);
  };
  const Scorer by_function{{}, {}, &kernels(), &function};
  for (const std::string sampler :
       {"dns", "warp", "exact", "mcns:form=exp,pool=0,steps=4", "self-adversarial"}) {
    const SessionOptions options{.sampler = sampler, .negatives = 2};
    SamplerSession a(world->graph, options, world->pool), b(world->graph, options, world->pool);
    for (int call = 0; call < 3; ++call)
      EXPECT_EQ(ids_of(a.draw(sources, {}, 2, tables)), ids_of(b.draw(sources, {}, 2, by_function)))
          << sampler;
    EXPECT_EQ(a.log_q(3, a.graph().targets().begin, tables).has_value(),
              b.log_q(3, b.graph().targets().begin, by_function).has_value());
  }
  // A pool is scored by one matrix product, which rounds otherwise: equal in what it prefers.
  const ScoreFunction likes_last = [&](NodeId, const NodeId* nodes, int count, float* out) {
    for (int i = 0; i < count; ++i) out[i] = static_cast<float>(nodes[i]);
  };
  const Scorer last{{}, {}, &kernels(), &likes_last};
  SamplerSession hard(world->graph, {.sampler = "mcns:form=exp"}, world->pool),
      easy(world->graph, {.sampler = "rns"}, world->pool);
  double high = 0, low = 0;
  for (int call = 0; call < 20; ++call) {
    for (const NodeId v : hard.draw(sources, {}, 1, last).ids) high += v;
    for (const NodeId v : easy.draw(sources, {}, 1, last).ids) low += v;
  }
  EXPECT_GT(high, 1.02 * low);
}

TEST(SamplerSession, ContinuesFromSavedState) {
  const auto world = user_item_world();
  const auto sources = sources_of(world->graph);
  for (const std::string sampler : {"mcns", "mcns:form=exp,steps=2", "rns", "kbgan"}) {
    const SessionOptions options{.sampler = sampler, .dim = 8};
    SamplerSession whole(world->graph, options, world->pool),
        cut(world->graph, options, world->pool), rest(world->graph, options, world->pool);
    for (int call = 0; call < 4; ++call) {
      whole.draw(sources, {}, 1, world->scorer());
      cut.draw(sources, {}, 1, world->scorer());
    }
    rest.load(cut.save());
    EXPECT_EQ(ids_of(whole.draw(sources, {}, 1, world->scorer())),
              ids_of(rest.draw(sources, {}, 1, world->scorer())))
        << sampler;
  }
  SamplerSession session(world->graph, {}, world->pool);
  std::string bytes = session.save();
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_TRUE(contains(error_of(ErrorKind::kData, [&] { session.load(bytes); }), "damaged"));
}

/// A generator that is told scores draws otherwise than one that is not; others ignore them.
TEST(SamplerSession, PassesScoresBackToSamplersThatLearn) {
  const auto world = user_item_world();
  const auto sources = sources_of(world->graph);
  for (const std::string sampler : {"kbgan", "irgan", "dns"}) {
    const SessionOptions options{.sampler = sampler, .negatives = 1, .dim = 8};
    SamplerSession told(world->graph, options, world->pool);
    SamplerSession untold(world->graph, options, world->pool);
    EXPECT_EQ(told.wants_feedback(), sampler != "dns");
    EXPECT_TRUE(contains(error_of(ErrorKind::kUsage, [&] { told.feedback({}); }), "nothing was"));
    bool differ = false;
    for (int call = 0; call < 300 && !differ; ++call) {
      const auto a = ids_of(told.draw(sources, {}, 1, world->scorer()));
      differ = differ || a != ids_of(untold.draw(sources, {}, 1, world->scorer()));
      std::vector<float> scores(2 * sources.size());
      for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = i % 2 == 0 ? 0.0F : 1.0F * i;
      told.feedback(scores);
    }
    EXPECT_EQ(differ, sampler != "dns") << sampler;
    EXPECT_TRUE(contains(error_of(ErrorKind::kUsage, [&] { told.feedback(std::vector<float>(3)); }),
                         "3 scores"));
  }
}

TEST(SamplerSession, RefusesWhatItCannotGive) {
  const auto world = user_item_world();
  SamplerSession session(world->graph, {.sampler = "pinsage:mode=paper,top=3"}, world->pool);
  const std::vector<NodeId> one = {3}, two = {3, 4}, item = {world->graph.targets().begin};
  const auto message = [&](std::span<const NodeId> sources, std::span<const NodeId> targets,
                           int k) {
    return error_of(ErrorKind::kUsage, [&] { session.draw(sources, targets, k, world->scorer()); });
  };
  EXPECT_TRUE(contains(message(one, {}, 2), "gives 25 negatives"));
  EXPECT_TRUE(contains(message(two, item, 25), "2 sources but 1 targets"));
  EXPECT_TRUE(contains(message(item, {}, 25), "source"));
  EXPECT_TRUE(contains(message(one, two, 25), "sources but"));
}

/// Pairs and negatives are views: a sampler reads and writes memory that it does not own.
TEST(SamplerViews, DrawIntoTheMemoryOfTheCaller) {
  const Graph graph = random_graph(GraphKind::kUndirected, 40, 120, 6);
  ThreadPool pool(1);
  Matrix vectors(40, 16);
  Rng rng(8, Domain::kTest);
  for (NodeId v = 0; v < 40; ++v)
    for (int i = 0; i < 16; ++i) vectors.row(v)[i] = static_cast<float>(rng.normal());
  const Scorer tables{vectors.view(), vectors.view()};
  for (const std::string name : {"rns", "dns", "mcns", "warp"}) {
    SamplerSession session(graph, {.sampler = name, .negatives = 2, .dim = 16}, pool);
    constexpr int kGuard = -7;
    const Pair pairs[] = {{0, graph.neighbors(0)[0]}, {3, graph.neighbors(3)[0]}};
    const std::uint64_t serials[] = {11, 12};
    const std::int32_t members[] = {0, 1};
    NodeId ids[] = {kGuard, kGuard, kGuard, kGuard, kGuard};
    float weights[4], pair_weights[2];
    session.begin_epoch(0, tables);
    const SampleRequest request{{1, 0, 0}, pairs, serials, members, tables};
    session.sampler().begin_batch(request);
    session.sampler().sample(request, {2, std::span(ids, 4), weights, pair_weights});
    for (int i = 0; i < 4; ++i) {
      EXPECT_TRUE(graph.targets().contains(ids[i])) << name;
      EXPECT_FALSE(graph.has_edge(pairs[i / 2].source, ids[i])) << name;
    }
    EXPECT_EQ(ids[4], kGuard) << name;
  }
}

}  // namespace
}  // namespace mcns::sampler_test
