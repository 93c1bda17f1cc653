// Splits by time, leave-one-out and hidden links: parts are disjoint and cover everything, and each
// has the property that it is named after.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"
#include "mcns/splits/cold.h"
#include "mcns/splits/interactions.h"
#include "mcns/splits/links.h"

#include "tests/graph_support.h"
#include "tests/test_io_files.h"

namespace mcns {
namespace {

using PairSet = std::set<std::pair<NodeId, NodeId>>;

struct Timed {
  std::vector<Pair> pairs;
  std::vector<double> times;
  Interactions view() const { return {pairs, {}, times}; }

  /// The latest time of a pair.
  double time(Pair pair) const {
    double out = -1;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (pairs[i] == pair) out = std::max(out, times[i]);
    return out;
  }
};

/// Users with 1 to 12 lines, some of them repeated; few distinct times, so that many are equal.
Timed random_timed(std::uint64_t seed, int times) {
  Rng rng(seed, Domain::kTest);
  Timed out;
  for (NodeId user = 0; user < 40; ++user)
    for (auto lines = 1 + rng.below(12); lines > 0; --lines) {
      out.pairs.push_back({user, 40 + static_cast<NodeId>(rng.below(25))});
      out.times.push_back(static_cast<double>(rng.below(times)));
    }
  return out;
}

PairSet set_of(std::span<const Pair> pairs) {
  PairSet out;
  for (const auto [u, v] : pairs) out.insert({u, v});
  return out;
}

/// No pair is in two parts, no line is lost, train keeps the weights of its lines.
void expect_partition(const Timed& all, const InteractionSplit& split) {
  const PairSet train = set_of(split.train.pairs), valid = set_of(split.valid),
                test = set_of(split.test);
  PairSet joined = train;
  joined.insert(valid.begin(), valid.end());
  joined.insert(test.begin(), test.end());
  EXPECT_EQ(joined.size(), train.size() + valid.size() + test.size());
  EXPECT_EQ(joined, set_of(all.pairs));
  EXPECT_EQ(split.train.pairs.size() + split.valid.size() + split.test.size(), all.pairs.size());
}

TEST(SplitKinds, AGlobalCutByTimeIsOneInTime) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    for (const int times : {6, 1000}) {
      const Timed all = random_timed(seed, times);
      const auto split = split_at_time(all.view(), 0.1, 0.2);
      expect_partition(all, split);
      double train = -1, first_valid = 1e9, last_valid = -1, first_test = 1e9;
      for (const Pair pair : split.train.pairs) train = std::max(train, all.time(pair));
      for (const Pair pair : split.valid) first_valid = std::min(first_valid, all.time(pair));
      for (const Pair pair : split.valid) last_valid = std::max(last_valid, all.time(pair));
      for (const Pair pair : split.test) first_test = std::min(first_test, all.time(pair));
      EXPECT_LT(train, first_valid);
      EXPECT_LT(last_valid, first_test);
      if (times == 6) continue;  // equal times make parts larger or smaller
      const double n = static_cast<double>(set_of(all.pairs).size());
      EXPECT_NEAR(static_cast<double>(set_of(split.test).size()), 0.2 * n, 3);
      EXPECT_NEAR(static_cast<double>(set_of(split.valid).size()), 0.1 * n, 3);
    }
}

TEST(SplitKinds, OneTimeForAllCannotBeCut) {
  Timed all = random_timed(1, 5);
  std::ranges::fill(all.times, 7.0);
  EXPECT_TRUE(contains(error_of(ErrorKind::kData, [&] { split_at_time(all.view(), 0, 0.2); }),
                       "same time"));
}

TEST(SplitKinds, TheLatestOfEachUserAreHeldOut) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Timed all = random_timed(seed, 8);
    const auto split = split_users_by_time(all.view(), 0.2, 0.3, seed);
    expect_partition(all, split);
    std::map<NodeId, double> last_train, first_test;
    std::map<NodeId, int> kept, valid, test;
    for (const auto [u, v] : set_of(split.train.pairs)) {
      ++kept[u];
      last_train[u] = std::max(last_train[u], all.time({u, v}));
    }
    for (const auto [u, v] : set_of(split.valid)) {
      ++valid[u];
      EXPECT_GE(all.time({u, v}), last_train[u]);
    }
    for (const auto [u, v] : set_of(split.test)) {
      ++test[u];
      EXPECT_GE(all.time({u, v}), last_train[u]);
      for (const Pair pair : split.valid)
        if (pair.source == u) EXPECT_GE(all.time({u, v}), all.time(pair));
    }
    for (NodeId user = 0; user < 40; ++user) {
      const double d = kept[user] + valid[user] + test[user];
      EXPECT_GE(kept[user], 1);
      EXPECT_EQ(test[user], std::min(std::llround(0.3 * d), std::llround(d) - 1));
      EXPECT_EQ(valid[user],
                std::min(std::llround(0.2 * d), std::llround(d) - 1 - std::llround(test[user])));
    }
  }
}

TEST(SplitKinds, LeaveOneOutTakesOneOfEachUser) {
  for (const bool with_times : {true, false}) {
    const Timed all = random_timed(3, 1000);
    const Interactions view = with_times ? all.view() : Interactions{all.pairs};
    const auto split = leave_one_out(view, {}, 1);
    expect_partition(all, split);
    std::map<NodeId, std::set<NodeId>> items;
    for (const auto [u, v] : all.pairs) items[u].insert(v);
    std::map<NodeId, int> valid, test;
    for (const auto [u, v] : set_of(split.valid)) ++valid[u];
    for (const auto [u, v] : set_of(split.test)) {
      ++test[u];
      if (with_times)
        for (const NodeId other : items[u]) EXPECT_LE(all.time({u, other}), all.time({u, v}));
    }
    for (const auto& [user, own] : items) {
      EXPECT_EQ(test[user], own.size() >= 2 ? 1 : 0);
      EXPECT_EQ(valid[user], own.size() >= 3 ? 1 : 0);
    }
  }
}

TEST(SplitKinds, WithoutTimesTheSeedDecidesWhichOneIsLeftOut) {
  const Timed all = random_timed(3, 1000);
  const Interactions view{all.pairs};
  EXPECT_EQ(set_of(leave_one_out(view, {}, 1).test), set_of(leave_one_out(view, {}, 1).test));
  EXPECT_NE(set_of(leave_one_out(view, {}, 1).test), set_of(leave_one_out(view, {}, 2).test));
  EXPECT_TRUE(leave_one_out(view, {.valid = false}, 1).valid.empty());
  EXPECT_TRUE(leave_one_out(view, {.test = false}, 1).test.empty());
}

std::vector<Pair> with_label(const HeldOut& part, std::uint8_t label) {
  std::vector<Pair> out;
  for (std::size_t i = 0; i < part.pairs.size(); ++i)
    if (part.labels[i] == label) out.push_back(part.pairs[i]);
  return out;
}

TEST(SplitKinds, HiddenLinksMayBreakComponentsAndConnectedOnesNever) {
  ThreadPool pool(2);
  EdgeList edges;
  for (NodeId v = 0; v < 99; ++v) edges.pairs.push_back({v, v + 1});  // every link is a bridge
  const Graph path = build_graph(std::move(edges), 100, {}, pool);
  SplitRequest request{.kind = SplitKind::kHidden, .valid = 0.1, .test = 0.3};
  const LinkSplit hidden = split_links(path, request, pool);
  EXPECT_EQ(with_label(hidden.test, 1).size(), 30U);
  EXPECT_EQ(with_label(hidden.valid, 1).size(), 10U);
  EXPECT_EQ(hidden.train.pairs.size(), 59U);
  for (const Pair pair : with_label(hidden.test, 0))
    EXPECT_FALSE(path.has_edge(pair.source, pair.target));
  EXPECT_GT(count_cold(build_graph({hidden.train}, 100, {}, pool), hidden.test).users, 0);
  request.kind = SplitKind::kConnected;
  EXPECT_TRUE(split_links(path, request, pool).test.empty());
}

TEST(SplitKinds, TheLatestLinksAreHeldOut) {
  ThreadPool pool(1);
  for (const auto kind : {GraphKind::kUndirected, GraphKind::kDirected}) {
    const Graph graph = random_graph(kind, 40, 150, 5);
    const EdgeList edges = edge_list(graph);
    Rng rng(1, Domain::kTest);
    std::vector<double> times;
    std::map<std::pair<NodeId, NodeId>, double> time;
    for (const auto [u, v] : edges.pairs) times.push_back(time[{u, v}] = rng.uniform());
    const SplitRequest request{.kind = SplitKind::kTime, .valid = 0.1, .test = 0.2};
    const LinkSplit split = split_links(graph, request, pool, times);
    double last = 0;
    for (const auto [u, v] : split.train.pairs)
      if (u != v) last = std::max(last, time[{u, v}]);
    for (const auto [u, v] : with_label(split.valid, 1)) EXPECT_GT((time[{u, v}]), last);
    double last_valid = 0;
    for (const auto [u, v] : with_label(split.valid, 1))
      last_valid = std::max(last_valid, time[{u, v}]);
    for (const auto [u, v] : with_label(split.test, 1)) EXPECT_GT((time[{u, v}]), last_valid);
    EXPECT_GT(with_label(split.test, 1).size(), 20U);
    EXPECT_EQ(with_label(split.test, 0).size(), with_label(split.test, 1).size());
  }
}

TEST(SplitKinds, NamesFitTheirTask) {
  EXPECT_EQ(parse_split("leave-one-out", Task::kRecommend), SplitKind::kLeaveOneOut);
  EXPECT_EQ(parse_split("hidden", Task::kLinkpred), SplitKind::kHidden);
  const auto message =
      error_of(ErrorKind::kUsage, [] { parse_split("connected", Task::kRecommend); });
  EXPECT_TRUE(contains(message, "leave-one-out")) << message;
  EXPECT_THROW(parse_split("leave-one-out", Task::kLinkpred), Error);
}

TEST(SplitKinds, ColdNodesAndSharedPairsAreCounted) {
  ThreadPool pool(1);
  // Users 0 to 2, items 3 to 6; user 2 and item 6 are cold.
  const Graph train =
      build_graph({{{0, 3}, {0, 4}, {1, 4}, {1, 5}}, {}}, 7, {GraphKind::kBipartite, 3}, pool);
  const HeldOut test{{{0, 5}, {2, 3}, {2, 6}, {1, 6}, {0, 4}, {0, 3}}, {1, 1, 1, 1, 1, 0}};
  const ColdCounts cold = count_cold(train, test);
  EXPECT_EQ(cold.users, 1);
  EXPECT_EQ(cold.items, 1);
  EXPECT_EQ(cold.pairs, 3);
  EXPECT_EQ(cold.of, 5);
  const Names names(std::vector<std::string>{"a", "b", "c", "p", "q", "r", "s"});
  const SharedPairs shared = shared_with_train(train, test, 1, names);
  EXPECT_EQ(shared.count, 1);
  EXPECT_EQ(shared.of, 5);
  EXPECT_EQ(shared.examples, std::vector<std::string>{"a q"});
  EXPECT_EQ(shared_with_train(train, test, 0, names).count, 1);
}

}  // namespace
}  // namespace mcns
