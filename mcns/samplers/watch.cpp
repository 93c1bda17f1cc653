#include "mcns/samplers/watch.h"

#include <algorithm>
#include <utility>

#include "mcns/samplers/enumerate.h"

namespace mcns {

Watch::Watch(const Graph& graph, Filter filter, NodeId source) : source_(source) {
  list_allowed(Exclusion(graph, filter), source, allowed_);
  scores_.resize(allowed_.size());
}

void Watch::record(const SampleRequest& request, const Negatives& drawn) {
  bool scored = false;
  for (const std::int32_t i : request.members) {
    if (request.pairs[i].source != source_) continue;
    const float share = drawn.pair_weights.empty() ? 1.0F : drawn.pair_weights[i];
    if (share == 0) continue;
    if (!std::exchange(scored, true)) score_allowed(request.scorer);
    add(request.key.epoch, drawn, i, share);
  }
}

void Watch::record(const SharedRequest& request, const Negatives& drawn) {
  const auto& [pairs, serials, windows] = request.batch;
  bool scored = false;
  for (std::int64_t w = 0; w < windows.windows(); ++w)
    for (std::int32_t i = windows.first_pair[w]; i < windows.first_pair[w + 1]; ++i) {
      if (pairs[i].source != source_) continue;
      if (!std::exchange(scored, true)) score_allowed(request.scorer);
      add(request.key.epoch, drawn, w, 1);
    }
}

/// A chain's candidates are its state and the pool; of several chains the mean counts.
void Watch::record(const PoolRequest& request) {
  constexpr double kLeast = 1e-5;
  if (request.source != source_) return;
  const PoolWeights& w = request.weights;
  double inverse = 0;  // mean over the chains of 1 / their sum
  const std::size_t chains = w.state_weights.size();
  for (const float own : w.state_weights)
    inverse += 1 / (double{w.pool_total} + own) / static_cast<double>(chains);
  if (chains == 0) inverse = 1 / double{w.pool_total};
  score_allowed(request.scorer);
  for (std::size_t j = 0; j < w.pool.size(); ++j) {
    const double weight = w.weights[j / w.chunk][j % w.chunk] * inverse;
    if (weight > kLeast) add(request.key.epoch, w.pool[j], weight);
  }
  for (std::size_t i = 0; i < chains; ++i)
    add(request.key.epoch, w.states[i],
        w.state_weights[i] / (double{w.pool_total} + w.state_weights[i]) /
            static_cast<double>(chains));
}

void Watch::add(std::int64_t epoch, NodeId negative, double weight) {
  WatchedDraw draw = place(negative);
  draw.epoch = epoch;
  draw.weight = static_cast<float>(weight);
  draws_.push_back(draw);
}

void Watch::add(std::int64_t epoch, const Negatives& drawn, std::int64_t slot, float share) {
  for (auto at = slot * drawn.k; at < (slot + 1) * drawn.k; ++at) {
    add(epoch, drawn.ids[at], drawn.weights.empty() ? share : share * drawn.weights[at]);
  }
}

void Watch::score_allowed(const Scorer& scorer) {
  scorer(source_, allowed_.data(), static_cast<int>(allowed_.size()), scores_.data());
  sorted_ = scores_;
  std::ranges::sort(sorted_);
}

WatchedDraw Watch::place(NodeId negative) const {
  const auto at = std::ranges::lower_bound(allowed_, negative) - allowed_.begin();
  const float score = scores_[at];
  const auto [first, last] = std::equal_range(sorted_.begin(), sorted_.end(), score);
  const auto lower = static_cast<double>(first - sorted_.begin());
  const auto ties = static_cast<double>(last - first);
  return {0, negative, score, 1, (lower + ties / 2) / static_cast<double>(sorted_.size())};
}

}  // namespace mcns
