// Lists for everybody: each against the list of one, in every format, interrupted and resumed.
#include <atomic>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/io/npy.h"
#include "mcns/io/npz.h"
#include "mcns/model/fold_in.h"
#include "mcns/model/list_file.h"
#include "mcns/model/list_store.h"

#include "tests/graph_support.h"
#include "tests/run_binary.h"

namespace mcns {
namespace {

constexpr NodeId kUsers = 9000, kItems = 300;  // more than two blocks of users

LoadedModel random_model() {
  Rng rng(3, Domain::kTest);
  std::vector<Pair> pairs;
  for (NodeId u = 0; u < kUsers; ++u)
    for (int i = 0; i < 4 && u != 17; ++i)  // user 17 has no pairs
      pairs.push_back({u, static_cast<NodeId>(kUsers + rng.below(kItems))});
  LoadedModel model;
  model.graph = make_graph(pairs, kUsers + kItems, {GraphKind::kBipartite, kUsers});
  std::vector<std::string> names;
  for (NodeId v = 0; v < kUsers + kItems; ++v) names.push_back(fmt::format("n{}", v));
  model.names = Names(names);
  model.embeddings = Matrix(kUsers + kItems, 8);
  for (NodeId v = 0; v < kUsers + kItems; ++v)
    for (float& x : model.embeddings.view()[v]) x = rng.uniformf() - 0.5F;
  return model;
}

EmbeddingView tables_of(const LoadedModel& model) {
  return {model.embeddings.view(), model.embeddings.view()};
}

TopLists lists_of(const LoadedModel& model, std::size_t k = 5) {
  return TopLists::of_items(model, tables_of(model), all_askers(model.graph.sources()), k);
}

std::string written(const TopLists& lists, const std::string& out, int threads = 2) {
  ThreadPool pool(threads);
  ListFileOptions options;
  options.out = out;
  EXPECT_TRUE(write_lists(lists, options, pool));
  EXPECT_FALSE(std::filesystem::exists(out + ".partial"));
  return content_of(out);
}

TEST(TopLists, TheFileHasEverybodysListInOrder) {
  const ScratchFolder folder;
  const LoadedModel model = random_model();
  const std::string text = written(lists_of(model), folder.path("recs.tsv"));
  EXPECT_TRUE(text.starts_with("user\trank\titem\tscore\tsource\n")) << text.substr(0, 50);
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  ThreadPool pool(1);
  for (NodeId u = 0; u < kUsers; ++u) {
    const std::vector<NodeId> source = {u};
    const auto best = best_targets_of_one({.source = model.embeddings.view(),
                                           .target = model.embeddings.view(),
                                           .among = model.graph.targets(),
                                           .sources = source,
                                           .known = &model.graph,
                                           .left_out = {},
                                           .k = 5},
                                          pool);
    for (int r = 0; r < 5; ++r) {
      ASSERT_TRUE(std::getline(lines, line));
      if (u == 17) {
        EXPECT_TRUE(line.ends_with("\tpopular")) << line;
        continue;
      }
      ASSERT_EQ(line,
                fmt::format("n{}\t{}\tn{}\t{}\tmodel", u, r + 1, best[r].node, best[r].score));
    }
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(TopLists, ThePopularListHasTheItemsOfMostPairs) {
  const LoadedModel model = random_model();
  const TopLists lists = lists_of(model);
  ThreadPool pool(1);
  std::vector<ScoredNode> list(5);
  lists.fill(17, 18, pool, list);
  std::vector<int> count(kItems, 0);
  for (NodeId u = 0; u < kUsers; ++u)
    for (const NodeId v : model.graph.neighbors(u)) ++count[v - kUsers];
  auto sorted = count;
  std::ranges::sort(sorted, std::greater{});
  for (int r = 0; r < 5; ++r) {
    EXPECT_EQ(list[r].score, sorted[r]);
    EXPECT_EQ(count[list[r].node - kUsers], sorted[r]);
  }
  EXPECT_EQ(lists.popular_lists(), 1);
}

TEST(TopLists, SameBytesForAnyThreadsAndAfterAnInterruption) {
  const ScratchFolder folder;
  const LoadedModel model = random_model();
  for (const std::string ending : {"tsv", "jsonl", "npz"}) {
    const std::string whole = written(lists_of(model), folder.path("whole." + ending), 1);
    EXPECT_EQ(written(lists_of(model), folder.path("three." + ending), 3), whole) << ending;
    std::atomic<bool> stop{false};
    ListFileOptions options;
    options.out = folder.path("parts." + ending);
    options.interrupted = &stop;
    options.progress = [&](std::int64_t, std::int64_t) { stop = true; };
    ThreadPool pool(2);
    EXPECT_FALSE(write_lists(lists_of(model), options, pool));
    EXPECT_FALSE(std::filesystem::exists(options.out)) << "whole or not at all";
    options.interrupted = nullptr;
    options.resume = true;
    std::vector<std::int64_t> done;
    options.progress = [&](std::int64_t now, std::int64_t) { done.push_back(now); };
    EXPECT_TRUE(write_lists(lists_of(model), options, pool));
    EXPECT_EQ(content_of(options.out), whole) << ending;
    EXPECT_EQ(done, (std::vector<std::int64_t>{2 * ListStore::kBlock, kUsers})) << "the rest only";
  }
}

TEST(TopLists, DamagedBlocksAreMadeAgainAndThoseOfOthersRefused) {
  const ScratchFolder folder;
  const std::string out = folder.path("recs.tsv");
  const std::vector<ScoredNode> first(ListStore::kBlock, {1, 0.5F}), second(10, {2, 0.25F});
  const auto open = [&](const std::string& digest, bool resume) {
    return std::make_unique<ListStore>(out, digest, ListStore::kBlock + 10, 1, NodeRange{0, 9},
                                       resume);
  };
  {
    const auto store = open("a", false);
    store->append(first);
    store->append(second);
    EXPECT_THROW(open("a", true), Error) << "it is in use";
  }
  EXPECT_EQ(open("a", true)->blocks_done(), 2);
  EXPECT_THROW(open("b", true), Error);
  std::filesystem::resize_file(out + ".partial", std::filesystem::file_size(out + ".partial") - 1);
  EXPECT_EQ(open("a", true)->blocks_done(), 1);
  {
    std::fstream file(out + ".partial", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    file.put('x');
  }
  EXPECT_EQ(open("a", true)->blocks_done(), 0);
  {
    const auto store = open("b", false);
    store->append(first);
    store->append(second);
    EXPECT_EQ(store->read(0), first);
    EXPECT_EQ(store->read(1), second);
  }
  for (const NodeId bad : {-2, 9, 1 << 30}) {
    const auto store = open("c", false);
    store->append(std::vector<ScoredNode>(ListStore::kBlock, {bad, 0.5F}));
    EXPECT_THROW(store->read(0), Error) << "the model has no such row";
  }
}

TEST(TopLists, BlocksThatHoldNoAnswersAreMadeAnew) {
  const ScratchFolder folder;
  constexpr std::int64_t kLists = 3;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto done = [&](const std::vector<ScoredNode>& list) {
    const auto open = [&](bool resume) {
      return ListStore(folder.path("x.tsv"), "a", kLists, 2, NodeRange{4, 9}, resume);
    };
    std::vector<ScoredNode> entries = {{4, 2}, {5, 1}, kNoNode, kNoNode};
    entries.insert(entries.end(), list.begin(), list.end());
    open(false).append(entries);
    return open(true).blocks_done();
  };
  EXPECT_EQ(done({{8, 2}, {4, 1}}), 1);
  EXPECT_EQ(done({{8, 2}, kNoNode}), 1);
  EXPECT_EQ(done({{3, 2}, {4, 1}}), 0) << "a user, where items are ranked";
  EXPECT_EQ(done({{-1, 1}, kNoNode}), 0) << "not how a list ends";
  EXPECT_EQ(done({kNoNode, {8, 1}}), 0) << "an entry after the end";
  EXPECT_EQ(done({{8, 1}, {8, 1}}), 0) << "a row twice";
  EXPECT_EQ(done({{8, kInfinity}, {4, 1}}), 0);
  EXPECT_EQ(done({{8, std::nanf("")}, {4, 1}}), 0);
}

TEST(TopLists, ArraysHoldTheSameLists) {
  const ScratchFolder folder;
  const LoadedModel model = random_model();
  const TopLists lists = lists_of(model);
  written(lists, folder.path("recs.npz"));
  std::map<std::string, std::string> arrays;
  for (auto& [name, bytes] : read_npz_members(folder.path("recs.npz"))) arrays[name] = bytes;
  const auto open = [&](const char* name) { return open_npy(name, arrays.at(name)); };
  EXPECT_EQ(ids_of_npy("", open("user_ids"))[17], "n17");
  const auto ids = ids_of_npy("", open("item_ids"));
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(kItems));
  const Matrix scores = parse_npy("", arrays.at("scores"));
  EXPECT_EQ(open("items").shape, (std::vector<std::int64_t>{kUsers, 5}));
  EXPECT_EQ(open("popular").data[17], '\1');
  EXPECT_EQ(open("popular").data[18], '\0');
  std::vector<ScoredNode> list(5);
  ThreadPool pool(1);
  lists.fill(8999, 9000, pool, list);
  for (int r = 0; r < 5; ++r) {
    std::int64_t place;
    std::memcpy(&place, open("items").data.data() + (8999 * 5 + r) * 8, 8);
    EXPECT_EQ(ids[place], model.names.name(list[r].node));
    EXPECT_EQ(scores.row(8999)[r], list[r].score);
  }
}

TEST(TopLists, NeighborsAreByCosineAndEmptyVectorsHaveNone) {
  LoadedModel model = random_model();
  for (float& x : model.embeddings.view()[kUsers + 3]) x = 0;
  const NodeRange items = model.graph.targets();
  const TopLists lists =
      TopLists::of_neighbors(model, model.embeddings.view(), items, all_askers(items), 1000);
  EXPECT_EQ(lists.k(), static_cast<std::size_t>(kItems));
  ThreadPool pool(2);
  std::vector<ScoredNode> found(lists.size() * lists.k());
  lists.fill(0, lists.size(), pool, found);
  EXPECT_EQ(found[3 * lists.k()], kNoNode);
  const auto row = [&](NodeId v) { return model.embeddings.view()[v]; };
  const auto dot = [&](NodeId u, NodeId v) {
    double sum = 0;
    for (int d = 0; d < 8; ++d) sum += double{row(u)[d]} * row(v)[d];
    return sum;
  };
  std::set<NodeId> seen;
  for (std::size_t r = 0; found[r] != kNoNode; ++r) {
    const auto [node, score] = found[r];
    seen.insert(node);
    EXPECT_NEAR(score, dot(kUsers, node) / std::sqrt(dot(kUsers, kUsers) * dot(node, node)), 1e-5);
    if (r > 0) EXPECT_LE(score, found[r - 1].score);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kItems - 2)) << "all but itself and the empty";
  EXPECT_EQ(seen.count(kUsers), 0U);
}

TEST(FoldIn, FindsTheMapFromItemsToUsers) {
  LoadedModel model = random_model();
  const Graph& graph = model.graph;
  const auto view = model.embeddings.view();
  // Users that are 3 times the mean of their items, coordinates in reverse, and a constant.
  const auto user_of = [&](std::span<const NodeId> items, int d) {
    double sum = 0;
    for (const NodeId v : items) sum += view.row(v)[7 - d];
    return static_cast<float>(3 * sum / static_cast<double>(items.size()) + 0.25 * d);
  };
  for (NodeId u = 0; u < kUsers; ++u)
    for (int d = 0; d < 8 && graph.degree(u) > 0; ++d)
      view.row(u)[d] = user_of(graph.neighbors(u), d);
  const std::vector<NodeId> items = {kUsers + 5, kUsers + 50, kUsers + 77};
  const Matrix vector = fold_in(tables_of(model), graph, items);
  for (int d = 0; d < 8; ++d) EXPECT_NEAR(vector.row(0)[d], user_of(items, d), 0.02) << d;
}

TEST(FoldIn, IsNearTheMeanWhereThereIsNothingToLearnFrom) {
  const Graph graph = make_graph({{0, 2}, {1, 3}}, 4, {GraphKind::kBipartite, 2});
  Matrix table(4, 3);
  for (NodeId v = 0; v < 4; ++v)
    for (int d = 0; d < 3; ++d) table.row(v)[d] = static_cast<float>((v % 2) * 3 + d + 1);
  const std::vector<NodeId> items = {2, 3};
  const Matrix vector = fold_in({table.view(), table.view()}, graph, items);
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(vector.row(0)[d], d + 2.5, 1e-4);
  EXPECT_THROW(fold_in({table.view(), table.view()}, graph, {}), Error);
}

}  // namespace
}  // namespace mcns
