// Files joined into one set of rows, against a loader made of maps.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mcns/core/rng.h"
#include "mcns/io/dataset.h"

#include "test_io_files.h"

namespace mcns {
namespace {

using Edge = std::pair<std::string, std::string>;

std::vector<std::string> all_names(const Names& names) {
  std::vector<std::string> out;
  for (NodeId v = 0; v < names.size(); ++v) out.push_back(names.name(v));
  return out;
}

std::vector<Edge> named_pairs(const HeldOut& part, const Names& names) {
  std::vector<Edge> out;
  for (const auto [u, v] : part.pairs) out.emplace_back(names.name(u), names.name(v));
  return out;
}

class LoadDataset : public ::testing::Test {
 protected:
  Dataset load(const LoadOptions& options = {}) {
    return load_dataset(files_, task_, options, pool_);
  }
  std::string message(const LoadOptions& options = {}) {
    return error_of(ErrorKind::kData, [&] { load(options); });
  }
  void train(const std::string& content) { files_.train = folder_.write("train.tsv", content); }
  void valid(const std::string& content) { files_.valid = folder_.write("valid.tsv", content); }
  void test(const std::string& content) { files_.test = folder_.write("test.tsv", content); }
  void labels(const std::string& content) { files_.labels = folder_.write("labels.tsv", content); }

  ScratchFolder folder_;
  DatasetFiles files_;
  std::optional<Task> task_;
  ThreadPool pool_{2};
};

TEST_F(LoadDataset, IntegersInNumericOrder) {
  train("30\t4\n100\t30\n");
  valid("100\t7\n");
  const Dataset data = load();
  EXPECT_EQ(all_names(data.names), (std::vector<std::string>{"4", "7", "30", "100"}));
  EXPECT_TRUE(data.graph.has_edge(0, 2));
  EXPECT_TRUE(data.graph.has_edge(3, 2));
  EXPECT_EQ(data.graph.num_edges(), 2);
  EXPECT_EQ(data.report.nodes_unseen, 1);
}

TEST_F(LoadDataset, SparseIntegersInNumericOrder) {
  train("2000000000\t4\n0\t2147483647\n");
  EXPECT_EQ(all_names(load().names),
            (std::vector<std::string>{"0", "4", "2000000000", "2147483647"}));
}

TEST_F(LoadDataset, NamesByFirstAppearance) {
  train("30\t4\n100\t30\n");
  valid("b\t100\n");
  test("a\t007\n");
  labels("4\tx\nz\ty\n");
  const Dataset data = load();
  EXPECT_EQ(all_names(data.names),
            (std::vector<std::string>{"30", "4", "100", "b", "a", "007", "z"}));
  EXPECT_EQ(data.report.nodes_unseen, 4);
}

TEST_F(LoadDataset, ALabelOfANamedNodeMakesAllNames) {
  train("30\t4\n");
  labels("n\tx\n");
  EXPECT_EQ(all_names(load().names), (std::vector<std::string>{"30", "4", "n"}));
}

TEST_F(LoadDataset, SharedIdSpace) {
  train("10\t20\n11\t5\n");
  test("12\t5\n");
  const Dataset data = load({.bipartite = "shared"});
  EXPECT_EQ(all_names(data.names), (std::vector<std::string>{"10", "11", "12", "5", "20"}));
  EXPECT_EQ(data.graph.num_users(), 3);
  EXPECT_TRUE(data.graph.is_bipartite());
  EXPECT_TRUE(data.graph.has_edge(0, 4));
  EXPECT_EQ(data.test.pairs, (std::vector<Pair>{{2, 3}}));
}

TEST_F(LoadDataset, SharedIdSpaceRefusesAnIdOfBothKinds) {
  train("10\t20\n11\t5\n");
  valid("13\t5\n");
  test("20\t5\n");
  const std::string numeric = message({.bipartite = "shared"});
  EXPECT_TRUE(contains(numeric, "test.tsv: id '20' is in both columns")) << numeric;
  EXPECT_TRUE(contains(numeric, "--bipartite separate"));
  train("a\tb\nb\tc\n");
  const std::string names = message({.bipartite = "shared"});
  EXPECT_TRUE(contains(names, "train.tsv: id 'b' is in both columns")) << names;
}

TEST_F(LoadDataset, SeparateIdSpaces) {
  train("1\t2\n2\t1\n");
  test("3\t1\n");
  const Dataset data = load({.bipartite = "separate"});
  EXPECT_EQ(all_names(data.names), (std::vector<std::string>{"1", "2", "3", "1", "2"}));
  EXPECT_EQ(data.test.pairs, (std::vector<Pair>{{2, 3}}));
  train("b\ta\nc\tb\n");
  const Dataset named = load({.bipartite = "separate"});
  EXPECT_EQ(all_names(named.names), (std::vector<std::string>{"b", "c", "3", "a", "b", "1"}));
  EXPECT_EQ(named.names.find("b", named.graph.targets()), 4);
}

TEST_F(LoadDataset, HeldOutPairsKeepTheirOrderAndRepeats) {
  train("1\t2\t3\n2\t3\t4\n");
  test("3\t1\t5\n2\t1\t4\n3\t1\t1\n");
  task_ = Task::kRecommend;
  const Dataset data = load();
  EXPECT_EQ(named_pairs(data.test, data.names),
            (std::vector<Edge>{{"3", "1"}, {"2", "1"}, {"3", "1"}}));
  EXPECT_EQ(data.test.labels, (std::vector<std::uint8_t>{1, 1, 1}));
}

/// Held-out lists of one length look like a table with weights.
TEST_F(LoadDataset, ListsBesideListsAreLists) {
  files_.train = folder_.write("train.txt", "0 1 2 5\n1 2\n2 3 4\n");
  files_.valid = folder_.write("valid.txt", "0 3 4\n");
  files_.test = folder_.write("test.txt", "1 3 4\n");
  task_ = Task::kRecommend;
  const Dataset data = load({.format = "lightgcn"});
  EXPECT_EQ(named_pairs(data.valid, data.names), (std::vector<Edge>{{"0", "3"}, {"0", "4"}}));
  EXPECT_EQ(named_pairs(data.test, data.names), (std::vector<Edge>{{"1", "3"}, {"1", "4"}}));
}

TEST_F(LoadDataset, LinkLabels) {
  train("1\t2\n");
  valid("1\t2\t1\n2\t3\t0\n");
  test("1\t2\n");
  task_ = Task::kLinkpred;
  const Dataset data = load();
  EXPECT_EQ(data.valid.labels, (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(data.test.labels, (std::vector<std::uint8_t>{1}));
  valid("1\t2\t1\n2\t3\tmaybe\n");
  task_ = Task::kLinkpred;
  const std::string got = message();
  EXPECT_TRUE(contains(got, "valid.tsv:2: label 'maybe'")) << got;
}

TEST_F(LoadDataset, WeightsOfOneSayNothingOthersAddUp) {
  train("1\t2\t1\n2\t1\t1.0\n");
  EXPECT_FALSE(load().graph.is_weighted());
  train("1\t2\t1.5\n2\t1\t1\n2\t3\t1\n3\t3\t9\n");
  const Dataset data = load();
  ASSERT_TRUE(data.graph.is_weighted());
  EXPECT_EQ(data.graph.weights(0)[0], 2.5F);
  EXPECT_EQ(data.graph.weights(1)[0], 2.5F);
  EXPECT_EQ(data.report.train.read, 4);
  EXPECT_EQ(data.report.train.merged, 1);
  EXPECT_EQ(data.report.train.self_loops, 1);
}

TEST_F(LoadDataset, NodeLabels) {
  train("1\t2\n2\t3\n");
  labels("3\t10\n1\t9\n3\t9\n4\t10\n3\t10\n");
  task_ = Task::kClassify;
  const Dataset data = load();
  EXPECT_EQ(data.labels.label_names, (std::vector<std::string>{"9", "10"}));
  std::vector<std::pair<NodeId, int>> entries;
  for (const auto& e : data.labels.entries) entries.emplace_back(e.node, e.label);
  EXPECT_EQ(entries, (std::vector<std::pair<NodeId, int>>{{0, 0}, {2, 0}, {2, 1}, {3, 1}}));
  EXPECT_EQ(data.report.nodes_unseen, 1);
  labels("3\tred\n1\tblue\n");
  EXPECT_EQ(load().labels.label_names, (std::vector<std::string>{"red", "blue"}));
}

TEST_F(LoadDataset, UnseenMeansWithoutTrainingEdge) {
  train("1\t2\n5\t5\n");
  test("5\t2\n9\t1\n9\t1\n");
  EXPECT_EQ(load({.directed = true}).report.nodes_unseen, 2);
  EXPECT_EQ(load({.self_loops = "keep"}).report.nodes_unseen, 1);
}

TEST_F(LoadDataset, OptionsThatDoNotGoTogether) {
  train("1\t2\n");
  const auto usage = [&](const LoadOptions& options) {
    return error_of(ErrorKind::kUsage, [&] { load(options); });
  };
  EXPECT_TRUE(contains(usage({.bipartite = "shared", .directed = true}), "--directed"));
  labels("1\tx\n");
  EXPECT_TRUE(contains(usage({.bipartite = "separate"}), "one id space"));
  labels("7\tx\n");
  const std::string got = message({.bipartite = "shared"});
  EXPECT_TRUE(contains(got, "labels.tsv: a label for node '7'")) << got;
  files_.train.clear();
  EXPECT_TRUE(contains(usage({}), "training file"));
}

/// What load_dataset should find, by maps over the lines.
struct Oracle {
  std::vector<std::string> names;  ///< users first
  std::map<std::pair<NodeId, NodeId>, float> arcs;
  std::vector<Pair> held_out;

  Oracle(const std::vector<Edge>& train, const std::vector<float>& weights,
         const std::vector<Edge>& test, const LoadOptions& options) {
    const bool two = options.bipartite_kind() != Bipartite::kNone;
    std::vector<std::string> first, second;
    for (const auto* part : {&train, &test}) {
      for (const auto& [u, v] : *part) {
        add(first, u);
        add(two ? second : first, v);
      }
    }
    const auto numeric = [](const std::string& s) { return plain_integer(s).has_value(); };
    if (std::all_of(first.begin(), first.end(), numeric) &&
        std::all_of(second.begin(), second.end(), numeric))
      for (auto* side : {&first, &second})
        std::sort(side->begin(), side->end(),
                  [](const auto& a, const auto& b) { return std::stol(a) < std::stol(b); });
    names = first;
    names.insert(names.end(), second.begin(), second.end());
    const auto row = [&](const std::vector<std::string>& side, const std::string& name) {
      return static_cast<NodeId>(std::find(side.begin(), side.end(), name) - side.begin());
    };
    const auto pair = [&](const Edge& e) {
      const auto users = static_cast<NodeId>(first.size());
      return Pair{row(first, e.first), two ? users + row(second, e.second) : row(first, e.second)};
    };
    for (std::size_t i = 0; i < train.size(); ++i) {
      const auto [u, v] = pair(train[i]);
      if (u == v) continue;
      arcs[{u, v}] += weights[i];
      if (!options.is_directed()) arcs[{v, u}] += weights[i];
    }
    for (const Edge& e : test) held_out.push_back(pair(e));
  }

  static void add(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
};

std::map<std::pair<NodeId, NodeId>, float> arcs_of(const Graph& graph) {
  std::map<std::pair<NodeId, NodeId>, float> out;
  for (NodeId u = 0; u < graph.num_nodes(); ++u)
    for (std::size_t i = 0; i < graph.neighbors(u).size(); ++i)
      out[{u, graph.neighbors(u)[i]}] = graph.is_weighted() ? graph.weights(u)[i] : 1.0F;
  return out;
}

TEST_F(LoadDataset, AgreesWithTheOracleOnRandomFiles) {
  for (std::uint64_t trial = 0; trial < 60; ++trial) {
    Rng rng(5, Domain::kTest, trial);
    LoadOptions options;
    const auto kind = static_cast<Bipartite>(rng.below(3));
    options.bipartite = bipartite_word(kind);
    if (kind != Bipartite::kNone) options.columns = "weight=3";
    options.directed = kind == Bipartite::kNone && rng.below(2) == 0;
    const bool text = rng.below(2) == 0;
    const auto name = [&](bool item) {
      const std::string prefix = text ? "n" : (kind == Bipartite::kShared && item) ? "10" : "";
      const std::string mark = text && kind == Bipartite::kShared && item ? "i" : "";
      return prefix + mark + std::to_string(1 + rng.below(9));
    };
    std::vector<Edge> train, test;
    std::vector<float> weights;
    std::ostringstream train_text, test_text;
    for (int i = 0; i < 30; ++i) {
      train.emplace_back(name(false), name(true));
      weights.push_back(static_cast<float>(rng.below(8)) * 0.25F);
      train_text << train.back().first << '\t' << train.back().second << '\t' << weights.back()
                 << '\n';
      test.emplace_back(name(false), name(true));
      test_text << test.back().first << ' ' << test.back().second << '\n';
    }
    const Oracle oracle(train, weights, test, options);
    this->train(train_text.str());
    this->test(test_text.str());
    for (const int threads : {1, 2, 3, 7}) {
      ThreadPool pool(threads);
      const Dataset data = load_dataset(files_, {}, options, pool);
      ASSERT_EQ(all_names(data.names), oracle.names) << trial;
      ASSERT_EQ(arcs_of(data.graph), oracle.arcs) << trial;
      ASSERT_EQ(data.test.pairs, oracle.held_out) << trial;
    }
  }
}

/// The counts that the README files of the data state.
TEST(LoadRealData, AuthorsSplits) {
  const char* root = std::getenv("MCNS_DATA");
  if (root == nullptr || !std::filesystem::exists(std::string(root) + "/ml-100k"))
    GTEST_SKIP() << "MCNS_DATA is not set";
  ThreadPool pool(2);
  const std::string ml = std::string(root) + "/ml-100k/mcns_";
  const Dataset movies = load_dataset({ml + "train.tsv", ml + "valid.tsv", ml + "test.tsv", ""},
                                      Task::kRecommend, {.bipartite = "shared"}, pool);
  EXPECT_EQ(movies.graph.num_users(), 943);
  EXPECT_EQ(movies.graph.num_items(), 1682);
  EXPECT_EQ(movies.graph.num_edges(), 81000);
  EXPECT_EQ(movies.test.pairs.size(), 10000U);
  EXPECT_EQ(movies.report.nodes_unseen, 1682 - 1653);
  const std::string grqc = std::string(root) + "/ca-grqc/mcns_";
  const Dataset papers = load_dataset(
      {grqc + "train.tsv", grqc + "valid.tsv", grqc + "test.tsv", ""}, Task::kLinkpred, {}, pool);
  EXPECT_EQ(papers.graph.num_nodes(), 5242);
  EXPECT_EQ(papers.graph.num_edges(), 10313);
  EXPECT_EQ(papers.report.train.self_loops, 6);
  EXPECT_EQ(std::count(papers.test.labels.begin(), papers.test.labels.end(), 1), 7544);
}

}  // namespace
}  // namespace mcns
