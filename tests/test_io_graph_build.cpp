// build_graph against an adjacency map, for every kind, with repeated edges, loops and weights.
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "mcns/core/graph.h"
#include "mcns/core/rng.h"

#include "tests/test_io_files.h"

namespace mcns {
namespace {

struct Case {
  GraphKind kind;
  NodeId nodes, users;
  std::int64_t edges;
  bool weighted;
};

EdgeList random_edges(const Case& c, std::uint64_t seed) {
  Rng rng(seed, Domain::kTest);
  EdgeList out;
  for (std::int64_t i = 0; i < c.edges; ++i) {
    // Half of the edges among few nodes, so that some repeat and some are loops.
    const bool near = rng.below(2) == 0;
    const auto node = [&](NodeId first, NodeId count) {
      return first + static_cast<NodeId>(rng.below(near ? std::min(count, 20) : count));
    };
    if (c.kind == GraphKind::kBipartite)
      out.pairs.push_back({node(0, c.users), node(c.users, c.nodes - c.users)});
    else
      out.pairs.push_back({node(0, c.nodes), node(0, c.nodes)});
    if (c.weighted) out.weights.push_back(rng.uniformf());
  }
  return out;
}

/// The arrays of a graph; repeated neighbours in input order, weights of 1 where there are none.
struct Flat {
  std::vector<EdgeId> offsets;
  std::vector<NodeId> neighbors;
  std::vector<float> weights;
  friend bool operator==(const Flat&, const Flat&) = default;
};

struct Expected {
  Flat arrays;
  BuildCounts counts;
  EdgeId edges = 0;
};

Expected slow_build(const EdgeList& list, NodeId nodes, const BuildOptions& options) {
  Expected out;
  const bool merge = options.repeated == Repeated::kMerge;
  std::map<NodeId, std::map<NodeId, std::vector<float>>> adjacency;
  const auto add = [&](NodeId u, NodeId v, float w) {
    auto& weights = adjacency[u][v];
    if (merge && !weights.empty()) {
      weights[0] += w;
      return false;
    }
    weights.push_back(w);
    return true;
  };
  for (std::size_t i = 0; i < list.pairs.size(); ++i) {
    const auto [u, v] = list.pairs[i];
    const float w = list.weights.empty() ? 1.0F : list.weights[i];
    ++out.counts.read;
    if (u == v && options.self_loops == SelfLoops::kDrop) {
      ++out.counts.self_loops;
      continue;
    }
    (add(u, v, w) ? out.edges : out.counts.merged) += 1;
    if (options.kind != GraphKind::kDirected && u != v) add(v, u, w);
  }
  for (NodeId u = 0; u < nodes; ++u) {
    out.arrays.offsets.push_back(static_cast<EdgeId>(out.arrays.neighbors.size()));
    if (!adjacency.contains(u)) continue;
    for (const auto& [v, weights] : adjacency[u])
      for (const float w : weights) {
        out.arrays.neighbors.push_back(v);
        out.arrays.weights.push_back(list.weights.empty() ? 1.0F : w);
      }
  }
  out.arrays.offsets.push_back(static_cast<EdgeId>(out.arrays.neighbors.size()));
  return out;
}

Flat arrays_of(const Graph& graph) {
  const auto& arrays = graph.arrays();
  Flat out{{arrays.offsets.begin(), arrays.offsets.end()},
           {arrays.neighbors.begin(), arrays.neighbors.end()},
           {arrays.weights.begin(), arrays.weights.end()}};
  if (!graph.is_weighted()) out.weights.assign(out.neighbors.size(), 1.0F);
  return out;
}

void check(const EdgeList& list, const Case& c, const BuildOptions& options,
           const std::vector<int>& all_threads) {
  const Expected expected = slow_build(list, c.nodes, options);
  for (const int threads : all_threads) {
    ThreadPool pool(threads);
    BuildCounts counts;
    const Graph graph = build_graph(list, c.nodes, options, pool, &counts);
    ASSERT_EQ(graph.num_nodes(), c.nodes);
    ASSERT_EQ(graph.is_weighted(), c.weighted && graph.num_arcs() > 0);
    ASSERT_TRUE(arrays_of(graph) == expected.arrays);
    ASSERT_EQ(graph.num_edges(), expected.edges);
    ASSERT_EQ(counts.read, expected.counts.read);
    ASSERT_EQ(counts.self_loops, expected.counts.self_loops);
    ASSERT_EQ(counts.merged, expected.counts.merged);
  }
}

/// Every way to treat repeated edges and loops.
void check_all(const Case& c, std::uint64_t seed) {
  const EdgeList list = random_edges(c, seed);
  for (const Repeated repeated : {Repeated::kMerge, Repeated::kKeep})
    for (const SelfLoops loops : {SelfLoops::kDrop, SelfLoops::kKeep})
      check(list, c, {c.kind, c.users, repeated, loops}, {1, 2, 3, 7});
}

void check_large(const Case& c, std::uint64_t seed) {
  check(random_edges(c, seed), c, {.kind = c.kind}, {1, 3});
}

TEST(BuildGraph, AgreesWithAnAdjacencyMap) {
  std::uint64_t seed = 0;
  for (const bool weighted : {false, true})
    for (const NodeId nodes : {1, 2, 3, 50, 300})
      for (const std::int64_t edges : {0, 1, 5, 400})
        for (const GraphKind kind : {GraphKind::kUndirected, GraphKind::kDirected})
          check_all({kind, nodes, 0, edges, weighted}, ++seed);
  for (const bool weighted : {false, true})
    for (const std::int64_t edges : {0, 7, 400}) {
      check_all({GraphKind::kBipartite, 2, 1, edges, weighted}, ++seed);
      check_all({GraphKind::kBipartite, 90, 40, edges, weighted}, ++seed);
    }
}

/// Several pieces of input and many buckets; keys of 32 bits.
TEST(BuildGraph, ManyBuckets) {
  check_large({GraphKind::kUndirected, 5000, 0, 300'000, false}, 1);
  check_large({GraphKind::kDirected, 5000, 0, 300'000, true}, 2);
}

/// So many nodes that a key takes 64 bits.
TEST(BuildGraph, ManyNodes) {
  check_large({GraphKind::kDirected, 3'000'000, 0, 20'000, false}, 3);
  check_large({GraphKind::kUndirected, 3'000'000, 0, 20'000, true}, 4);
}

TEST(BuildGraph, NoNodes) {
  ThreadPool pool(1);
  const Graph graph = build_graph({}, 0, {}, pool);
  EXPECT_EQ(graph.num_nodes(), 0);
  EXPECT_EQ(graph.num_edges(), 0);
}

TEST(BuildGraph, EdgeListGivesTheEdgesBack) {
  ThreadPool pool(2);
  for (const GraphKind kind : {GraphKind::kUndirected, GraphKind::kDirected}) {
    const EdgeList list = random_edges({kind, 60, 0, 300, true}, 9);
    const BuildOptions options{kind, 0, Repeated::kMerge, SelfLoops::kKeep};
    const Graph graph = build_graph(list, 60, options, pool);
    const Graph again = build_graph(edge_list(graph), 60, options, pool);
    EXPECT_TRUE(arrays_of(graph) == arrays_of(again));
    EXPECT_EQ(static_cast<EdgeId>(edge_list(graph).pairs.size()), graph.num_edges());
  }
}

/// The error of a build; the edge at `at` of many good ones, in a later piece, is `pair`.
std::string build_error(ErrorKind kind, const BuildOptions& options, std::size_t at, Pair pair) {
  ThreadPool pool(2);
  return error_of(kind, [&] {
    EdgeList list{std::vector<Pair>(600'000, Pair{1, 7}), {}};
    list.pairs.at(at) = pair;
    build_graph(std::move(list), 10, options, pool);
  });
}

TEST(BuildGraph, RefusesRowsOutOfRange) {
  for (const GraphKind kind : {GraphKind::kUndirected, GraphKind::kDirected})
    for (const Pair pair : {Pair{-1, 2}, {2, -1}, {10, 2}, {2, 10}, {-1, -1}, {10, 10}}) {
      const auto message = build_error(ErrorKind::kData, {.kind = kind}, 550'000, pair);
      EXPECT_TRUE(
          contains(message, fmt::format("edge 550000 is ({}, {})", pair.source, pair.target)))
          << message;
      EXPECT_TRUE(contains(message, "[0, 10)")) << message;
    }
}

TEST(BuildGraph, RefusesPairsThatAreNotAUserAndAnItem) {
  const BuildOptions options{.kind = GraphKind::kBipartite, .users = 4};
  for (const Pair pair : {Pair{7, 1}, {1, 2}, {8, 9}, {4, 8}, {1, 3}, {2, 2}, {-1, 8}, {1, 10}})
    EXPECT_TRUE(contains(build_error(ErrorKind::kData, options, 3, pair), "edge 3 is ("));
}

TEST(BuildGraph, RefusesUsersAndWeightsThatDoNotFit) {
  ThreadPool pool(1);
  const auto build = [&](std::vector<float> weights, NodeId nodes, BuildOptions options) {
    build_graph({{{0, 1}, {1, 2}}, std::move(weights)}, nodes, options, pool);
  };
  for (const NodeId users : {-1, 4})
    EXPECT_TRUE(contains(error_of(ErrorKind::kUsage,
                                  [&] {
                                    build({}, 3, {GraphKind::kBipartite, users});
                                  }),
                         fmt::format("{} users among 3 nodes", users)));
  EXPECT_TRUE(contains(error_of(ErrorKind::kUsage, [&] { build({}, -1, {}); }), "-1 nodes"));
  EXPECT_TRUE(
      contains(error_of(ErrorKind::kUsage, [&] { build({1}, 3, {}); }), "1 weights for 2 edges"));
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float weight : {-1.0F, infinity, -infinity, std::nanf("")}) {
    const auto message = error_of(ErrorKind::kData, [&] { build({0, weight}, 3, {}); });
    EXPECT_TRUE(contains(message, fmt::format("edge 1 weighs {}", weight))) << message;
  }
  EXPECT_NO_THROW(build({0, std::numeric_limits<float>::max()}, 3, {}));
}

}  // namespace
}  // namespace mcns
