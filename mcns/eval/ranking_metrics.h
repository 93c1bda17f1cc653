// Metrics of ranked pairs at any cut, over all pairs or over groups of them.
//
// Of a pair: mrr = mean 1 / rank (mrr@K: 0 beyond K), hits@K = share with rank <= K, tie_rate. Of a
// user, averaged over users, with h held-out items of which those at K or before count as found:
// recall@K = found / h, precision@K = found / K, ndcg@K as ranking.h has it, map@K = sum over found
// of (found up to it) / (its rank), divided by min(h, K), auc = mean share of candidates that score
// lower, ties half. Where items share a place, ndcg and the terms of map are capped at 1.
// coverage@K = share of all items that are among the first K of some evaluated user; it comes from
// the evaluator, as ranks do not tell it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mcns/core/graph.h"
#include "mcns/eval/evaluator.h"

namespace mcns {

/// How one held-out pair stands.
struct PairRank {
  Pair pair;
  std::int64_t higher = 0, ties = 0;                ///< among its candidates
  std::int64_t rivals_higher = 0, rivals_tied = 0;  ///< among its user's other held-out items
  std::int64_t candidates = 0;

  double rank() const { return 1.0 + higher + 0.5 * ties; }
  double rank_among_rivals() const { return rank() + rivals_higher + 0.5 * rivals_tied; }
};

enum class RankingMetricKind {
  kMrr,
  kHits,
  kNdcg,
  kRecall,
  kPrecision,
  kMap,
  kAuc,
  kCoverage,
  kTies
};

struct RankingMetric {
  RankingMetricKind kind;
  std::int64_t cut = 0;  ///< K; 0: none
  std::string name;
};

/// "mrr,ndcg@20": throws Error(kUsage) for a name that does not exist, lacks its cut or has a wrong
/// one. Repeated names count once.
std::vector<RankingMetric> parse_ranking_metrics(const std::string& list);

/// What contract and history rely on: mrr, hits at 5, 10 and 30, ndcg@10, recall@20, tie_rate.
const std::vector<RankingMetric>& usual_ranking_metrics();

/// The pairs of one user among all.
struct UserPairs {
  NodeId node;
  std::int64_t begin, end;
  std::int64_t targets() const { return end - begin; }
};

/// The pairs of a source, of such that are sorted.
inline std::span<const Pair> pairs_of(std::span<const Pair> sorted, NodeId source) {
  const auto by_source = [](const Pair& a, const Pair& b) { return a.source < b.source; };
  const auto [first, last] =
      std::equal_range(sorted.begin(), sorted.end(), Pair{source, 0}, by_source);
  return {first, last};
}

/// Which pairs count; the others are as if they were no held-out items. Empty: all.
using KeepPair = std::function<bool(const Pair&)>;

/// Averages over the pairs that are kept and over users who have any; coverage is left out.
Metrics summarize_ranks(std::span<const PairRank> all, std::span<const UserPairs> users,
                        const std::vector<RankingMetric>& metrics, const KeepPair& keep = {});

/// The same by groups that have any pair: users by the number of their training edges, then items
/// by theirs. Without `metrics` the usual ones.
std::vector<GroupMetrics> group_ranks(const Graph& train, std::span<const PairRank> all,
                                      std::span<const UserPairs> users,
                                      const std::vector<RankingMetric>& metrics);

}  // namespace mcns
