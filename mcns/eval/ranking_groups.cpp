// Ranks by groups of users and of items.
#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "mcns/eval/ranking_metrics.h"

namespace mcns {
namespace {

/// Training edges from which a group begins; below the first one that counts: cold.
constexpr std::int64_t kGroupBegins[] = {0, 1, 5, 20, 100, 500, 2000, 10000};

std::size_t group_of(std::int64_t edges) {
  return std::ranges::upper_bound(kGroupBegins, edges) - std::begin(kGroupBegins) - 1;
}

std::string group_name(std::size_t group) {
  if (group == 0) return "cold";
  if (group + 1 == std::size(kGroupBegins)) return fmt::format("{}+", kGroupBegins[group]);
  return fmt::format("{}-{}", kGroupBegins[group], kGroupBegins[group + 1] - 1);
}

/// By node, in either direction.
std::vector<std::int64_t> edges_of(const Graph& train) {
  std::vector<std::int64_t> out(train.num_nodes());
  for (NodeId v = 0; v < train.num_nodes(); ++v) out[v] = train.degree(v);
  if (train.is_directed()) {
    std::ranges::fill(out, 0);
    for (NodeId v = 0; v < train.num_nodes(); ++v)
      for (const NodeId to : train.neighbors(v)) {
        ++out[v];
        ++out[to];
      }
  }
  return out;
}

}  // namespace

std::vector<GroupMetrics> group_ranks(const Graph& train, std::span<const PairRank> all,
                                      std::span<const UserPairs> user_pairs,
                                      const std::vector<RankingMetric>& given) {
  const std::vector<std::int64_t> edges = edges_of(train);
  const auto& metrics = given.empty() ? usual_ranking_metrics() : given;
  std::vector<GroupMetrics> out;
  for (const bool of_users : {true, false}) {
    for (std::size_t g = 0; g < std::size(kGroupBegins); ++g) {
      const auto keep = [&](const Pair& pair) {
        return group_of(edges[of_users ? pair.source : pair.target]) == g;
      };
      GroupMetrics group{of_users ? "users" : "items", group_name(g)};
      std::set<NodeId> users;
      for (const PairRank& rank : all) {
        if (!keep(rank.pair)) continue;
        ++group.pairs;
        users.insert(rank.pair.source);
      }
      if (group.pairs == 0) continue;
      group.users = std::ssize(users);
      group.metrics = summarize_ranks(all, user_pairs, metrics, keep);
      out.push_back(std::move(group));
    }
  }
  return out;
}

}  // namespace mcns
