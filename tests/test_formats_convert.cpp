// Every format through the loader and back: what goes in is in the graph, what is saved comes back.
#include <algorithm>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "mcns/io/dataset.h"
#include "mcns/io/graph_file.h"
#include "mcns/io/input.h"
#include "mcns/io/read_edges.h"
#include "mcns/io/text_file.h"

#include "tests/test_io_files.h"

namespace mcns {
namespace {

/// Edges by name, so that graphs with other row orders compare. Users and items are distinct.
using NamedEdge = std::tuple<std::string, std::string, float>;

std::multiset<NamedEdge> named_edges(const NamedGraph& loaded) {
  std::multiset<NamedEdge> out;
  const auto edges = edge_list(loaded.graph);
  for (std::size_t i = 0; i < edges.pairs.size(); ++i) {
    auto u = loaded.names.name(edges.pairs[i].source), v = loaded.names.name(edges.pairs[i].target);
    if (loaded.graph.kind() == GraphKind::kUndirected && v < u) std::swap(u, v);
    out.insert({u, v, edges.weights.empty() ? 1.0F : edges.weights[i]});
  }
  return out;
}

struct Case {
  std::string file, content, format;
  bool directed = false;
  GraphKind kind = GraphKind::kUndirected;
  NodeId nodes = 0;
  std::multiset<NamedEdge> edges;
};

const std::string kBanner = "%%MatrixMarket matrix coordinate ";
const std::string kReview = R"({"reviewerID": "A,1", "asin": "x \"y\"", "overall": 2.5})"
                            "\n"
                            R"({"reviewerID": "A,1", "asin": "%b", "overall": 1.0})";

const std::vector<Case>& cases() {
  using enum GraphKind;
  static const std::vector<Case> kCases = {
      {"g.mtx",
       kBanner + "pattern symmetric\n4 4 2\n2 1\n3 1\n",
       "",
       false,
       kUndirected,
       4,
       {{"1", "2", 1}, {"1", "3", 1}}},
      {"g.mtx",
       kBanner + "real symmetric\n3 3 2\n2 1 4\n3 3 2\n",
       "",
       true,
       kDirected,
       3,
       {{"1", "2", 4}, {"2", "1", 4}}},
      {"g.mtx",
       kBanner + "real general\n2 3 2\n1 3 0.25\n1 1 1\n",
       "",
       false,
       kBipartite,
       5,
       {{"1", "1", 1}, {"1", "3", 1}}},
      {"u.data",
       "5\t5\t3\t1\n6\t5\t4\t1\n",
       "",
       false,
       kBipartite,
       3,
       {{"5", "5", 1}, {"6", "5", 1}}},
      {"reviews.json",
       kReview,
       "",
       false,
       kBipartite,
       3,
       {{"A,1", "x \"y\"", 1}, {"A,1", "%b", 1}}},
      {"train.txt",
       "0 1 2\n1\n2 0\n",
       "lightgcn",
       false,
       kBipartite,
       6,
       {{"0", "1", 1}, {"0", "2", 1}, {"2", "0", 1}}},
      {"g.tsv",
       "a\tb\nb\tc\nb\ta\n",
       "",
       true,
       kDirected,
       3,
       {{"a", "b", 1}, {"b", "a", 1}, {"b", "c", 1}}},
      {"g.csv",
       "source,target,weight\n\"a,b\",c,2\n",
       "",
       false,
       kUndirected,
       2,
       {{"a,b", "c", 2}}},
  };
  return kCases;
}

NamedGraph load(const std::string& path, const LoadOptions& options) {
  ThreadPool pool(2);
  return load_graph(path, options, pool);
}

TEST(Convert, EveryFormatLoadsAndComesBack) {
  for (const auto& test : cases()) {
    SCOPED_TRACE(test.content);
    const ScratchFolder folder;
    LoadOptions options;
    options.directed = test.directed;
    if (!test.format.empty()) options.format = test.format;
    const auto graph = load(folder.write(test.file, test.content), options);
    EXPECT_EQ(graph.graph.kind(), test.kind);
    EXPECT_EQ(graph.graph.num_nodes(), test.nodes);
    EXPECT_EQ(named_edges(graph), test.edges);

    save_graph(folder.path("out.bin"), graph.graph, graph.names, graph.counts);
    const auto binary = load(folder.path("out.bin"), {});
    EXPECT_EQ(binary.graph.kind(), test.kind);
    EXPECT_EQ(binary.graph.num_nodes(), test.nodes);
    EXPECT_EQ(named_edges(binary), test.edges);
    EXPECT_EQ(binary.counts.self_loops, graph.counts.self_loops);

    LoadOptions text;
    text.directed = test.kind == GraphKind::kDirected;
    if (test.kind == GraphKind::kBipartite) text.bipartite = "separate";
    for (const std::string name : {"out.csv", "out.csv.gz", "out.csv.zst"}) {
      write_text_edges(folder.path(name), graph.graph, graph.names);
      EXPECT_EQ(named_edges(load(folder.path(name), text)), test.edges) << name;
    }
  }
}

// A binary graph joins other files by name: rows, isolated nodes and all.
TEST(Convert, BinaryGraphAsTrainingFile) {
  for (const auto& test : cases()) {
    SCOPED_TRACE(test.content);
    const ScratchFolder folder;
    LoadOptions options;
    options.directed = test.directed;
    if (!test.format.empty()) options.format = test.format;
    ThreadPool pool(1);
    const auto original = folder.write(test.file, test.content);
    const auto graph = load(original, options);
    save_graph(folder.path("train.bin"), graph.graph, graph.names);
    const auto data = load_dataset({.train = folder.path("train.bin")}, {}, {}, pool);
    const auto expected = load_dataset({.train = original}, {}, options, pool);
    EXPECT_EQ(data.graph.kind(), expected.graph.kind());
    EXPECT_EQ(data.graph.num_users(), expected.graph.num_users());
    EXPECT_TRUE(std::ranges::equal(data.graph.arrays().offsets, expected.graph.arrays().offsets));
    EXPECT_TRUE(
        std::ranges::equal(data.graph.arrays().neighbors, expected.graph.arrays().neighbors));
    ASSERT_EQ(data.names.size(), expected.names.size());
    for (NodeId v = 0; v < data.names.size(); ++v)
      EXPECT_EQ(data.names.name(v), expected.names.name(v));
  }
}

TEST(Convert, BinaryGraphRefusesToBecomeSomethingElse) {
  const ScratchFolder folder;
  const auto graph = load(folder.write("g.tsv", "1 2\n"), {});
  const auto path = folder.path("g.bin");
  save_graph(path, graph.graph, graph.names);
  EXPECT_TRUE(contains(error_of(ErrorKind::kUsage, [&] { load(path, {.directed = true}); }), path));
  EXPECT_TRUE(
      contains(error_of(ErrorKind::kUsage, [&] { load(path, {.bipartite = "separate"}); }), path));
}

TEST(Convert, FormatIsToldByNameOrExplicitly) {
  EXPECT_EQ(format_of_name("dir/x.mtx.gz"), "mtx");
  EXPECT_EQ(format_of_name("dir/u.data"), "movielens");
  EXPECT_EQ(format_of_name("dir/menu.data"), "");
  EXPECT_EQ(format_of_name("r.json.gz"), "amazon");
  EXPECT_EQ(format_of_name("g.bin"), "bin");
  EXPECT_EQ(format_of_name("noending"), "");
  const ScratchFolder folder;
  const auto path = folder.write("g.txt", "1 2\n");
  const auto what = error_of(ErrorKind::kUsage, [&] { load(path, {.format = "mtxx"}); });
  EXPECT_TRUE(contains(what, "did you mean 'mtx'")) << what;
}

TEST(Convert, HeldOutValuesMustBeLabels) {
  const ScratchFolder folder;
  ThreadPool pool(1);
  const auto pairs = folder.write("u.data", "1\t2\t3\t4\n");
  EXPECT_TRUE(read_edges(pairs, {ThirdColumn::kIgnore}, pool).values.empty());
  EXPECT_TRUE(read_edges(pairs, {ThirdColumn::kWeight}, pool).values.empty())
      << "a rating is no weight";
  const TextOptions weighted{ThirdColumn::kWeight, ColumnSpec("weight=3")};
  EXPECT_EQ(read_edges(pairs, weighted, pool).values, (std::vector<float>{3}));
  const auto matrix = folder.write("g.mtx", kBanner + "real general\n3 3 2\n1 3 1\n1 2 2\n");
  error_of(ErrorKind::kData, [&] { read_edges(matrix, {ThirdColumn::kLabel}, pool); });
}

TEST(Convert, TextRefusesNamesItCannotHold) {
  const ScratchFolder folder;
  ThreadPool pool(1);
  EdgeList edges;
  edges.pairs = {{0, 1}};
  const auto graph = build_graph(edges, 2, {}, pool);
  const auto write = [&](const std::string& file, const std::string& name) {
    write_text_edges(folder.path(file), graph, Names(std::vector<std::string>{name, "ok"}));
  };
  for (const std::string name : {"", "a\tb", "a\nb"})
    for (const std::string file : {"x.tsv", "x.csv"})
      EXPECT_TRUE(contains(error_of(ErrorKind::kData, [&] { write(file, name); }), file)) << name;
  for (const std::string name : {" a", "a ", "#a", "%a"}) {
    error_of(ErrorKind::kData, [&] { write("x.tsv", name); });
    EXPECT_FALSE(std::filesystem::exists(folder.path("x.tsv")));
    write("x.csv", name);
    EXPECT_EQ(named_edges(load(folder.path("x.csv"), {})),
              (std::multiset<NamedEdge>{
                  {std::min(name, std::string("ok")), std::max(name, std::string("ok")), 1.0F}}));
  }
}

// The first edge would pass for a header if there were none.
TEST(Convert, NamesThatLookLikeAHeaderSurvive) {
  const ScratchFolder folder;
  ThreadPool pool(1);
  EdgeList edges;
  edges.pairs = {{0, 1}, {2, 3}, {4, 5}};
  const auto graph = build_graph(edges, 6, {}, pool);
  write_text_edges(folder.path("x.tsv"), graph,
                   Names(std::vector<std::string>{"user", "item", "1", "2", "3", "4"}));
  EXPECT_EQ(load(folder.path("x.tsv"), {}).graph.num_edges(), 3);
}

TEST(Convert, PackedTextIsTheSameTextAndTheSameBytesAgain) {
  const ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  for (const std::string name : {"a.txt", "a.txt.gz", "a.txt.zst"}) {
    std::string packed[2];
    for (auto& bytes : packed) {
      TextFile file(folder.path(name));
      for (std::size_t at = 0; at < text.size(); at += 1000) file.write(text.substr(at, 1000));
      file.commit();
      EXPECT_EQ(Input(folder.path(name)).bytes(), text);
      bytes = MappedFile(folder.path(name)).bytes();
    }
    EXPECT_EQ(packed[0], packed[1]);
    EXPECT_EQ(packed[0].size() == text.size(), name == "a.txt");
  }
}

}  // namespace
}  // namespace mcns
