// Metrics of rankings at any cut against twins that sort a user's whole list, and by groups.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"
#include "mcns/eval/ranking.h"

#include "tests/graph_support.h"
#include "tests/test_io_files.h"

namespace mcns {
namespace {

constexpr NodeId kUsers = 90, kItems = 400;  // more than a block of users and a tile of items

struct World {
  Graph train;
  std::vector<Pair> ranked, known;
  Matrix table;

  float score(NodeId user, NodeId item) const {
    float sum = 0;
    for (int k = 0; k < table.dim(); ++k) sum += table.row(user)[k] * table.row(item)[k];
    return sum;
  }
};

/// Small integers as coordinates, so that sums are exact; a last one that makes all scores of a
/// user different, where `ties` is false. User 0 and the last items have no training edge.
World make_world(bool ties, std::uint64_t seed) {
  Rng rng(seed, Domain::kTest);
  World out;
  std::set<std::pair<NodeId, NodeId>> used;
  const auto draw = [&](int count, NodeId first_user, NodeId items) {
    std::vector<Pair> pairs;
    while (std::ssize(pairs) < count) {
      const auto user = first_user + static_cast<NodeId>(rng.below(kUsers - first_user));
      const auto item = kUsers + static_cast<NodeId>(rng.below(items));
      if (used.insert({user, item}).second) pairs.push_back({user, item});
    }
    return pairs;
  };
  out.train = make_graph(draw(1500, 1, kItems - 50), kUsers + kItems,
                         {.kind = GraphKind::kBipartite, .users = kUsers});
  out.known = draw(100, 1, kItems);
  out.ranked = draw(500, 0, kItems);
  out.table = Matrix(kUsers + kItems, 4);
  for (NodeId v = 0; v < kUsers + kItems; ++v) {
    for (int k = 0; k < 3; ++k) out.table.row(v)[k] = static_cast<float>(rng.below(5)) - 2.0F;
    out.table.row(v)[3] = ties ? 0.0F : v < kUsers ? 1.0F : static_cast<float>(v) / 1024;
  }
  return out;
}

/// A user's recommendable items, best first, and which of them are held out. Without ties.
struct SlowList {
  std::vector<NodeId> items;
  std::set<NodeId> targets;
};

SlowList slow_list(const World& world, NodeId user) {
  SlowList out;
  std::set<NodeId> hidden(world.train.neighbors(user).begin(), world.train.neighbors(user).end());
  for (const auto [u, v] : world.known)
    if (u == user) hidden.insert(v);
  for (const auto [u, v] : world.ranked)
    if (u == user) out.targets.insert(v);
  for (NodeId v = kUsers; v < kUsers + kItems; ++v)
    if (!hidden.contains(v)) out.items.push_back(v);
  std::ranges::stable_sort(out.items, std::greater{},
                           [&](NodeId v) { return world.score(user, v); });
  return out;
}

/// Precision of the first K, recall, average precision, ndcg and area of one list, by definition.
std::map<std::string, double> slow_user(const SlowList& list, const std::set<NodeId>& targets,
                                        int cut) {
  double found = 0, precision_sum = 0, gain = 0, ideal = 0, area = 0;
  const auto wanted = static_cast<int>(targets.size());
  double others_above = 0, others = 0;
  for (const NodeId item : list.items) others += list.targets.contains(item) ? 0 : 1;
  for (int i = 0; i < static_cast<int>(list.items.size()); ++i) {
    const bool hit = targets.contains(list.items[i]);
    if (hit && i < cut) {
      found += 1;
      gain += 1 / std::log2(i + 2.0);
      precision_sum += found / (i + 1);
    }
    if (hit) area += 1 - others_above / others;
    if (!list.targets.contains(list.items[i])) others_above += 1;
    if (i < std::min(cut, wanted)) ideal += 1 / std::log2(i + 2.0);
  }
  return {{"precision", found / cut},
          {"recall", found / wanted},
          {"map", precision_sum / std::min(cut, wanted)},
          {"ndcg", gain / ideal},
          {"auc", area / wanted}};
}

Evaluation evaluate(const World& world, const std::string& metrics, int threads = 1) {
  ThreadPool pool(threads);
  const RankingOptions options{.metrics = parse_ranking_metrics(metrics)};
  return RankingEvaluator(world.train, world.ranked, world.known, options)
      .evaluate_fully({world.table.view(), world.table.view()}, pool);
}

TEST(RankingMetrics, EqualTheirTwinsAtAnyCut) {
  const World world = make_world(false, 1);
  for (const int cut : {1, 3, 20, 50, 1000}) {
    const auto at = [&](const char* name) { return fmt::format("{}@{}", name, cut); };
    const auto metrics = evaluate(world, fmt::format("{},{},{},{},auc", at("precision"),
                                                     at("recall"), at("map"), at("ndcg")))
                             .metrics;
    std::map<std::string, double> sums;
    std::set<NodeId> users;
    for (const auto [u, v] : world.ranked) users.insert(u);
    for (const NodeId user : users) {
      const SlowList list = slow_list(world, user);
      for (const auto& [name, value] : slow_user(list, list.targets, cut)) sums[name] += value;
    }
    for (const char* name : {"precision", "recall", "map", "ndcg"})
      EXPECT_NEAR(value_of(metrics, at(name)), sums[name] / std::ssize(users), 1e-12) << at(name);
    EXPECT_NEAR(value_of(metrics, "auc"), sums["auc"] / std::ssize(users), 1e-12);
  }
}

TEST(RankingMetrics, OfPairsEqualTheirTwinsAtAnyCut) {
  const World world = make_world(false, 2);
  double mrr = 0, mrr7 = 0, hits = 0;
  for (const auto [user, item] : world.ranked) {
    const SlowList list = slow_list(world, user);
    double rank = 1;  // a user's other held-out items do not compete
    for (const NodeId other : list.items) {
      if (other == item) break;
      rank += list.targets.contains(other) ? 0 : 1;
    }
    mrr += 1 / rank;
    mrr7 += rank <= 7 ? 1 / rank : 0;
    hits += rank <= 7 ? 1 : 0;
  }
  const auto metrics = evaluate(world, "mrr,mrr@7,hits@7").metrics;
  const auto pairs = static_cast<double>(world.ranked.size());
  EXPECT_NEAR(value_of(metrics, "mrr"), mrr / pairs, 1e-12);
  EXPECT_NEAR(value_of(metrics, "mrr@7"), mrr7 / pairs, 1e-12);
  EXPECT_NEAR(value_of(metrics, "hits@7"), hits / pairs, 1e-12);
}

TEST(RankingMetrics, CoverageCountsItemsOfAnyList) {
  for (const bool ties : {false, true}) {
    const World world = make_world(ties, 3);
    std::set<NodeId> users, shown1, shown12;
    for (const auto [u, v] : world.ranked) users.insert(u);
    for (const NodeId user : users) {
      const auto items = slow_list(world, user).items;
      shown1.insert(items[0]);
      shown12.insert(items.begin(), items.begin() + 12);
    }
    for (const int threads : {1, 3}) {
      const auto metrics = evaluate(world, "coverage@12,coverage@1", threads).metrics;
      EXPECT_DOUBLE_EQ(value_of(metrics, "coverage@12"), std::ssize(shown12) / double(kItems));
      EXPECT_DOUBLE_EQ(value_of(metrics, "coverage@1"), std::ssize(shown1) / double(kItems));
    }
  }
}

/// A group of items: its targets alone are wanted, everything else stands where it stood.
TEST(RankingMetrics, GroupsEqualTheirTwins) {
  const World world = make_world(false, 4);
  const auto groups = evaluate(world, "recall@20,ndcg@20,auc,mrr").groups;
  const std::map<std::string, std::pair<EdgeId, EdgeId>> ranges = {
      {"cold", {0, 0}}, {"1-4", {1, 4}}, {"5-19", {5, 19}}, {"20-99", {20, 99}}};
  std::int64_t pairs_of_users = 0, pairs_of_items = 0;
  std::set<std::string> seen;
  for (const GroupMetrics& group : groups) {
    const bool of_users = group.of == "users";
    (of_users ? pairs_of_users : pairs_of_items) += group.pairs;
    seen.insert(group.of + " " + group.name);
    const auto [low, high] = ranges.at(group.name);
    std::map<NodeId, std::set<NodeId>> wanted;
    for (const auto [u, v] : world.ranked) {
      const EdgeId edges = world.train.degree(of_users ? u : v);
      if (low <= edges && edges <= high) wanted[u].insert(v);
    }
    EXPECT_EQ(group.users, std::ssize(wanted));
    std::map<std::string, double> sums;
    for (const auto& [user, targets] : wanted)
      for (const auto& [name, value] : slow_user(slow_list(world, user), targets, 20))
        sums[name] += value / static_cast<double>(wanted.size());
    EXPECT_NEAR(value_of(group.metrics, "recall@20"), sums["recall"], 1e-12) << group.name;
    EXPECT_NEAR(value_of(group.metrics, "ndcg@20"), sums["ndcg"], 1e-12) << group.name;
    EXPECT_NEAR(value_of(group.metrics, "auc"), sums["auc"], 1e-12) << group.name;
  }
  EXPECT_EQ(pairs_of_users, std::ssize(world.ranked));
  EXPECT_EQ(pairs_of_items, std::ssize(world.ranked));
  EXPECT_TRUE(seen.contains("users cold") && seen.contains("items cold"));
}

TEST(RankingMetrics, TheUsualOnesStayAndOthersFollow) {
  const World world = make_world(true, 5);
  ThreadPool pool(1);
  const auto usual = RankingEvaluator(world.train, world.ranked, world.known)
                         .evaluate({world.table.view(), world.table.view()}, pool);
  const auto all = evaluate(world, "mrr,recall@50,recall@50").metrics;
  ASSERT_EQ(all.size(), usual.size() + 1);
  EXPECT_TRUE(std::equal(usual.begin(), usual.end(), all.begin()));
  EXPECT_EQ(all.back().name, "recall@50");
}

TEST(RankingMetrics, TiedItemsKeepFiguresWithinOne) {
  World world = make_world(true, 6);
  for (NodeId v = 0; v < kUsers + kItems; ++v) std::fill_n(world.table.row(v), 4, 0.0F);
  for (const auto& [name, value] :
       evaluate(world, "map@1000,ndcg@1000,precision@1000,auc,recall@1000").metrics)
    EXPECT_LE(value, 1.0) << name;
}

TEST(RankingMetrics, WrongNamesAreRefused) {
  const auto message = [](const std::string& list) {
    return error_of(ErrorKind::kUsage, [&] { parse_ranking_metrics(list); });
  };
  EXPECT_TRUE(contains(message("ndgc@10"), "ndcg@K"));
  EXPECT_TRUE(contains(message("recall"), "recall@10"));
  EXPECT_TRUE(contains(message("auc@5"), "no cut"));
  EXPECT_TRUE(contains(message("hits@0"), "from 1"));
  EXPECT_TRUE(contains(message("hits@ten"), "from 1"));
  EXPECT_TRUE(contains(message("mrr,,auc"), "metric"));
  const World world = make_world(true, 7);
  EXPECT_THROW(RankingEvaluator(world.train, world.ranked, world.known,
                                {10, 1, parse_ranking_metrics("coverage@5")}),
               Error);
}

}  // namespace
}  // namespace mcns
