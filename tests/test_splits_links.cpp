// Link-prediction splits: residual components, disjoint and reverse-free parts, exact negatives.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"
#include "mcns/splits/links.h"

namespace mcns {
namespace {

Graph make_graph(std::vector<Pair> pairs, NodeId nodes, GraphKind kind = GraphKind::kUndirected,
                 NodeId users = 0) {
  ThreadPool pool(1);
  EdgeList edges{std::move(pairs), {}};
  for (const auto [u, v] : edges.pairs)
    edges.weights.push_back(static_cast<float>(1 + std::min(u, v) + 3 * std::max(u, v)));
  BuildOptions options;
  options.kind = kind;
  options.users = users;
  options.self_loops = SelfLoops::kKeep;
  return build_graph(std::move(edges), nodes, options, pool);
}

SplitRequest connected(double valid, double test, std::uint64_t seed = 1,
                       Reciprocal reciprocal = Reciprocal::kApart) {
  return {.kind = SplitKind::kConnected,
          .valid = valid,
          .test = test,
          .reciprocal = reciprocal,
          .seed = seed};
}

/// Three groups that are not connected to each other, some self loops, isolated nodes at the end.
Graph random_graph(GraphKind kind, std::uint64_t seed) {
  Rng rng(seed, Domain::kTest);
  std::vector<Pair> pairs;
  const NodeId users = kind == GraphKind::kBipartite ? 45 : 0;
  for (int i = 0; i < 260; ++i) {
    const auto group = static_cast<NodeId>(rng.below(3));
    const auto within = [&] { return group * 15 + static_cast<NodeId>(rng.below(15)); };
    pairs.push_back({within(), users + within()});
  }
  return make_graph(pairs, users + 48, kind, users);
}

/// Component of every node by spreading the least id until nothing changes: slow and plain.
std::vector<NodeId> components(const std::vector<Pair>& pairs, NodeId nodes) {
  std::vector<NodeId> component(nodes);
  for (NodeId v = 0; v < nodes; ++v) component[v] = v;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto [u, v] : pairs) {
      const NodeId least = std::min(component[u], component[v]);
      changed = changed || component[u] != least || component[v] != least;
      component[u] = component[v] = least;
    }
  }
  return component;
}

std::vector<Pair> with_label(const HeldOut& held_out, std::uint8_t label) {
  std::vector<Pair> out;
  for (std::size_t i = 0; i < held_out.pairs.size(); ++i)
    if (held_out.labels[i] == label) out.push_back(held_out.pairs[i]);
  return out;
}

Pair sorted(Pair pair) {
  return {std::min(pair.source, pair.target), std::max(pair.source, pair.target)};
}

bool equal(const LinkSplit& a, const LinkSplit& b) {
  return a.train.pairs == b.train.pairs && a.train.weights == b.train.weights &&
         a.valid.pairs == b.valid.pairs && a.valid.labels == b.valid.labels &&
         a.test.pairs == b.test.pairs && a.test.labels == b.test.labels;
}

struct Case {
  GraphKind kind;
  Reciprocal reciprocal;
};

class SplitLinks : public testing::TestWithParam<Case> {
 protected:
  LinkSplit split(const Graph& graph, std::uint64_t seed, int threads = 2) {
    ThreadPool pool(threads);
    return split_links(graph, connected(0.05, 0.3, seed, GetParam().reciprocal), pool);
  }
  bool together() const {
    return GetParam().kind == GraphKind::kUndirected ||
           (GetParam().kind == GraphKind::kDirected &&
            GetParam().reciprocal == Reciprocal::kTogether);
  }
};

TEST_P(SplitLinks, KeepsComponentsAndLosesNothing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Graph graph = random_graph(GetParam().kind, seed);
    const EdgeList whole = edge_list(graph);
    const LinkSplit out = split(graph, seed);
    EXPECT_EQ(components(out.train.pairs, graph.num_nodes()),
              components(whole.pairs, graph.num_nodes()));
    std::map<Pair, float> weights;
    for (std::size_t i = 0; i < whole.pairs.size(); ++i) weights[whole.pairs[i]] = whole.weights[i];
    std::multiset<Pair> parts(out.train.pairs.begin(), out.train.pairs.end());
    for (const auto* held_out : {&out.valid, &out.test})
      for (const Pair pair : with_label(*held_out, 1)) parts.insert(pair);
    EXPECT_EQ(parts, std::multiset<Pair>(whole.pairs.begin(), whole.pairs.end()));
    ASSERT_EQ(out.train.weights.size(), out.train.pairs.size());
    for (std::size_t i = 0; i < out.train.pairs.size(); ++i)
      EXPECT_EQ(out.train.weights[i], weights[out.train.pairs[i]]);
  }
}

TEST_P(SplitLinks, HoldsOutTheFractionsWithoutSelfLoops) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Graph graph = random_graph(GetParam().kind, seed);
    const auto whole = edge_list(graph).pairs;
    const auto loops =
        std::count_if(whole.begin(), whole.end(), [](Pair p) { return p.source == p.target; });
    const LinkSplit out = split(graph, seed);
    const auto edges = static_cast<EdgeId>(whole.size()) - loops;
    EXPECT_EQ(out.counts.edges, edges);
    EXPECT_TRUE(out.counts.complete(out.valid, out.test));
    const int slack = GetParam().kind == GraphKind::kDirected && together() ? 1 : 0;
    const auto tests = std::ssize(with_label(out.test, 1));
    const auto valids = std::ssize(with_label(out.valid, 1));
    EXPECT_GE(tests, std::llround(0.3 * edges));
    EXPECT_LE(tests, std::llround(0.3 * edges) + slack);
    EXPECT_GE(valids, std::llround(0.05 * edges));
    EXPECT_LE(valids, std::llround(0.05 * edges) + slack);
    for (const auto* held_out : {&out.valid, &out.test})
      for (const auto [u, v] : held_out->pairs) EXPECT_NE(u, v);
  }
}

TEST_P(SplitLinks, NoEdgeIsInTwoPartsInAnyDirection) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const LinkSplit out = split(random_graph(GetParam().kind, seed), seed);
    const auto unit = [&](Pair pair) { return together() ? sorted(pair) : pair; };
    std::set<Pair> train, valid, test;
    for (const Pair pair : out.train.pairs) train.insert(unit(pair));
    for (const Pair pair : with_label(out.valid, 1)) valid.insert(unit(pair));
    for (const Pair pair : with_label(out.test, 1)) test.insert(unit(pair));
    for (const Pair pair : valid) EXPECT_FALSE(train.contains(pair) || test.contains(pair));
    for (const Pair pair : test) EXPECT_FALSE(train.contains(pair));
  }
}

TEST_P(SplitLinks, NegativesAreDistinctNonEdgesOfTheWholeGraph) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Graph graph = random_graph(GetParam().kind, seed);
    const LinkSplit out = split(graph, seed);
    std::set<Pair> seen;
    for (const auto* held_out : {&out.valid, &out.test}) {
      const auto negatives = with_label(*held_out, 0);
      EXPECT_EQ(negatives.size(), with_label(*held_out, 1).size());
      for (const Pair pair : negatives) {
        EXPECT_TRUE(seen.insert(together() ? sorted(pair) : pair).second);
        EXPECT_FALSE(graph.has_edge(pair.source, pair.target));
        if (together()) EXPECT_FALSE(graph.has_edge(pair.target, pair.source));
        EXPECT_TRUE(graph.sources().contains(pair.source));
        EXPECT_TRUE(graph.targets().contains(pair.target));
      }
    }
  }
}

TEST_P(SplitLinks, SameBitsForAnyThreadsOtherBitsForOtherSeeds) {
  const Graph graph = random_graph(GetParam().kind, 1);
  const LinkSplit out = split(graph, 1, 1);
  for (const int threads : {2, 3, 7}) EXPECT_TRUE(equal(out, split(graph, 1, threads)));
  EXPECT_FALSE(equal(out, split(graph, 2, 1)));
}

TEST_P(SplitLinks, SameBitsForAnyThreadsWhereWorkIsShared) {
  Rng rng(1, Domain::kTest);
  const NodeId users = GetParam().kind == GraphKind::kBipartite ? 1000 : 0;
  std::vector<Pair> pairs;
  for (int i = 0; i < 20000; ++i)
    pairs.push_back(
        {static_cast<NodeId>(rng.below(1000)), users + static_cast<NodeId>(rng.below(1000))});
  const Graph graph = make_graph(pairs, users + 1000, GetParam().kind, users);
  const LinkSplit out = split(graph, 1, 1);
  for (const int threads : {2, 3, 7}) EXPECT_TRUE(equal(out, split(graph, 1, threads)));
}

INSTANTIATE_TEST_SUITE_P(Kinds, SplitLinks,
                         testing::Values(Case{GraphKind::kUndirected, Reciprocal::kTogether},
                                         Case{GraphKind::kDirected, Reciprocal::kTogether},
                                         Case{GraphKind::kDirected, Reciprocal::kApart},
                                         Case{GraphKind::kBipartite, Reciprocal::kTogether}));

TEST(SplitLinksReport, ATreeGivesNothingAndSaysSo) {
  ThreadPool pool(1);
  const Graph path = make_graph({{0, 1}, {1, 2}, {2, 3}, {3, 4}}, 5);
  const LinkSplit out = split_links(path, connected(0.0, 0.5), pool);
  EXPECT_TRUE(out.test.empty());
  EXPECT_EQ(out.train.pairs.size(), 4);
  EXPECT_EQ(out.counts.removable, 0);
  EXPECT_EQ(out.counts.wanted_test, 2);
  EXPECT_FALSE(out.counts.complete(out.valid, out.test));
}

TEST(SplitLinksReport, TestIsServedBeforeValid) {
  ThreadPool pool(1);
  // A ring with one chord: two edges outside the forest.
  const Graph ring = make_graph({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {0, 2}}, 5);
  const LinkSplit out = split_links(ring, connected(0.4, 0.5), pool);
  EXPECT_EQ(out.counts.removable, 2);
  EXPECT_EQ(with_label(out.test, 1).size(), 2);
  EXPECT_TRUE(out.valid.empty());
}

TEST(SplitLinksReport, RepeatedEdgesLeaveTogether) {
  ThreadPool pool(1);
  EdgeList edges{{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 0}, {0, 2}}, {}};
  BuildOptions options;
  options.repeated = Repeated::kKeep;
  const Graph graph = build_graph(edges, 9, options, pool);
  const LinkSplit out = split_links(graph, connected(0.0, 0.34), pool);
  EXPECT_EQ(out.train.pairs.size(), 4);
  ASSERT_EQ(with_label(out.test, 1).size(), 1);
  const Pair held_out = with_label(out.test, 1)[0];
  EXPECT_EQ(std::count(out.train.pairs.begin(), out.train.pairs.end(), held_out), 0);
}

TEST(SplitLinksReport, RefusesAGraphWithoutEnoughNonEdges) {
  ThreadPool pool(1);
  std::vector<Pair> all;
  for (NodeId u = 0; u < 8; ++u)
    for (NodeId v = u + 1; v < 8; ++v) all.push_back({u, v});
  all.pop_back();
  const Graph nearly_complete = make_graph(all, 8);
  try {
    split_links(nearly_complete, connected(0.0, 0.3), pool);
    FAIL() << "8 non-edges found in a graph with one";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_NE(std::string(error.what()).find("too dense"), std::string::npos) << error.what();
  }
  const auto only = sample_non_edges(nearly_complete, {.count = 1}, pool);
  EXPECT_EQ(only, (std::vector<Pair>{{6, 7}}));
}

/// Chi-square of how often each non-edge is in a sample of `count`, over many seeds, against equal
/// frequencies; scaled for drawing without replacement. The result is compared with the 0.1 %
/// point.
double uniformity(const Graph& graph, EdgeId count, const std::set<Pair>& non_edges,
                  Reciprocal reciprocal) {
  constexpr int kSeeds = 4000;
  ThreadPool pool(1);
  std::map<Pair, int> drawn;
  for (int seed = 0; seed < kSeeds; ++seed)
    for (const Pair pair :
         sample_non_edges(graph, {count, static_cast<std::uint64_t>(seed), reciprocal}, pool))
      ++drawn[pair];
  for (const auto& [pair, times] : drawn) EXPECT_TRUE(non_edges.contains(pair));
  const auto cells = static_cast<double>(non_edges.size());
  const double share = static_cast<double>(count) / cells;
  double statistic = 0;
  for (const Pair pair : non_edges) {
    const double off = drawn[pair] - kSeeds * share;
    statistic += off * off / (kSeeds * share * (1 - share) * cells / (cells - 1));
  }
  return statistic;
}

std::set<Pair> all_non_edges(const Graph& graph, bool ordered) {
  std::set<Pair> out;
  for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u)
    for (NodeId v = graph.targets().begin; v < graph.targets().end; ++v)
      if (u != v && (ordered || u < v) && !graph.has_edge(u, v)) out.insert({u, v});
  return out;
}

// Each of the next tests fails a right sampler with probability 0.001, once and for all as the
// seeds are fixed.
TEST(NonEdges, UniformByRejection) {
  const Graph graph = make_graph({{0, 1}, {1, 2}, {2, 3}, {0, 0}}, 6);
  const auto expected = all_non_edges(graph, false);
  ASSERT_EQ(expected.size(), 12);
  EXPECT_LT(uniformity(graph, 5, expected, Reciprocal::kTogether), 31.26);  // 11 degrees
}

TEST(NonEdges, UniformByEnumeration) {
  const Graph graph =
      make_graph({{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}}, 6);
  const auto expected = all_non_edges(graph, false);
  ASSERT_EQ(expected.size(), 6);
  EXPECT_LT(uniformity(graph, 4, expected, Reciprocal::kTogether), 20.52);  // 5 degrees
}

TEST(NonEdges, UniformOverDirectedPairs) {
  const Graph graph = make_graph({{0, 1}, {1, 0}, {1, 2}, {2, 3}}, 4, GraphKind::kDirected);
  const auto apart = all_non_edges(graph, true);
  ASSERT_EQ(apart.size(), 8);
  EXPECT_LT(uniformity(graph, 3, apart, Reciprocal::kApart), 24.32);  // 7 degrees
  const std::set<Pair> together = {{0, 2}, {2, 0}, {0, 3}, {3, 0}, {1, 3}, {3, 1}};
  EXPECT_LT(uniformity(graph, 1, together, Reciprocal::kTogether), 20.52);  // 5 degrees
}

TEST(NonEdges, UniformOverUserItemPairs) {
  const Graph graph = make_graph({{0, 3}, {1, 3}, {2, 5}}, 6, GraphKind::kBipartite, 3);
  const auto expected = all_non_edges(graph, true);
  ASSERT_EQ(expected.size(), 6);
  EXPECT_LT(uniformity(graph, 2, expected, Reciprocal::kTogether), 20.52);  // 5 degrees
}

TEST(NonEdges, TakesEveryOneWhereAllAreWanted) {
  const Graph graph = random_graph(GraphKind::kUndirected, 3);
  const auto expected = all_non_edges(graph, false);
  ThreadPool pool(2);
  const auto drawn = sample_non_edges(graph, {.count = static_cast<EdgeId>(expected.size())}, pool);
  EXPECT_EQ(std::set<Pair>(drawn.begin(), drawn.end()), expected);
  EXPECT_EQ(drawn.size(), expected.size());
}

}  // namespace
}  // namespace mcns
