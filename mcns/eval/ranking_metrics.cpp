#include "mcns/eval/ranking_metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "mcns/core/error.h"

namespace mcns {
namespace {

enum class Cut { kNone, kMaybe, kNeeded };

struct Row {
  std::string_view name;
  RankingMetricKind kind;
  Cut cut;
};

constexpr Row kRows[] = {
    {"mrr", RankingMetricKind::kMrr, Cut::kMaybe},
    {"hits", RankingMetricKind::kHits, Cut::kNeeded},
    {"ndcg", RankingMetricKind::kNdcg, Cut::kNeeded},
    {"recall", RankingMetricKind::kRecall, Cut::kNeeded},
    {"precision", RankingMetricKind::kPrecision, Cut::kNeeded},
    {"map", RankingMetricKind::kMap, Cut::kNeeded},
    {"auc", RankingMetricKind::kAuc, Cut::kNone},
    {"coverage", RankingMetricKind::kCoverage, Cut::kNeeded},
    {"tie_rate", RankingMetricKind::kTies, Cut::kNone},
};

std::vector<std::string> known_names() {
  std::vector<std::string> out;
  for (const Row& row : kRows)
    out.push_back(std::string(row.name) + (row.cut == Cut::kNeeded ? "@K" : ""));
  return out;
}

RankingMetric parse_one(const std::string& text) {
  const auto at = text.find('@');
  const auto name = text.substr(0, at);
  const auto row = std::ranges::find(kRows, std::string_view(name), &Row::name);
  if (row == std::end(kRows)) throw_unknown("metric", text, known_names());
  RankingMetric out{row->kind, 0, text};
  if (at == std::string::npos) {
    require(row->cut != Cut::kNeeded, "metric '{}' needs a cut: {}@10", text, name);
    return out;
  }
  const char *begin = text.data() + at + 1, *end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(begin, end, out.cut);
  require(row->cut != Cut::kNone, "metric '{}' has no cut; write {}", text, name);
  require(code == std::errc() && stop == end && out.cut >= 1 && out.cut <= 1'000'000,
          "metric '{}': the cut must be an integer from 1 to 1000000", text);
  return out;
}

bool is_of_users(RankingMetricKind kind) {
  return kind == RankingMetricKind::kNdcg || kind == RankingMetricKind::kRecall ||
         kind == RankingMetricKind::kPrecision || kind == RankingMetricKind::kMap ||
         kind == RankingMetricKind::kAuc;
}

double of_pair(const RankingMetric& metric, const PairRank& pair) {
  const double rank = pair.rank();
  const bool within = metric.cut == 0 || rank <= static_cast<double>(metric.cut);
  if (metric.kind == RankingMetricKind::kTies) return pair.ties > 0 ? 1 : 0;
  if (metric.kind == RankingMetricKind::kHits) return within ? 1 : 0;
  return within ? 1.0 / rank : 0.0;
}

double ndcg(std::span<const PairRank> pairs, std::int64_t cut) {
  double gain = 0, ideal = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double rank = pairs[i].rank_among_rivals();
    if (rank <= static_cast<double>(cut)) gain += 1.0 / std::log2(1.0 + rank);
    if (static_cast<std::int64_t>(i) < cut) ideal += 1.0 / std::log2(2.0 + static_cast<double>(i));
  }
  return std::min(1.0, gain / ideal);
}

double average_precision(std::span<const PairRank> pairs, std::int64_t cut) {
  std::vector<double> ranks;
  for (const PairRank& pair : pairs) ranks.push_back(pair.rank_among_rivals());
  std::ranges::sort(ranks);
  double sum = 0;
  for (const double rank : ranks) {
    if (rank > static_cast<double>(cut)) break;
    const auto found = std::ranges::upper_bound(ranks, rank) - ranks.begin();
    sum += std::min(1.0, static_cast<double>(found) / rank);
  }
  return sum / static_cast<double>(std::min<std::int64_t>(cut, std::ssize(pairs)));
}

/// Pairs without candidates say nothing.
double area(std::span<const PairRank> pairs) {
  double sum = 0;
  std::int64_t counted = 0;
  for (const PairRank& pair : pairs) {
    if (pair.candidates == 0) continue;
    ++counted;
    sum += 1 - (static_cast<double>(pair.higher) + 0.5 * static_cast<double>(pair.ties)) /
                   static_cast<double>(pair.candidates);
  }
  return counted == 0 ? std::nan("") : sum / static_cast<double>(counted);
}

/// Not a number where the user does not count.
double of_user(const RankingMetric& metric, std::span<const PairRank> pairs) {
  if (metric.kind == RankingMetricKind::kNdcg) return ndcg(pairs, metric.cut);
  if (metric.kind == RankingMetricKind::kMap) return average_precision(pairs, metric.cut);
  if (metric.kind == RankingMetricKind::kAuc) return area(pairs);
  const auto found = std::ranges::count_if(pairs, [&](const PairRank& pair) {
    return pair.rank_among_rivals() <= static_cast<double>(metric.cut);
  });
  const auto of = metric.kind == RankingMetricKind::kRecall ? std::ssize(pairs) : metric.cut;
  return static_cast<double>(found) / static_cast<double>(of);
}

}  // namespace

std::vector<RankingMetric> parse_ranking_metrics(const std::string& list) {
  std::vector<RankingMetric> out;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    RankingMetric metric = parse_one(list.substr(begin, end - begin));
    if (std::ranges::count(out, metric.name, &RankingMetric::name) == 0)
      out.push_back(std::move(metric));
    begin = end + 1;
  }
  return out;
}

const std::vector<RankingMetric>& usual_ranking_metrics() {
  static const auto all =
      parse_ranking_metrics("mrr,hits@5,hits@10,hits@30,ndcg@10,recall@20,tie_rate");
  return all;
}

Metrics summarize_ranks(std::span<const PairRank> all, std::span<const UserPairs> users,
                        const std::vector<RankingMetric>& metrics, const KeepPair& keep) {
  std::vector<double> sums(metrics.size());
  std::vector<std::int64_t> counts(metrics.size());
  const auto add = [&](std::size_t m, double value) {
    if (std::isnan(value)) return;
    sums[m] += value;
    ++counts[m];
  };
  for (const PairRank& pair : all) {
    if (keep && !keep(pair.pair)) continue;
    for (std::size_t m = 0; m < metrics.size(); ++m)
      if (!is_of_users(metrics[m].kind)) add(m, of_pair(metrics[m], pair));
  }
  std::vector<PairRank> kept;
  for (const UserPairs& user : users) {
    std::span<const PairRank> own = all.subspan(user.begin, user.targets());
    if (keep) {
      kept.clear();
      std::ranges::copy_if(own, std::back_inserter(kept),
                           [&](const PairRank& pair) { return keep(pair.pair); });
      own = kept;
    }
    if (own.empty()) continue;
    for (std::size_t m = 0; m < metrics.size(); ++m)
      if (is_of_users(metrics[m].kind)) add(m, of_user(metrics[m], own));
  }
  Metrics out;
  for (std::size_t m = 0; m < metrics.size(); ++m)
    if (metrics[m].kind != RankingMetricKind::kCoverage && counts[m] > 0)
      out.push_back({metrics[m].name, sums[m] / static_cast<double>(counts[m])});
  return out;
}

}  // namespace mcns
