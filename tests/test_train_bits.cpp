// The same bits for any number of threads, and the unique-embedding transformation.
#include <gtest/gtest.h>

#include "mcns/losses/losses.h"
#include "mcns/losses/registry.h"
#include "mcns/optim/optimizers.h"
#include "mcns/optim/registry.h"
#include "mcns/samplers/negative_sampler.h"
#include "mcns/samplers/registry.h"

#include "tests/train_support.h"

namespace mcns {
namespace {

void expect_same_for_threads(ShortRun setup, const Graph& graph, const std::string& what) {
  setup.threads = 1;
  const Tables one = setup.train(graph);
  for (const int threads : {2, 3, 7}) {
    setup.threads = threads;
    EXPECT_EQ(setup.train(graph), one) << what << " with " << threads << " threads";
  }
}

constexpr const char* kPositives[] = {"edges", "walks:walks=1,length=6,window=2",
                                      "node2vec:walks=1,length=6,window=2,p=0.5,q=2", "dfs"};

TEST(ThreadBits, EveryLossOptimizerAndKindOfPositives) {
  const Graph graph = random_graph(GraphKind::kUndirected, 120, 300, 1);
  for (const auto& loss : builtin_losses())
    for (const auto& optimizer : builtin_optimizers())
      for (const auto* positives : kPositives)
        for (const auto* filter : {"train", "none"}) {  // without it windows share negatives
          ShortRun setup;
          setup.options.loss = loss.name;
          setup.options.optimizer = optimizer.name;
          setup.options.positives = positives;
          setup.options.filter = filter;
          expect_same_for_threads(setup, graph,
                                  loss.name + ", " + optimizer.name + ", " + positives);
        }
}

TEST(ThreadBits, EverySampler) {
  const Graph graph = random_graph(GraphKind::kBipartite, 120, 500, 2);
  for (const auto& sampler : builtin_samplers()) {
    if (sampler.name == "file" || sampler.name == "mix") continue;  // need an argument
    ShortRun setup;
    setup.options.sampler = sampler.name;
    expect_same_for_threads(setup, graph, sampler.name);
  }
}

TEST(ThreadBits, EveryShape) {
  for (const auto kind : {GraphKind::kUndirected, GraphKind::kDirected, GraphKind::kBipartite})
    for (const bool weighted : {false, true})
      for (const int dim : {1, 7, 16, 33, 1100})
        for (const int tables : {1, 2}) {
          if (tables == 2 && kind == GraphKind::kBipartite) continue;  // has one
          const Graph graph = random_graph(kind, 80, 250, 3, {}, weighted);
          ShortRun setup;
          setup.options.dim = dim;
          setup.options.tables = tables;
          setup.options.negatives = 1 + dim % 4;
          setup.options.epochs = 1;
          expect_same_for_threads(setup, graph, "dim " + std::to_string(dim));
        }
}

/// A batch larger than every piece size, with hubs that many pieces touch.
TEST(ThreadBits, LargeBatchesWithHubs) {
  std::vector<Pair> edges;
  Rng rng(4, Domain::kTest);
  for (int i = 0; i < 6000; ++i)
    edges.push_back({static_cast<NodeId>(rng.below(3)), static_cast<NodeId>(rng.below(3000))});
  ShortRun setup;
  setup.options.batch = 1 << 16;
  setup.options.tables = 1;
  setup.options.optimizer = "adam";
  expect_same_for_threads(setup, make_graph(edges, 3000), "hubs");
}

TEST(ThreadBits, SeedsDiffer) {
  const Graph graph = random_graph(GraphKind::kUndirected, 60, 200, 5);
  for (const auto* positives : kPositives) {
    ShortRun setup;
    setup.options.positives = positives;
    const Tables first = setup.train(graph);
    EXPECT_EQ(setup.train(graph), first) << "a second run is the same";
    setup.seed = 2;
    EXPECT_FALSE(setup.train(graph) == first);
  }
}

/// Section 3 of the paper: a graph with a node and a context vector per node is the bipartite graph
/// of senders and receivers with one vector per node. Row u of the split graph is node u, row n + v
/// is the context of v; arcs, names and streams correspond one to one.
Graph split_graph(const Graph& graph) {
  const NodeId n = graph.num_nodes();
  std::vector<Pair> pairs;
  std::vector<float> weights;
  for (NodeId u = 0; u < n; ++u)
    for (std::size_t i = 0; i < graph.neighbors(u).size(); ++i) {
      pairs.push_back({u, n + graph.neighbors(u)[i]});
      if (graph.is_weighted()) weights.push_back(graph.weights(u)[i]);
    }
  return make_graph(std::move(pairs), 2 * n, {.kind = GraphKind::kBipartite, .users = n},
                    std::move(weights));
}

void expect_unique_embedding(ShortRun setup, const Graph& graph) {
  setup.options.tables = 2;
  const Tables original = setup.train(graph);
  setup.options.tables = 1;
  setup.threads = 3;
  const Tables split = setup.train(split_graph(graph));
  auto joined = original.node;
  joined.insert(joined.end(), original.context.begin(), original.context.end());
  ASSERT_EQ(joined.size(), split.node.size());
  EXPECT_EQ(std::memcmp(joined.data(), split.node.data(), joined.size() * sizeof(float)), 0)
      << *setup.options.loss << ", " << *setup.options.sampler;
}

TEST(UniqueEmbedding, SplitGraphWithOneTableEqualsTheOriginalWithTwo) {
  for (const auto kind : {GraphKind::kDirected, GraphKind::kUndirected})
    for (const bool weighted : {false, true})
      for (const auto& loss : builtin_losses())
        for (const auto& optimizer : builtin_optimizers()) {
          ShortRun setup;
          setup.options.loss = loss.name;
          setup.options.optimizer = optimizer.name;
          setup.options.filter = "none";  // a node may be its own receiver's negative
          setup.options.epochs = 3;
          expect_unique_embedding(setup, random_graph(kind, 70, 300, 6, {}, weighted));
        }
}

/// Degrees of senders and receivers are those of the nodes where edges have no direction.
TEST(UniqueEmbedding, HoldsForPowerOfDegreeToo) {
  ShortRun setup;
  setup.options.filter = "none";
  setup.options.sampler = "degree";
  expect_unique_embedding(setup, random_graph(GraphKind::kUndirected, 70, 300, 7));
}

/// With exclusion a node is no negative of itself; where every node has a loop this is also so in
/// the split graph, and the two agree again.
TEST(UniqueEmbedding, HoldsUnderExclusionWhereEveryNodeHasALoop) {
  std::vector<Pair> pairs;
  Rng rng(8, Domain::kTest);
  for (NodeId v = 0; v < 60; ++v) {
    pairs.push_back({v, v});
    for (int i = 0; i < 4; ++i) pairs.push_back({v, static_cast<NodeId>(rng.below(60))});
  }
  for (const auto kind : {GraphKind::kDirected, GraphKind::kUndirected}) {
    ShortRun setup;
    setup.options.filter = "train";
    expect_unique_embedding(setup,
                            make_graph(pairs, 60, {.kind = kind, .self_loops = SelfLoops::kKeep}));
  }
}

}  // namespace
}  // namespace mcns
