// How a graph file is read: words and their values, what is unset, what a format says.
#include <set>

#include <gtest/gtest.h>

#include "mcns/io/dataset.h"
#include "mcns/io/model_directory.h"
#include "mcns/io/npy.h"
#include "mcns/io/raw_edges.h"

#include "tests/test_io_files.h"

namespace mcns {
namespace {

std::string usage(const auto& action) { return error_of(ErrorKind::kUsage, action); }

TEST(LoadOptions, WordsBecomeValues) {
  const LoadOptions unset;
  EXPECT_EQ(unset.bipartite_kind(), Bipartite::kNone);
  EXPECT_EQ(unset.repeated(), Repeated::kMerge);
  EXPECT_EQ(unset.self_loops_kind(), SelfLoops::kDrop);
  EXPECT_EQ(unset.graph_kind(), GraphKind::kUndirected);
  EXPECT_EQ(unset.format_name(), "");
  for (const Bipartite kind : {Bipartite::kNone, Bipartite::kShared, Bipartite::kSeparate})
    EXPECT_EQ(LoadOptions{.bipartite = bipartite_word(kind)}.bipartite_kind(), kind);
  EXPECT_EQ(LoadOptions{.bipartite = "shared"}.graph_kind(), GraphKind::kBipartite);
  EXPECT_EQ(LoadOptions{.directed = true}.graph_kind(), GraphKind::kDirected);
  EXPECT_EQ(LoadOptions{.duplicates = "merge"}.repeated(), Repeated::kMerge);
  EXPECT_EQ(LoadOptions{.duplicates = "keep"}.repeated(), Repeated::kKeep);
  EXPECT_EQ(LoadOptions{.self_loops = "drop"}.self_loops_kind(), SelfLoops::kDrop);
  EXPECT_EQ(LoadOptions{.self_loops = "keep"}.self_loops_kind(), SelfLoops::kKeep);
}

TEST(LoadOptions, UnknownWordsNameTheKnownOnes) {
  EXPECT_EQ(usage([] { LoadOptions{.bipartite = "seperate"}.check(); }),
            "unknown value of --bipartite 'seperate'; did you mean 'separate'? known: none, "
            "shared, separate");
  EXPECT_EQ(usage([] { LoadOptions{.duplicates = "sum of both"}.check(); }),
            "unknown value of --duplicates 'sum of both'; known: merge, keep, last");
  EXPECT_EQ(usage([] { LoadOptions{.self_loops = "whatever"}.check(); }),
            "unknown value of --self-loops 'whatever'; known: drop, keep");
  const LoadOptions both{.bipartite = "shared", .directed = true};
  EXPECT_TRUE(contains(usage([&] { both.check(); }), "drop --directed or --bipartite"));
}

TEST(LoadOptions, ATaskDecidesWhatTheUserLeavesOpen) {
  EXPECT_EQ(for_task({}, Task::kRecommend).bipartite_kind(), Bipartite::kSeparate);
  EXPECT_EQ(for_task({}, Task::kLinkpred).bipartite, std::nullopt);
  EXPECT_EQ(for_task({}, Task::kRecommend, Bipartite::kShared).bipartite, "shared");
  EXPECT_EQ(for_task({}, Task::kClassify, Bipartite::kSeparate).bipartite, "separate");
  EXPECT_EQ(for_task({.bipartite = "none"}, Task::kLinkpred, Bipartite::kShared).bipartite, "none");
  EXPECT_EQ(for_task({.bipartite = "shared"}, Task::kRecommend).bipartite, "shared");
  EXPECT_TRUE(contains(usage([] { for_task({.bipartite = "none"}, Task::kRecommend); }),
                       "user-item graph"));
}

TEST(LoadOptions, SettledOnesAreAllSet) {
  // What has no default is not needed to read the file in the same way again.
  const std::set<std::string> free = {"columns", "min-rating", "core", "label-columns"};
  const auto expect_complete = [&](const LoadOptions& options) {
    for_each_load_option(options, [&](const char* name, const auto& value, const char*) {
      EXPECT_EQ(value.has_value(), !free.contains(name)) << name;
    });
  };
  RawEdges matrix;
  matrix.report.format = "mtx";
  const LoadOptions plain = settled({}, matrix, "a.mtx.gz");
  expect_complete(plain);
  EXPECT_EQ(plain.format, "mtx");
  EXPECT_EQ(plain.graph_kind(), GraphKind::kUndirected);

  RawEdges pairs;
  pairs.user_item = true;
  expect_complete(settled({}, pairs, "u.data"));
  EXPECT_EQ(settled({}, pairs, "u.data").bipartite, "separate");
  EXPECT_EQ(settled({.bipartite = "shared"}, pairs, "u.data").bipartite, "shared");
  EXPECT_TRUE(contains(usage([&] { settled({.bipartite = "none"}, pairs, "u.data"); }), "u.data"));

  RawEdges arcs;
  arcs.directed = true;
  EXPECT_EQ(settled({}, arcs, "a.bin").graph_kind(), GraphKind::kDirected);
  EXPECT_EQ(settled({.directed = false}, arcs, "a.bin").graph_kind(), GraphKind::kUndirected);
  EXPECT_EQ(settled({.bipartite = "shared"}, arcs, "a.bin").graph_kind(), GraphKind::kBipartite);
}

TEST(LoadOptions, CompletedKeepsWhatWasGiven) {
  const LoadOptions out = completed({.directed = false, .format = "mtx"},
                                    {.bipartite = "shared", .directed = true, .format = "edges"});
  EXPECT_EQ(out.bipartite, "shared");
  EXPECT_EQ(out.directed, false);
  EXPECT_EQ(out.duplicates, std::nullopt);
  EXPECT_EQ(out.format, "mtx");
}

TEST(LoadOptions, TheFormatHoldsForHeldOutFilesWithTheSameEnding) {
  const ScratchFolder folder;
  ThreadPool pool(1);
  DatasetFiles files{folder.write("train.txt", "0 10 11\n1 11 12\n"), "",
                     folder.write("test.txt", "0 12 13\n1 10 13\n"), ""};
  const LoadOptions lists{.format = "lightgcn"};
  const Dataset data = load_dataset(files, Task::kRecommend, lists, pool);
  EXPECT_EQ(data.graph.num_edges(), 4);
  EXPECT_EQ(data.test.pairs.size(), 4U);
  EXPECT_EQ(data.report.options.format, "lightgcn");
  EXPECT_EQ(data.report.options.bipartite, "separate");
  files.test = folder.write("test.tsv", "0\t12\n1\t10\n");
  EXPECT_EQ(load_dataset(files, Task::kRecommend, lists, pool).test.pairs.size(), 2U);
  files.test = folder.write("u.data", "0 12\n1 10\n");
  const LoadOptions text{.bipartite = "separate", .format = "edges"};
  EXPECT_EQ(load_dataset(files, Task::kRecommend, text, pool).test.pairs.size(), 2U);
}

TEST(LoadOptions, AreHonouredForTrainingEdgesOfForeignVectors) {
  const ScratchFolder folder;
  ThreadPool pool(1);
  const auto path = folder.path("theirs");
  std::filesystem::create_directories(path);
  write_npy(path + "/embeddings.npy", Matrix(3, 2).view());
  folder.write("theirs/nodes.tsv", "row\tid\tkind\n0\t1\tnode\n1\t2\tnode\n2\t3\tnode\n");
  const auto train = folder.write("train.txt", "1 2 3\n2 2 2\n");
  const auto load = [&](const LoadOptions& options) {
    return load_model_directory(path, train, options, pool).graph;
  };
  EXPECT_EQ(load({}).num_edges(), 1);
  EXPECT_EQ(load({.format = "lightgcn"}).num_edges(), 2);
  EXPECT_EQ(load({.self_loops = "keep", .format = "lightgcn"}).num_edges(), 3);
  EXPECT_EQ(load({.duplicates = "keep", .self_loops = "keep", .format = "lightgcn"}).num_edges(),
            4);
  EXPECT_TRUE(load({.directed = true}).is_directed());
  EXPECT_TRUE(contains(usage([&] { load({.bipartite = "shared"}); }), "one set of nodes"));
}

}  // namespace
}  // namespace mcns
