// Which edges count, against slow and obvious definitions.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "mcns/core/rng.h"
#include "mcns/io/dataset.h"
#include "mcns/io/select_edges.h"

#include "tests/test_io_files.h"

namespace mcns {
namespace {

RawEdges random_edges(std::uint64_t trial, bool timed) {
  Rng rng(9, Domain::kTest, trial);
  RawEdges out;
  for (int i = 0; i < 60; ++i) {
    out.pairs.push_back({static_cast<NodeId>(rng.below(12)), static_cast<NodeId>(rng.below(12))});
    out.values.push_back(static_cast<float>(i));
    if (timed) out.times.push_back(static_cast<double>(rng.below(5)));
  }
  return out;
}

/// A node as neighbours count it: of the first or second column where these have sets of their own.
using Node = std::pair<int, NodeId>;

Pair joined(Pair pair, SameEdges same) {
  if (!same.two_sets && !same.directed && pair.target < pair.source)
    return {pair.target, pair.source};
  return pair;
}

/// Drops edges of nodes with few neighbours until there are none.
std::vector<float> slow_core(const RawEdges& edges, int k, SameEdges same) {
  std::vector<bool> keep(edges.pairs.size(), true);
  for (bool changed = true; changed;) {
    std::map<Node, std::set<Node>> neighbours;
    const auto ends = [&](Pair pair) {
      return std::pair(Node{0, pair.source}, Node{same.two_sets ? 1 : 0, pair.target});
    };
    for (std::size_t i = 0; i < keep.size(); ++i) {
      if (!keep[i]) continue;
      const auto [a, b] = ends(edges.pairs[i]);
      neighbours[a].insert(b);
      neighbours[b].insert(a);
    }
    changed = false;
    for (std::size_t i = 0; i < keep.size(); ++i) {
      const auto [a, b] = ends(edges.pairs[i]);
      const bool few = std::ssize(neighbours[a]) < k || std::ssize(neighbours[b]) < k;
      changed = changed || (keep[i] && few);
      keep[i] = keep[i] && !few;
    }
  }
  std::vector<float> out;
  for (std::size_t i = 0; i < keep.size(); ++i)
    if (keep[i]) out.push_back(edges.values[i]);
  return out;
}

TEST(SelectEdges, TheCoreIsThatOfTheSlowDefinition) {
  int partial = 0;
  for (std::uint64_t trial = 0; trial < 40; ++trial)
    for (const SameEdges same :
         {SameEdges{false, false}, SameEdges{false, true}, SameEdges{true, false}})
      for (const int k : {1, 3, 4, 5, 9}) {
        RawEdges edges = random_edges(trial, trial % 2 == 0);
        const std::vector<float> expected = slow_core(edges, k, same);
        const auto dropped = keep_core(edges, k, same);
        ASSERT_EQ(edges.values, expected) << trial << " " << k;
        EXPECT_EQ(dropped, 60 - std::ssize(expected));
        EXPECT_EQ(edges.times.size(), trial % 2 == 0 ? expected.size() : 0);
        partial += !expected.empty() && dropped > 0;
      }
  EXPECT_GT(partial, 20) << "the cases must be neither all nor nothing";
}

TEST(SelectEdges, TheLastIsThatOfTheSlowDefinition) {
  for (std::uint64_t trial = 0; trial < 40; ++trial)
    for (const bool timed : {false, true})
      for (const SameEdges same :
           {SameEdges{false, false}, SameEdges{false, true}, SameEdges{true, false}}) {
        RawEdges edges = random_edges(trial, timed);
        std::map<std::pair<NodeId, NodeId>, std::size_t> last;
        for (std::size_t i = 0; i < edges.pairs.size(); ++i) {
          const Pair key = joined(edges.pairs[i], same);
          const auto [at, is_new] = last.try_emplace({key.source, key.target}, i);
          if (!is_new && (!timed || edges.times[i] >= edges.times[at->second])) at->second = i;
        }
        std::set<float> expected;
        for (const auto& [key, i] : last) expected.insert(edges.values[i]);
        const auto dropped = keep_last(edges, same);
        EXPECT_EQ(std::set<float>(edges.values.begin(), edges.values.end()), expected);
        EXPECT_EQ(dropped, 60 - std::ssize(expected));
      }
}

TEST(SelectEdges, HeldOutFilesAreReadByTheSameColumns) {
  const ScratchFolder folder;
  ThreadPool pool(1);
  const DatasetFiles files{folder.write("train.csv",
                                        "day,thing,who,score\n1,x,ann,5\n2,y,bob,1\n"
                                        "3,y,ann,4\n"),
                           "", folder.write("test.csv", "thing,who\nx,bob\n"), ""};
  const LoadOptions options{.columns = "user=who,item=thing,time=day,rating=score",
                            .min_rating = 4};
  const Dataset data = load_dataset(files, Task::kRecommend, options, pool);
  EXPECT_EQ(data.graph.num_edges(), 2) << "of ann, with x and y";
  ASSERT_EQ(data.test.pairs.size(), 1U);
  EXPECT_EQ(data.names.name(data.test.pairs[0].source), "bob");
  EXPECT_EQ(data.names.name(data.test.pairs[0].target), "x");
  DatasetFiles rated = files;
  rated.test = folder.write("rated.csv", "who,thing,score\nbob,x,4\nbob,z,3\n");
  EXPECT_EQ(load_dataset(rated, Task::kRecommend, options, pool).test.pairs.size(), 1U);
  const DatasetFiles links{folder.write("t.csv", "a,b\nb,c\n"), "",
                           folder.write("l.csv", "y,from,to\n1,a,c\n0,b,a\n"), ""};
  const Dataset judged = load_dataset(links, Task::kLinkpred, {}, pool);
  EXPECT_EQ(judged.test.labels, (std::vector<std::uint8_t>{1, 0}));
}

TEST(SelectEdges, LabelsOutOfTheCoreAreDropped) {
  const ScratchFolder folder;
  ThreadPool pool(1);
  for (const bool numeric : {true, false}) {
    const std::string a = numeric ? "1" : "a", b = numeric ? "2" : "b", c = numeric ? "3" : "c",
                      tail = numeric ? "4" : "d", alone = numeric ? "5" : "e";
    const auto edges = folder.write("e.csv", a + "," + b + "\n" + b + "," + c + "\n" + c + "," + a +
                                                 "\n" + c + "," + tail + "\n");
    const auto labels = folder.write(
        "l.csv", a + ",x\n" + b + ",y\n" + b + ",x\n" + tail + ",y\n" + alone + ",y\n");
    const Dataset whole = load_dataset({edges, "", "", labels}, Task::kClassify, {}, pool);
    EXPECT_EQ(whole.graph.num_nodes(), 5);
    EXPECT_EQ(whole.labels.entries.size(), 5U);
    const Dataset core = load_dataset({edges, "", "", labels}, Task::kClassify, {.core = 2}, pool);
    EXPECT_EQ(core.graph.num_nodes(), 3);
    EXPECT_EQ(core.labels.entries.size(), 3U);
    EXPECT_EQ(core.report.nodes_unseen, 0);
    EXPECT_TRUE(contains(report_line(core.report.read), "; 2 labels dropped (out of the core)"));
    const auto none = folder.write("none.csv", tail + ",y\n");
    const auto what = error_of(ErrorKind::kData, [&] {
      load_dataset({edges, "", "", none}, Task::kClassify, {.core = 2}, pool);
    });
    EXPECT_TRUE(contains(what, "no node of the core has a label")) << what;
  }
}

TEST(SelectEdges, TheCoreIsRefusedBesideHeldOutFiles) {
  const ScratchFolder folder;
  ThreadPool pool(1);
  const auto edges = folder.write("e.csv", "1,2\n2,3\n");
  const auto what = error_of(ErrorKind::kUsage, [&] {
    load_dataset({edges, "", edges, ""}, Task::kLinkpred, {.core = 1}, pool);
  });
  EXPECT_TRUE(contains(what, "mcns data convert")) << what;
}

}  // namespace
}  // namespace mcns
