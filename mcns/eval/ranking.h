// Recommendation: where does each held-out item stand among the items its user is not connected to?
//
// A target competes with all items that its user has in neither train, `known` nor the ranked
// pairs, so a user's other held-out items are not candidates; or with M of those, drawn once per
// pair. Rank = 1 + (higher scores) + half of the ties. mrr, hits@k and tie_rate average over pairs.
// ndcg@10 and recall@20 are the user-level figures common for LightGCN and its kind: there a user's
// held-out items do compete with each other, recall@20 = |ranked within 20| / |held out|, ndcg@10
// discounts by log2(1 + rank) and divides by the ideal order; both average over users. They use the
// same half-tie rank; tied items may then share a place within the cut, so ndcg is capped at 1.
// A node without edges is no exception: its zero vector scores 0. A score that is not a number
// counts as higher than other candidates and leaves its own pair last.
//
// Groups are by training edges: none (cold), 1 to 4, 5 to 19, 20 to 99 and so on. A group of items
// has the pairs of its items only, ranked among all.
//
// Cost: one product users x items x dim and two comparisons per pair and item. Nothing is sorted
// and no row of scores is kept: a thread works in some hundred kilobytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mcns/core/graph.h"
#include "mcns/eval/evaluator.h"
#include "mcns/eval/ranking_metrics.h"

namespace mcns {

struct RankingOptions {
  /// Rivals drawn per pair without replacement; 0 takes all. Fewer where a user has fewer.
  std::int64_t candidates = 0;
  std::uint64_t seed = 1;  ///< names the draw of candidates
  /// Beside the usual ones, and in their place for groups.
  std::vector<RankingMetric> metrics = {};
};

class RankingEvaluator : public Evaluator {
 public:
  /// Ranks `ranked`, repeated pairs once. `known` are pairs beyond train that are not candidates
  /// either: none while valid is ranked, valid when test is.
  RankingEvaluator(Graph train, std::span<const Pair> ranked, std::span<const Pair> known,
                   const RankingOptions& options = {});

  Metrics evaluate(const EmbeddingView& embeddings, ThreadPool& pool) const override;
  /// All metrics, and those of users by the number of their training edges and of items by theirs.
  /// The ranks are computed once; only coverage needs more.
  Evaluation evaluate_fully(const EmbeddingView& embeddings, ThreadPool& pool) const override;
  std::string_view selection_metric() const override { return "mrr"; }

  /// The pairs behind the averages, ascending by source and target.
  std::vector<PairRank> ranks(const EmbeddingView& embeddings, ThreadPool& pool) const;

 private:
  using User = UserPairs;
  class Worker;

  std::vector<PairRank> run(const EmbeddingView& embeddings, ThreadPool& pool,
                            std::vector<std::int64_t>* first_place) const;

  Graph graph_;
  RankingOptions options_;
  std::vector<Pair> ranked_, known_;  ///< sorted, distinct
  std::vector<User> users_;           ///< most targets first, so that neighbours are alike
};

}  // namespace mcns
