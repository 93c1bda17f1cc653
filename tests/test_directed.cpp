// Link prediction on directed graphs: windows that look forward, scores of ordered pairs, and
// graphs in which direction is all there is.
#include <map>
#include <set>

#include "tests/graph_support.h"
#include "tests/run_binary.h"

namespace mcns {
namespace {

/// A ring whose arcs lead 1, 2, 3, 5 and 8 nodes on; a fifth of those beyond the first is held out.
struct RingFiles {
  RingFiles(const ScratchFolder& folder, int nodes) {
    Rng rng(7, Domain::kTest);
    std::string edges, held_out, inverted;
    for (int i = 0; i < nodes; ++i)
      for (const int step : {1, 2, 3, 5, 8}) {
        const int to = (i + step) % nodes;
        if (step == 1 || rng.below(5) > 0) {
          edges += fmt::format("v{}\tv{}\n", i, to);
        } else {
          held_out += fmt::format("v{}\tv{}\t1\nv{}\tv{}\t0\n", i, to, to, i);
          inverted += fmt::format("v{}\tv{}\t0\nv{}\tv{}\t1\n", i, to, to, i);
        }
      }
    train = folder.write("ring.tsv", edges);
    reversed = folder.write("reversed.tsv", held_out);
    wrong = folder.write("wrong.tsv", inverted);
  }
  std::string train, reversed, wrong;
};

const std::string kRun = "run --task linkpred --directed --seed 3 --quiet --train ";

TEST(Directed, ARingIsLearnedInItsDirection) {
  const ScratchFolder folder;
  const RingFiles ring(folder, 400);
  EXPECT_GE(run_for_json(folder, kRun + ring.train)["test"]["auc"], 0.95);
  EXPECT_GE(run_for_json(folder, kRun + ring.train + " --test " + ring.reversed)["test"]["auc"],
            0.95);
}

/// Arcs lead from a group of nodes to the next group: (a, b) says nothing about (b, a).
TEST(Directed, GroupsThatFollowEachOtherAreLearned) {
  const ScratchFolder folder;
  constexpr int kNodes = 400, kGroups = 10;
  Rng rng(3, Domain::kTest);
  std::set<std::pair<int, int>> arcs;
  for (int i = 0; i < kNodes; ++i)
    for (int draw = 0; draw < 10; ++draw)
      arcs.insert({i, (i + 1) % kGroups + kGroups * static_cast<int>(rng.below(kNodes / kGroups))});
  std::string train, test;
  for (const auto& [a, b] : arcs) {
    if (rng.below(5) > 0)
      train += fmt::format("{} {}\n", a, b);
    else if (!arcs.contains({b, a}))
      test += fmt::format("{} {} 1\n{} {} 0\n", a, b, b, a);
  }
  const auto file = folder.write("flow.tsv", train);
  EXPECT_GE(run_for_json(folder, kRun + file)["test"]["auc"], 0.8);
  EXPECT_GE(
      run_for_json(folder, kRun + file + " --test " + folder.write("rev.tsv", test))["test"]["auc"],
      0.9);
}

/// All pairs of an earlier and a later node, and no others: enumerated from windows to both sides.
TEST(Directed, ForwardWindowsHaveHalfOfThePairs) {
  const Graph graph = random_graph(GraphKind::kDirected, 30, 120, 4);
  const std::string walks = "walks:walks=3,length=6,window=2,shrink=false";
  const auto all = whole_epoch(graph, walks, {1, 0}, 1 << 20).pairs;
  const auto forward = whole_epoch(graph, walks + ",forward=true", {1, 0}, 1 << 20).pairs;
  EXPECT_EQ(2 * forward.size(), all.size());
  std::map<std::pair<NodeId, NodeId>, int> both, twice;
  for (const auto [u, v] : all) ++both[{u, v}];
  for (const auto [u, v] : forward) {
    ++twice[{u, v}];
    ++twice[{v, u}];
    bool leads = graph.has_edge(u, v);
    for (const NodeId middle : graph.neighbors(u)) leads = leads || graph.has_edge(middle, v);
    EXPECT_TRUE(leads) << u << " " << v;
  }
  EXPECT_EQ(both, twice);
}

TEST(Directed, ForwardWindowsFillBatchesAsLargeAsAskedFor) {
  const Graph ring = [] {
    ThreadPool pool(1);
    EdgeList edges;
    for (NodeId v = 0; v < 500; ++v) edges.pairs.push_back({v, (v + 1) % 500});
    return build_graph(std::move(edges), 500, {GraphKind::kDirected}, pool);
  }();
  ThreadPool pool(1);
  const auto positives = make_positives(
      "walks:walks=10,length=40,window=5,shrink=false,forward=true", {ring, 2000, pool});
  PairBuffer batch;
  positives->fill({1, 0, 0}, pool, batch);
  EXPECT_NEAR(static_cast<double>(batch.pairs.size()), 2000, 200);
  EXPECT_LE(static_cast<std::int64_t>(batch.pairs.size()), positives->most_pairs());
}

TEST(Directed, DefaultsAreInThePlanAndTheUsersWordWins) {
  const ScratchFolder folder;
  const RingFiles ring(folder, 50);
  const auto value = [&](const std::string& flags, const char* name) {
    return run_for_json(folder, kRun + ring.train + " --plan " + flags)["settings"][name]["value"];
  };
  EXPECT_EQ(value("", "scores"), "in-out");
  EXPECT_EQ(value("", "tables"), 2);
  EXPECT_EQ(value("", "positives.forward"), true);
  EXPECT_EQ(value("", "reciprocal"), "apart");
  EXPECT_EQ(value("--positives node2vec:forward=false", "positives.forward"), false);
  EXPECT_EQ(value("--scores in-in", "scores"), "in-in");
  EXPECT_EQ(value("--directed=false", "positives.forward"), false);
  EXPECT_EQ(value("--directed=false", "positives.window"), 20);
}

TEST(Directed, AValidationAucBelowOneHalfWarns) {
  const ScratchFolder folder;
  const RingFiles ring(folder, 200);
  const std::string files = kRun + ring.train + " --test " + ring.reversed + " --valid ";
  const auto warned = run_mcns(folder, files + ring.wrong);
  EXPECT_EQ(warned.code, 0);
  EXPECT_TRUE(contains(warned.err, "below 0.5")) << warned.err;
  EXPECT_EQ(std::count(warned.err.begin(), warned.err.end(), '\n'), 1);
  EXPECT_EQ(run_mcns(folder, files + ring.reversed).err, "");
}

TEST(Directed, AnEncoderWithoutDirectionSaysSo) {
  const ScratchFolder folder;
  const RingFiles ring(folder, 100);
  const auto done = run_mcns(folder, kRun + ring.train + " --model gcn --epochs 1");
  EXPECT_EQ(done.code, 0);
  EXPECT_TRUE(contains(done.err, "both directions")) << done.err;
}

}  // namespace
}  // namespace mcns
