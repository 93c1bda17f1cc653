// Watching a source, the figures made of its draws, and `mcns explain`.
#include "mcns/model/frozen_model.h"
#include "mcns/report/explain_page.h"
#include "mcns/report/svg.h"
#include "mcns/samplers/registry.h"
#include "mcns/theory/explain.h"

#include "tests/run_binary.h"
#include "tests/train_support.h"

namespace mcns {
namespace {

/// Trains with the source watched.
Tables train_watched(const ShortRun& setup, const Graph& graph, Watch& watch) {
  ThreadPool pool(setup.threads);
  Trainer trainer(setup.plan(graph), setup.seed, graph, nullptr, pool, {.negatives = &watch});
  trainer.run({});
  return Tables(trainer.scores_view());
}

TEST(Watch, ChangesNoBit) {
  const Graph graph = random_graph(GraphKind::kBipartite, 120, 500, 2);
  for (const auto& sampler : builtin_samplers()) {
    if (sampler.name == "file" || sampler.name == "mix") continue;  // need an argument
    ShortRun setup;
    setup.options.sampler = sampler.name;
    setup.threads = 3;
    Watch watch(graph, Filter::kTrain, 3);
    EXPECT_EQ(train_watched(setup, graph, watch), setup.train(graph)) << sampler.name;
    const auto pairs = static_cast<std::size_t>(graph.degree(3)) * *setup.options.epochs;
    if (sampler.name != "warp" && sampler.name != "pinsage")
      EXPECT_EQ(watch.draws().size() % pairs, 0U) << sampler.name;
    EXPECT_FALSE(watch.draws().empty()) << sampler.name;
    for (const auto& draw : watch.draws()) {
      EXPECT_FALSE(graph.has_edge(3, draw.negative)) << sampler.name;
      EXPECT_GT(draw.weight, 0) << sampler.name;
    }
  }
}

/// Chains and pools are those of a piece, so the watched run must cut the same pieces.
TEST(Watch, ChangesNoBitOfChainsThatWalk) {
  const Graph graph = random_graph(GraphKind::kBipartite, 400, 6000, 2);
  for (const std::string sampler : {"mcns", "mcns:form=exp,steps=4,pool=8"}) {
    ShortRun setup;
    setup.options.sampler = sampler;
    setup.options.batch = 2048;
    setup.threads = 2;
    Watch watch(graph, Filter::kTrain, 3);
    EXPECT_EQ(train_watched(setup, graph, watch), setup.train(graph)) << sampler;
    EXPECT_FALSE(watch.draws().empty());
  }
}

TEST(Watch, SeesTheWeightsOfTheLogQCorrection) {
  const Graph graph = random_graph(GraphKind::kBipartite, 120, 500, 2);
  ShortRun setup;
  setup.options.loss = "softmax";
  setup.options.log_q = "on";
  Watch watch(graph, Filter::kTrain, 3);
  train_watched(setup, graph, watch);
  ASSERT_FALSE(watch.draws().empty());
  const auto allowed = static_cast<float>(watch.allowed().size());
  for (const auto& draw : watch.draws())
    EXPECT_NEAR(draw.weight, allowed / static_cast<float>(setup.options.negatives->count), 1e-3F);
}

/// Five targets with scores 0, 1, 2, 2, 3 and one that is a positive.
struct SmallWorld {
  Graph graph = make_graph({{0, 6}}, 7, {.kind = GraphKind::kBipartite, .users = 1});
  Matrix table{7, 1};
  SmallWorld() {
    const float values[] = {1, 0, 1, 2, 2, 3, 9};
    for (NodeId v = 0; v < 7; ++v) *table.row(v) = values[v];
  }
  Scorer scorer() const { return {table.view(), table.view()}; }
};

TEST(Watch, PlacesADrawAmongTheAllowedTargets) {
  const SmallWorld world;
  Watch watch(world.graph, Filter::kTrain, 0);
  EXPECT_EQ(watch.allowed(), (std::vector<NodeId>{1, 2, 3, 4, 5}));
  const std::vector<Pair> pairs = {{0, 6}, {0, 6}};
  const std::vector<std::uint64_t> names = {0, 1};
  const std::vector<std::int32_t> members = {0, 1};
  NegativesBuffer drawn{3, {1, 3, 5, 2, 2, 2}, {}, {0.5F, 0}};
  watch.record({{1, 4, 0}, pairs, names, members, world.scorer()}, drawn);
  ASSERT_EQ(watch.draws().size(), 3U) << "a skipped pair has no negatives";
  EXPECT_DOUBLE_EQ(watch.draws()[0].quantile, 0.1);
  EXPECT_DOUBLE_EQ(watch.draws()[1].quantile, 0.6) << "a tie of two";
  EXPECT_DOUBLE_EQ(watch.draws()[2].quantile, 0.9);
  EXPECT_EQ(watch.draws()[1].score, 2);
  EXPECT_EQ(watch.draws()[1].weight, 0.5F);
  EXPECT_EQ(watch.draws()[1].epoch, 4);
}

TEST(Explain, FiguresOfKnownDraws) {
  const SmallWorld world;
  Watch watch(world.graph, Filter::kTrain, 0);
  const std::vector<Pair> pairs = {{0, 6}};
  const std::vector<std::uint64_t> names = {0};
  const std::vector<std::int32_t> members = {0};
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    NegativesBuffer drawn{2, {5, epoch < 2 ? 5 : 1}, {}, {}};
    watch.record({{1, epoch, 0}, pairs, names, members, world.scorer()}, drawn);
  }
  ExplainOptions options;
  options.sampler = "mcns:pool=8";
  options.chain = true;
  options.held_out = std::vector<NodeId>{1, 6};
  options.bands = 2;
  const Explanation e = explain(watch, world.graph, options);
  ASSERT_EQ(e.bands.size(), 2U);
  EXPECT_EQ(e.bands[0].last_epoch, 2);
  EXPECT_EQ(e.bands[1].first_epoch, 3);
  EXPECT_NEAR(e.bands[0].hardness, 0.9, 1e-12);
  EXPECT_NEAR(e.bands[1].hardness, 0.5, 1e-12);
  EXPECT_EQ(e.bands[1].distinct, 2);
  EXPECT_NEAR(e.bands[1].held_out, 0.5, 1e-12);
  EXPECT_EQ(*e.held_out, 1) << "a training positive is no false negative";
  EXPECT_NEAR(e.held_out_uniform, 0.2, 1e-12);
  EXPECT_EQ(e.bands[0].chain->moved, 0);
  EXPECT_EQ(e.bands[0].chain->effective, 1) << "a chain that stands still";
  EXPECT_EQ(e.bands[1].chain->moved, 1);
  ASSERT_EQ(e.top.size(), 2U);
  EXPECT_EQ(e.top[0].node, 5);
  EXPECT_EQ(e.top[0].draws, 6);
  EXPECT_DOUBLE_EQ(e.top[0].rank, 1);
  EXPECT_TRUE(e.top[1].held_out);
  options.sampler = "rns";
  options.chain = false;
  EXPECT_FALSE(explain(watch, world.graph, options).all.chain);
}

TEST(Explain, HeldOutPairsCountAtEitherEndUnlessDirected) {
  const HeldOut set{{{0, 1}, {2, 0}, {0, 3}}, {1, 1, 0}};
  const auto of = [&](GraphKind kind) {
    return held_out_targets(make_graph({{0, 4}}, 5, {.kind = kind}), 0, {&set});
  };
  EXPECT_EQ(of(GraphKind::kUndirected), (std::vector<NodeId>{1, 2}));
  EXPECT_EQ(of(GraphKind::kDirected), (std::vector<NodeId>{1}));
}

TEST(Plot, TicksAndText) {
  EXPECT_EQ(axis_ticks({"", 0, 1}), (std::vector<double>{0, 0.2, 0.4, 0.2 * 3, 0.8, 1}));
  EXPECT_EQ(axis_ticks({"", 1, 10000, true}), (std::vector<double>{1, 10, 100, 1000, 10000}));
  Plot plot("a < b", {"x", 1, 100, true}, {"y"});
  plot.points(std::vector<PlotPoint>{{10, 0.5}, {1000, 0.5}, {10, NAN}}, Tone::kFirst);
  const std::string svg = plot.svg();
  EXPECT_TRUE(contains(svg, "a &lt; b"));
  EXPECT_TRUE(contains(svg, "<circle"));
  EXPECT_EQ(svg.find("<circle"), svg.rfind("<circle")) << "what lies outside is not drawn";
  EXPECT_FALSE(contains(svg, "nan"));
}

/// 30 users with 6 items each of 40; user a is linked to item i0.
std::string ratings() {
  std::string text = "a i0\na i1\n";
  for (int u = 0; u < 30; ++u)
    for (int i = 0; i < 6; ++i) text += fmt::format("u{} i{}\n", u, (u * 7 + i * i) % 40);
  return text;
}

TEST(ExplainCommand, WatchesARunAndAModel) {
  const ScratchFolder folder;
  const auto train = folder.write("train.tsv", ratings());
  const auto valid = folder.write("valid.tsv", "a i2\nu3 i39\n");
  const auto test = folder.write("test.tsv", "a i3\nu4 i38\n");
  const std::string run = fmt::format(
      "--task recommend --train {} --valid {} --test {} --epochs 6 --dim 8 --patience 0 "
      "--sampler mcns:hardness=5 ",
      train, valid, test);
  const auto done = run_for_json(folder, "explain a --quiet --html " + folder.path("a.html") +
                                             " --out " + folder.path("model") + " " + run);
  EXPECT_EQ(done.at("node"), "a");
  EXPECT_EQ(done.at("degree"), 2);
  EXPECT_EQ(done.at("allowed"), 38);
  EXPECT_EQ(done.at("held_out_positives"), 2);
  EXPECT_EQ(done.at("bands").size(), 6U);
  EXPECT_TRUE(done.at("all").contains("moved"));
  const std::string page = content_of(folder.path("a.html"));
  EXPECT_TRUE(contains(page, "</html>"));
  // On a narrow page rows become lists, so every cell has the name of its column.
  EXPECT_TRUE(contains(page, "@media (max-width: 46rem)"));
  EXPECT_TRUE(contains(page, "content: attr(data-name)"));
  EXPECT_TRUE(contains(page, "<td class=\"number\" data-name=\"draws\">"));
  EXPECT_FALSE(contains(page, "<td>")) << "a cell without its name";
  for (const char* outside : {"http", "<script", "src="}) EXPECT_FALSE(contains(page, outside));

  const auto plain = run_mcns(folder, "run --quiet --out " + folder.path("plain") + " " + run);
  ASSERT_EQ(plain.code, 0) << plain.err;
  EXPECT_EQ(content_of(folder.path("model/embeddings.npy")),
            content_of(folder.path("plain/embeddings.npy")));

  const std::string from = "explain a --from " + folder.path("model") + " --rounds 50 ";
  const auto hard = run_for_json(folder, from + "--sampler dns:candidates=20 --test " + test);
  EXPECT_EQ(hard.at("all").at("draws").get<int>() % 100, 0);
  EXPECT_GT(hard.at("all").at("hardness"), 0.8);
  EXPECT_EQ(hard.at("held_out_positives"), 1);
  const auto uniform = run_for_json(folder, from + "--sampler rns");
  EXPECT_NEAR(uniform.at("all").at("hardness"), 0.5, 0.1);
  EXPECT_FALSE(uniform.contains("held_out_positives"));
  expect_failure(folder, from + "--sampler kbgan", 2, "generator");
}

TEST(ExplainCommand, NodesThatGetNoNegatives) {
  const ScratchFolder folder;
  const auto train = folder.write("train.tsv", ratings());
  const auto test = folder.write("test.tsv", "new i3\n");
  const std::string run =
      fmt::format(" --task recommend --train {0} --valid {1} --test {1} --epochs 1", train, test);
  expect_failure(folder, "explain nobody" + run, 2, "no user 'nobody'");
  expect_failure(folder, "explain i0" + run, 2, "'i0' is an item");
  expect_failure(folder, "explain new" + run, 2, "no training edges");
  expect_failure(folder, "explain a", 2, "--task");
  expect_failure(folder, "explain a --from " + folder.path("none"), 4, "none");
}

}  // namespace
}  // namespace mcns
