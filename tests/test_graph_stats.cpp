// Statistics against a hand-counted graph and a slow oracle; the memory formula against real
// tables.
#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/core/generate.h"
#include "mcns/core/graph_stats.h"
#include "mcns/core/matrix.h"
#include "mcns/plan/memory.h"

namespace mcns {
namespace {

Graph build(std::vector<Pair> pairs, NodeId nodes, BuildOptions options) {
  ThreadPool pool(1);
  EdgeList edges;
  edges.pairs = std::move(pairs);
  return build_graph(std::move(edges), nodes, options, pool);
}

TEST(GraphStats, CountsASmallGraph) {
  const auto graph = build({{0, 1}, {1, 2}, {2, 1}, {3, 3}, {4, 5}}, 7,
                           {.repeated = Repeated::kKeep, .self_loops = SelfLoops::kKeep});
  const auto stats = compute_stats(graph);
  EXPECT_EQ(stats.degrees.min, 0);
  EXPECT_EQ(stats.degrees.max, 3);
  EXPECT_DOUBLE_EQ(stats.degrees.median, 1);
  EXPECT_DOUBLE_EQ(stats.degrees.mean, 9.0 / 7);
  EXPECT_EQ(stats.isolated, 1);
  EXPECT_EQ(stats.components, 4);
  EXPECT_EQ(stats.largest_component, 3);
  EXPECT_EQ(stats.self_loops, 1);
  EXPECT_EQ(stats.repeated, 1);
}

TEST(GraphStats, ADirectedSinkIsNotIsolated) {
  const auto stats = compute_stats(build({{0, 1}, {2, 1}}, 4, {.kind = GraphKind::kDirected}));
  EXPECT_EQ(stats.isolated, 1);
  EXPECT_EQ(stats.components, 2);
  EXPECT_DOUBLE_EQ(stats.degrees.median, 0.5);
}

TEST(GraphStats, UsersAndItems) {
  const auto stats = compute_stats(
      build({{0, 2}, {0, 3}, {1, 2}}, 5, {.kind = GraphKind::kBipartite, .users = 2}));
  EXPECT_DOUBLE_EQ(stats.users.mean, 1.5);
  EXPECT_EQ(stats.items.min, 0);
  EXPECT_EQ(stats.items.max, 2);
}

TEST(GraphStats, EmptyGraph) {
  const auto stats = compute_stats(build({}, 0, {}));
  EXPECT_EQ(stats.components, 0);
  EXPECT_EQ(stats.largest_component, 0);
}

TEST(GraphStats, ComponentsAgreeWithASearch) {
  ThreadPool pool(1);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto graph =
        generate_graph("erdos-renyi", {.nodes = 300, .edges = 140, .seed = seed}, pool).graph;
    NodeId components = 0, largest = 0;
    std::vector<bool> seen(300);
    for (NodeId start = 0; start < 300; ++start) {
      if (seen[start]) continue;
      std::vector<NodeId> reached = {start};
      seen[start] = true;
      for (std::size_t i = 0; i < reached.size(); ++i)
        for (const NodeId v : graph.neighbors(reached[i]))
          if (!seen[v]) {
            seen[v] = true;
            reached.push_back(v);
          }
      ++components;
      largest = std::max(largest, static_cast<NodeId>(reached.size()));
    }
    const auto stats = compute_stats(graph);
    EXPECT_EQ(stats.components, components);
    EXPECT_EQ(stats.largest_component, largest);
  }
}

TrainOptions settings(int dim, int tables, const std::string& optimizer) {
  TrainOptions o;
  o.dim = dim;
  o.tables = tables;
  o.optimizer = optimizer;
  return o;
}

TEST(Memory, CountsPaddedTablesAndOptimizerState) {
  const auto graph = build({{0, 1}, {1, 2}}, 3, {});
  const Names names(std::vector<std::int64_t>{0, 1, 2});
  const std::uint64_t table = Matrix(3, 20).size() * sizeof(float);
  const auto bytes = [&](const TrainOptions& options, const std::string& what,
                         const MemoryRequest& request = {}, std::optional<Task> task = {}) {
    const auto parts = estimate_memory(graph, names, make_plan(options, task, graph), request);
    std::uint64_t sum = 0, found = 0;
    for (const auto& part : parts) {
      sum += part.bytes;
      if (part.what == what) found = part.bytes;
    }
    EXPECT_EQ(total_bytes(parts), sum);
    return found;
  };
  EXPECT_EQ(bytes(settings(20, 1, "sgd"), "parameters"), table);
  EXPECT_EQ(bytes(settings(20, 2, "sgd"), "parameters"), 2 * table);
  EXPECT_EQ(bytes(settings(20, 2, "sgd"), "optimizer"), 0U);
  EXPECT_EQ(bytes(settings(20, 2, "adagrad"), "optimizer"), 2 * table);
  EXPECT_EQ(bytes(settings(20, 2, "adam"), "optimizer"), 4 * table);
  EXPECT_EQ(bytes(settings(20, 2, "adam"), "best epoch"), 0U);
  EXPECT_EQ(bytes(settings(20, 2, "adam"), "best epoch", {}, Task::kLinkpred), 2 * table);
  EXPECT_EQ(bytes(settings(20, 2, "adam"), "graph"), graph.bytes());
  EXPECT_GT(bytes(settings(20, 2, "adam"), "reading", {.peak_so_far = 1 << 30}), 0U);
}

TEST(Memory, OfAMixtureIsThatOfItsParts) {
  const auto graph = build({{0, 1}, {1, 2}}, 3, {});
  const Names names(std::vector<std::int64_t>{0, 1, 2});
  const auto bytes = [&](const std::string& sampler) {
    TrainOptions options = settings(20, 2, "adam");
    options.sampler = sampler;
    for (const auto& part : estimate_memory(graph, names, make_plan(options, std::nullopt, graph)))
      if (part.what == "sampler") return part.bytes;
    return std::uint64_t{0};
  };
  EXPECT_GT(bytes("kbgan"), 0U);
  const auto none = bytes("mix:1*rns");  // what the mixture itself takes
  EXPECT_EQ(bytes("mix:0.5*degree+0.5*wrmf"), none + bytes("degree") + bytes("wrmf"));
  EXPECT_EQ(bytes("mix:ramp=3,rns>pinsage"), 2 * none + bytes("pinsage"));
  EXPECT_GT(bytes("mix:1*kbgan"),
            none + bytes("kbgan"));  // five negatives, five sets of candidates
  EXPECT_THROW(bytes("mix:0.5*rns+0.5*nonsense"), Error);
  EXPECT_THROW(bytes("mix:0.5*rns+0.5*mix:0.5*rns+0.5*dns"), Error);
}

}  // namespace
}  // namespace mcns
