#include "mcns/eval/ranking.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"
#include "mcns/eval/score_kernels.h"
#include "mcns/eval/top_lists.h"

namespace mcns {
namespace {

constexpr int kTileItems = 192;  // scores of a tile: 48 KiB, near enough for counting

std::vector<Pair> sorted_distinct(std::span<const Pair> pairs) {
  std::vector<Pair> result(pairs.begin(), pairs.end());
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void require_pairs(const Graph& graph, std::span<const Pair> pairs) {
  const NodeRange sources = graph.sources(), targets = graph.targets();
  for (const Pair& pair : pairs)
    require(sources.contains(pair.source) && targets.contains(pair.target),
            "pair ({}, {}) is not of a source in [{}, {}) and a target in [{}, {})", pair.source,
            pair.target, sources.begin, sources.end, targets.begin, targets.end);
}

struct Counts {
  std::int64_t at_most = 0, below = 0;
};

Counts count(std::span<const float> scores, float threshold) {
  std::int32_t at_most = 0, below = 0;
  for (const float score : scores) {
    at_most += score <= threshold ? 1 : 0;
    below += score < threshold ? 1 : 0;
  }
  return {at_most, below};
}

/// Of the coverages among the metrics; 0 where there are none.
std::int64_t longest_list(const std::vector<RankingMetric>& metrics) {
  std::int64_t out = 0;
  for (const RankingMetric& metric : metrics)
    if (metric.kind == RankingMetricKind::kCoverage) out = std::max(out, metric.cut);
  return out;
}

/// Draws distinct numbers below n by Floyd's method, O(count), with marks that need no clearing.
class DistinctSampler {
 public:
  void draw(std::int64_t n, std::int64_t count, Rng& rng, std::vector<std::int64_t>& out) {
    if (static_cast<std::int64_t>(marks_.size()) < n) marks_.resize(n, 0);
    ++stamp_;
    out.clear();
    for (std::int64_t last = n - count; last < n; ++last) {
      auto pick = static_cast<std::int64_t>(rng.below(last + 1));
      if (marks_[pick] == stamp_) pick = last;
      marks_[pick] = stamp_;
      out.push_back(pick);
    }
  }

 private:
  std::vector<std::int64_t> marks_;
  std::int64_t stamp_ = 0;
};

/// Standard error of the mean of 1 / rank; 0 for fewer than two pairs.
double error_of_mrr(std::span<const PairRank> ranks) {
  const auto count = static_cast<double>(ranks.size());
  if (count < 2) return 0;
  double sum = 0, squares = 0;
  for (const PairRank& r : ranks) sum += 1 / r.rank();
  const double mean = sum / count;
  for (const PairRank& r : ranks) squares += (1 / r.rank() - mean) * (1 / r.rank() - mean);
  return std::sqrt(squares / (count - 1) / count);
}

/// The mean of 1 / rank of each user's pairs, which stand together.
std::vector<UserValue> mrr_by_user(std::span<const PairRank> ranks) {
  std::vector<UserValue> out;
  double count = 0;
  for (const PairRank& r : ranks) {
    if (out.empty() || out.back().user != r.pair.source) {
      out.push_back({r.pair.source, 0});
      count = 0;
    }
    count += 1;
    out.back().value += (1 / r.rank() - out.back().value) / count;
  }
  return out;
}

}  // namespace

RankingEvaluator::RankingEvaluator(Graph train, std::span<const Pair> ranked,
                                   std::span<const Pair> known, const RankingOptions& options)
    : graph_(std::move(train)),
      options_(options),
      ranked_(sorted_distinct(ranked)),
      known_(sorted_distinct(known)) {
  require(!ranked_.empty(), "there are no pairs to rank");
  require(options.candidates >= 0, "candidates must be 0 (all) or positive, got {}",
          options.candidates);
  require(options.candidates == 0 || longest_list(options_.metrics) == 0,
          "coverage is of lists of all items: it needs --candidates 0, got {}", options.candidates);
  require_pairs(graph_, ranked_);
  require_pairs(graph_, known_);
  const auto pairs = static_cast<std::int64_t>(ranked_.size());
  for (std::int64_t begin = 0, end; begin < pairs; begin = end) {
    for (end = begin; end < pairs && ranked_[end].source == ranked_[begin].source;) ++end;
    users_.push_back({ranked_[begin].source, begin, end});
  }
  std::ranges::stable_sort(users_, std::greater{}, &User::targets);
}

/// One thread's working memory, and the work on one block of users at a time.
class RankingEvaluator::Worker {
 public:
  Worker(const RankingEvaluator& evaluator, const EmbeddingView& embeddings, TopLists& lists)
      : evaluator_(evaluator),
        lists_(lists),
        items_(evaluator.graph_.targets()),
        source_(embeddings.source),
        target_(embeddings.target),
        packed_(embeddings.source.dim, kLaneBlock),
        tile_(kTileItems, kLaneBlock) {}

  void rank(std::span<const User> users, std::span<PairRank> out) {
    if (evaluator_.options_.candidates == 0) count_all(users);
    for (std::size_t lane = 0; lane < users.size(); ++lane) rank_user(users[lane], lane, out);
  }

 private:
  const float* item(NodeId node) const { return target_.row(node); }

  void score(NodeId user, std::span<const NodeId> nodes, std::vector<float>& out) {
    rows_.clear();
    for (const NodeId node : nodes) rows_.push_back(item(node));
    out.resize(nodes.size());
    kernels_.scores(source_.row(user), rows_.data(), static_cast<int>(nodes.size()), source_.dim,
                    out.data());
  }

  /// The scores of a user's ranked items.
  void score_targets(const User& user) {
    nodes_.clear();
    for (std::int64_t i = user.begin; i < user.end; ++i)
      nodes_.push_back(evaluator_.ranked_[i].target);
    score(user.node, nodes_, target_scores_);
  }

  /// What the user is connected to: items in train, known or ranked; ascending.
  void find_connected(const User& user) {
    const auto train = evaluator_.graph_.neighbors(user.node);
    connected_.assign(train.begin(), train.end());
    for (const Pair& pair : pairs_of(evaluator_.known_, user.node))
      connected_.push_back(pair.target);
    for (std::int64_t i = user.begin; i < user.end; ++i)
      connected_.push_back(evaluator_.ranked_[i].target);
    if (items_.contains(user.node)) connected_.push_back(user.node);
    std::ranges::sort(connected_);
    connected_.erase(std::unique(connected_.begin(), connected_.end()), connected_.end());
  }

  /// Fills thresholds_ and counts for the block: slot s of lane l is target s of user l.
  void count_all(std::span<const User> users) {
    pack(users);
    lists_.begin(users);
    for (NodeId first = items_.begin; first < items_.end; first += kTileItems) {
      const int count = std::min(kTileItems, items_.end - first);
      kernels_.tile(packed_.data(), item(first), target_.stride, count, source_.dim, tile_.data());
      lists_.see(tile_, first, count);
      for (int group = 0; group < kGroups; ++group)
        for (std::int64_t slot = group_begin_[group]; slot < group_begin_[group + 1]; ++slot)
          kernels_.count(tile_.data() + group * kLaneGroup, count, thresholds_[slot].value.data(),
                         at_most_[slot].value.data(), below_[slot].value.data());
    }
    lists_.end();
  }

  void pack(std::span<const User> users) {
    std::ranges::fill(packed_.flat(), 0.0F);
    std::int64_t slots = 0;
    for (int group = 0; group < kGroups; ++group) {
      group_begin_[group] = slots;
      const std::size_t first = group * kLaneGroup;
      if (first < users.size()) slots += users[first].targets();  // the most in the group
    }
    group_begin_[kGroups] = slots;
    thresholds_.assign(slots, {});
    at_most_.assign(slots, {});
    below_.assign(slots, {});
    for (std::size_t lane = 0; lane < users.size(); ++lane) {
      const float* row = source_.row(users[lane].node);
      for (int k = 0; k < source_.dim; ++k) packed_.row(k)[lane] = row[k];
      score_targets(users[lane]);
      for (std::size_t i = 0; i < target_scores_.size(); ++i)
        thresholds_[slot_of(lane, i)].value[lane % kLaneGroup] = target_scores_[i];
    }
  }

  std::int64_t slot_of(std::size_t lane, std::size_t target) const {
    return group_begin_[lane / kLaneGroup] + static_cast<std::int64_t>(target);
  }

  void rank_user(const User& user, std::size_t lane, std::span<PairRank> out) {
    find_connected(user);
    score_targets(user);
    score(user.node, connected_, connected_scores_);
    const std::int64_t unconnected = items_.size() - static_cast<std::int64_t>(connected_.size());
    const bool all = evaluator_.options_.candidates == 0;
    const std::int64_t candidates =
        all ? unconnected : std::min(unconnected, evaluator_.options_.candidates);
    for (std::size_t i = 0; i < target_scores_.size(); ++i) {
      PairRank& rank = out[user.begin + i];
      rank.pair = evaluator_.ranked_[user.begin + i];
      const Counts among = all ? unconnected_counts(lane, i) : sampled_counts(rank.pair, i);
      rank.candidates = candidates;
      rank.higher = candidates - among.at_most;
      rank.ties = among.at_most - among.below;
      // The target is in its own list: neither higher than itself nor a tie, unless not a number.
      const Counts own = count(target_scores_, target_scores_[i]);
      const auto targets = static_cast<std::int64_t>(target_scores_.size());
      const bool number = target_scores_[i] == target_scores_[i];
      rank.rivals_higher = targets - own.at_most - (number ? 0 : 1);
      rank.rivals_tied = own.at_most - own.below - (number ? 1 : 0);
    }
  }

  Counts unconnected_counts(std::size_t lane, std::size_t i) const {
    const std::int64_t slot = slot_of(lane, i);
    const Counts connected = count(connected_scores_, target_scores_[i]);
    return {at_most_[slot].value[lane % kLaneGroup] - connected.at_most,
            below_[slot].value[lane % kLaneGroup] - connected.below};
  }

  Counts sampled_counts(const Pair& pair, std::size_t i) {
    const std::int64_t unconnected = items_.size() - static_cast<std::int64_t>(connected_.size());
    const std::int64_t wanted = std::min(unconnected, evaluator_.options_.candidates);
    Rng rng(evaluator_.options_.seed, Domain::kEvaluation, pair.source, pair.target);
    sampler_.draw(unconnected, wanted, rng, picks_);
    nodes_.clear();
    for (const std::int64_t pick : picks_) nodes_.push_back(unconnected_item(pick));
    score(pair.source, nodes_, sampled_scores_);
    return count(sampled_scores_, target_scores_[i]);
  }

  /// The item that has `index` unconnected ones before it: connected_[c] - begin - c of them lie
  /// before connected_[c], a number that never falls.
  NodeId unconnected_item(std::int64_t index) const {
    std::int64_t low = 0, high = static_cast<std::int64_t>(connected_.size());
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (connected_[middle] - items_.begin - middle <= index)
        low = middle + 1;
      else
        high = middle;
    }
    return static_cast<NodeId>(items_.begin + index + low);
  }

  static constexpr int kGroups = kLaneBlock / kLaneGroup;
  template <class T>
  struct alignas(64) Group {
    std::array<T, kLaneGroup> value{};
  };

  const RankingEvaluator& evaluator_;
  TopLists& lists_;
  const ScoreKernels& kernels_ = score_kernels();
  NodeRange items_;
  ConstMatrixRef source_, target_;
  Matrix packed_, tile_;  ///< [dim][kLaneBlock] users, [kTileItems][kLaneBlock] scores
  std::array<std::int64_t, kGroups + 1> group_begin_{};
  std::vector<Group<float>> thresholds_;
  std::vector<Group<std::int32_t>> at_most_, below_;
  std::vector<const float*> rows_;
  std::vector<NodeId> nodes_, connected_;
  std::vector<float> target_scores_, connected_scores_, sampled_scores_;
  std::vector<std::int64_t> picks_;
  DistinctSampler sampler_;
};

std::vector<PairRank> RankingEvaluator::run(const EmbeddingView& embeddings, ThreadPool& pool,
                                            std::vector<std::int64_t>* first_place) const {
  require_rows(embeddings, graph_.num_nodes());
  std::vector<PairRank> result(ranked_.size());
  const auto users = static_cast<std::int64_t>(users_.size());
  const std::int64_t blocks = (users + kLaneBlock - 1) / kLaneBlock;
  std::mutex mutex;
  // Threads take blocks one by one so that each keeps its working memory for the whole call.
  std::atomic<std::int64_t> next{0};
  pool.run(std::min<std::int64_t>(pool.threads(), blocks), [&](std::int64_t) {
    TopLists lists(graph_, known_, first_place != nullptr ? longest_list(options_.metrics) : 0);
    Worker worker(*this, embeddings, lists);
    for (std::int64_t block; (block = next.fetch_add(1)) < blocks;) {
      const std::int64_t first = block * kLaneBlock;
      const auto size = std::min<std::int64_t>(kLaneBlock, users - first);
      worker.rank(std::span(users_).subspan(first, size), result);
    }
    if (first_place == nullptr) return;
    const std::lock_guard lock(mutex);
    lists.merge_into(*first_place);
  });
  return result;
}

std::vector<PairRank> RankingEvaluator::ranks(const EmbeddingView& embeddings,
                                              ThreadPool& pool) const {
  return run(embeddings, pool, nullptr);
}

Metrics RankingEvaluator::evaluate(const EmbeddingView& embeddings, ThreadPool& pool) const {
  return summarize_ranks(ranks(embeddings, pool), users_, usual_ranking_metrics());
}

Evaluation RankingEvaluator::evaluate_fully(const EmbeddingView& embeddings,
                                            ThreadPool& pool) const {
  std::vector<std::int64_t> first_place;
  const bool covers = longest_list(options_.metrics) > 0;
  if (covers) first_place.assign(graph_.targets().size(), TopLists::kNever);
  const auto all = run(embeddings, pool, covers ? &first_place : nullptr);
  Evaluation out{summarize_ranks(all, users_, usual_ranking_metrics()),
                 group_ranks(graph_, all, users_, options_.metrics), error_of_mrr(all),
                 mrr_by_user(all)};
  std::vector<RankingMetric> more = options_.metrics;
  std::erase_if(more, [](const RankingMetric& metric) {
    return std::ranges::count(usual_ranking_metrics(), metric.name, &RankingMetric::name) > 0;
  });
  for (Metric& metric : summarize_ranks(all, users_, more))
    out.metrics.push_back(std::move(metric));
  for (const RankingMetric& metric : more) {
    if (metric.kind != RankingMetricKind::kCoverage) continue;
    const auto shown =
        std::ranges::count_if(first_place, [&](std::int64_t place) { return place < metric.cut; });
    out.metrics.push_back(
        {metric.name, static_cast<double>(shown) / static_cast<double>(first_place.size())});
  }
  return out;
}

}  // namespace mcns
