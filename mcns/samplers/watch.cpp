#include "mcns/samplers/watch.h"

#include <algorithm>
#include <utility>

#include "mcns/samplers/enumerate.h"

namespace mcns {
namespace {

class WatchedSampler final : public NegativeSampler {
 public:
  WatchedSampler(std::unique_ptr<NegativeSampler> inner, Watch& watch)
      : inner_(std::move(inner)), watch_(watch) {}

  void sample(const SampleRequest& request, Negatives& out) override {
    inner_->sample(request, out);
    watch_.record(request, out);
  }
  int negatives_per_positive(int asked) const override {
    return inner_->negatives_per_positive(asked);
  }
  void begin_epoch(std::int64_t epoch, const Scorer& scorer, ThreadPool& pool) override {
    inner_->begin_epoch(epoch, scorer, pool);
  }
  void begin_batch(const SampleRequest& request) override { inner_->begin_batch(request); }
  bool can_share(int sources) const override { return inner_->can_share(sources); }
  void sample_shared(const SharedRequest& request, Negatives& out) override {
    inner_->sample_shared(request, out);
    watch_.record(request, out);
  }
  bool wants_feedback() const override { return inner_->wants_feedback(); }
  void feedback(const Feedback& feedback) override { inner_->feedback(feedback); }
  std::optional<LogProbability> log_q(NodeId source, NodeId target,
                                      const Scorer& scorer) const override {
    return inner_->log_q(source, target, scorer);
  }
  bool weighs_negatives() const override { return inner_->weighs_negatives(); }
  bool weighs_pairs() const override { return inner_->weighs_pairs(); }
  bool is_joint() const override { return inner_->is_joint(); }
  std::vector<SamplerFigure> figures() const override { return inner_->figures(); }
  void visit_state(Archive& archive) override { inner_->visit_state(archive); }

 private:
  std::unique_ptr<NegativeSampler> inner_;
  Watch& watch_;
};

}  // namespace

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
  const auto& [pairs, names, windows] = request.batch;
  bool scored = false;
  for (std::int64_t w = 0; w < windows.windows(); ++w)
    for (std::int32_t i = windows.first_pair[w]; i < windows.first_pair[w + 1]; ++i) {
      if (pairs[i].source != source_) continue;
      if (!std::exchange(scored, true)) score_allowed(request.scorer);
      add(request.key.epoch, drawn, w, 1);
    }
}

void Watch::add(std::int64_t epoch, const Negatives& drawn, std::int64_t slot, float share) {
  for (auto at = slot * drawn.k; at < (slot + 1) * drawn.k; ++at) {
    WatchedDraw draw = place(drawn.ids[at]);
    draw.epoch = epoch;
    draw.weight = drawn.weights.empty() ? share : share * drawn.weights[at];
    draws_.push_back(draw);
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
  const auto [first, last] = std::ranges::equal_range(sorted_, score);
  const auto lower = static_cast<double>(first - sorted_.begin());
  const auto ties = static_cast<double>(last - first);
  return {0, negative, score, 1, (lower + ties / 2) / static_cast<double>(sorted_.size())};
}

std::unique_ptr<NegativeSampler> watched(std::unique_ptr<NegativeSampler> sampler, Watch& watch) {
  return std::make_unique<WatchedSampler>(std::move(sampler), watch);
}

}  // namespace mcns
