// Positives from edges, and the contract of all kinds of positives.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/chi_square.h"
#include "tests/graph_support.h"
#include "tests/test_io_files.h"

namespace mcns {
namespace {

std::vector<Pair> arcs_from_sources(const Graph& graph) {
  std::vector<Pair> arcs;
  for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u)
    for (const NodeId v : graph.neighbors(u)) arcs.push_back({u, v});
  return arcs;
}

TEST(EdgePositives, EveryArcOnceAnEpoch) {
  const BuildOptions keep{.repeated = Repeated::kKeep, .self_loops = SelfLoops::kKeep};
  for (const auto kind : {GraphKind::kUndirected, GraphKind::kDirected, GraphKind::kBipartite})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Graph graph = random_graph(kind, 4 + static_cast<NodeId>(seed) * 3, 5 + 9 * seed, seed,
                                       seed % 2 == 0 ? BuildOptions{} : keep);
      if (graph.num_arcs() == 0) continue;
      const auto expected = arcs_from_sources(graph);
      std::vector<Pair> first_order;
      for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
        auto pairs = whole_epoch(graph, "edges", {seed, epoch}, 7).pairs;
        if (epoch == 0) first_order = pairs;
        if (epoch == 1 && pairs.size() > 10) {
          EXPECT_NE(pairs, first_order) << "the order must change between epochs";
        }
        std::sort(pairs.begin(), pairs.end());
        EXPECT_EQ(pairs, expected);
      }
    }
}

TEST(EdgePositives, UserItemPairsPutTheUserFirst) {
  const Graph graph = random_graph(GraphKind::kBipartite, 20, 60, 1);
  const auto pairs = whole_epoch(graph, "edges").pairs;
  EXPECT_EQ(static_cast<EdgeId>(pairs.size()), graph.num_edges());
  for (const auto [user, item] : pairs) {
    EXPECT_TRUE(graph.sources().contains(user));
    EXPECT_TRUE(graph.targets().contains(item));
  }
}

TEST(EdgePositives, WeightedArcsByWeight) {
  const std::vector<Pair> edges = {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {1, 3}};
  const std::vector<float> weights = {1, 2, 0.5F, 4, 0};
  for (const auto kind : {GraphKind::kUndirected, GraphKind::kDirected}) {
    const Graph graph = make_graph(edges, 4, {.kind = kind}, weights);
    std::vector<std::int64_t> counts(16);
    std::vector<double> distribution(16);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      distribution[edges[i].source * 4 + edges[i].target] = weights[i];
      if (kind == GraphKind::kUndirected)
        distribution[edges[i].target * 4 + edges[i].source] = weights[i];
    }
    for (std::int64_t epoch = 0; epoch < 5000; ++epoch)
      for (const auto [u, v] : whole_epoch(graph, "edges", {1, epoch}).pairs) ++counts[u * 4 + v];
    expect_distribution(counts, distribution);
  }
}

TEST(EdgePositives, NothingToDrawIsAnError) {
  const Graph empty = make_graph({}, 3);
  for (const auto& info : builtin_positives())
    EXPECT_TRUE(
        contains(error_of(ErrorKind::kData, [&] { whole_epoch(empty, info.name); }), "no edges"));
  const Graph weightless = make_graph({{0, 1}, {1, 2}}, 3, {}, {0, 0});
  EXPECT_TRUE(
      contains(error_of(ErrorKind::kData, [&] { whole_epoch(weightless, "edges"); }), "weighs 0"));
}

class PositivesOf : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, PositivesOf,
                         testing::Values("edges", "walks:walks=2,length=12,window=4",
                                         "walks:walks=3,length=7,window=3,shrink=false",
                                         "walks:walks=2,length=12,window=4,teleport=0.1",
                                         "node2vec:walks=2,length=10,window=3,p=0.5,q=2",
                                         "node2vec:walks=2,length=10,window=3,q=0.5,teleport=0.05",
                                         "dfs"),
                         [](const auto& info) { return "Kind" + std::to_string(info.index); });

TEST_P(PositivesOf, DoNotDependOnThreadsOrTheCutIntoBatches) {
  for (const bool weighted : {false, true})
    for (const auto kind : {GraphKind::kUndirected, GraphKind::kDirected, GraphKind::kBipartite}) {
      const Graph graph = random_graph(kind, 60, 9000 / 20, 3, {}, weighted);
      const auto one = whole_epoch(graph, GetParam(), {5, 2}, 128, 1);
      ASSERT_FALSE(one.pairs.empty());
      for (const int threads : {2, 3, 7}) {
        const auto many = whole_epoch(graph, GetParam(), {5, 2}, 128, threads);
        EXPECT_EQ(many.pairs, one.pairs);
        EXPECT_EQ(many.serials, one.serials);
      }
      const auto other_cut = whole_epoch(graph, GetParam(), {5, 2}, 1 << 20, 2);
      EXPECT_EQ(other_cut.pairs, one.pairs);
      EXPECT_EQ(other_cut.serials, one.serials);
      EXPECT_NE(whole_epoch(graph, GetParam(), {6, 2}, 128, 1).pairs, one.pairs);
      EXPECT_NE(whole_epoch(graph, GetParam(), {5, 3}, 128, 1).pairs, one.pairs);
      const std::set<std::uint64_t> names(one.serials.begin(), one.serials.end());
      EXPECT_EQ(names.size(), one.serials.size()) << "names must be unique within an epoch";
    }
}

TEST_P(PositivesOf, NoBatchHasMorePairsThanPromised) {
  const Graph graph = random_graph(GraphKind::kUndirected, 80, 500, 4);
  ThreadPool pool(1);
  for (const int batch : {1, 64, 1 << 20}) {
    const auto sampler = make_positives(GetParam(), {graph, batch, pool});
    PairBuffer pairs;
    std::size_t largest = 0;
    for (BatchKey key{5, 2, 0}; key.batch < sampler->batches_per_epoch(); ++key.batch) {
      sampler->fill(key, pool, pairs);
      largest = std::max(largest, pairs.pairs.size());
    }
    const auto most = static_cast<std::size_t>(sampler->most_pairs());
    EXPECT_LE(largest, most) << batch;
    EXPECT_LE(most, 4 * largest) << "a bound that is of use: " << batch;
  }
}

/// Slices of a batch, one after the other, are the batch: pairs, serials and windows.
TEST(Positives, SlicesOfABatchMakeIt) {
  const Graph graph = random_graph(GraphKind::kUndirected, 50, 200, 2);
  ThreadPool pool(2);
  for (const std::string name : {"edges", "dfs", "walks:walks=2,length=9,window=3", "node2vec"}) {
    const auto sampler = make_positives(name, {graph, 128, pool});
    for (const std::int64_t b : {std::int64_t{0}, sampler->batches_per_epoch() - 1}) {
      const BatchKey key{3, 1, b};
      PairBuffer whole, part;
      sampler->fill(key, pool, whole);
      const std::int64_t pieces = sampler->pieces(b);
      ASSERT_GT(pieces, 0) << name;
      std::vector<Pair> pairs;
      std::vector<std::uint64_t> serials;
      std::vector<NodeId> nodes;
      std::int64_t windows = 0;
      const std::int64_t cuts[] = {0, pieces / 3, pieces / 3, pieces - 1, pieces};
      for (int i = 0; i + 1 < 5; ++i) {
        part.windows = {};
        sampler->fill_slice(key, {cuts[i], cuts[i + 1]}, pool, part);
        pairs.insert(pairs.end(), part.pairs.begin(), part.pairs.end());
        serials.insert(serials.end(), part.serials.begin(), part.serials.end());
        nodes.insert(nodes.end(), part.windows.nodes.begin(), part.windows.nodes.end());
        windows += std::max<std::int64_t>(0, part.windows.windows());
      }
      EXPECT_EQ(pairs, whole.pairs) << name;
      EXPECT_EQ(serials, whole.serials) << name;
      EXPECT_EQ(nodes, whole.windows.nodes) << name;
      EXPECT_EQ(windows, std::max<std::int64_t>(0, whole.windows.windows())) << name;
    }
  }
}

}  // namespace
}  // namespace mcns
