// The fast lane, `--update async`: Hogwild (Niu et al. 2011). Threads read and write rows in place
// without any order, so bits differ from run to run; everything else in the library is free of
// races.
#include <chrono>

#include "mcns/train/pair_sampling.h"
#include "mcns/train/step.h"

namespace mcns {
namespace {

template <class LossFn, class OptimizerFn>
class AsyncStep final : public Step {
 public:
  AsyncStep(const StepParts& parts, Lookup& lookup, LossFn loss, OptimizerFn optimizer)
      : lookup_(lookup),
        sampling_(parts.sampler, parts.negatives, lookup.nodes(), parts.pool, parts.sampling),
        loss_(loss),
        optimizer_(optimizer),
        width_(parts.negatives + 1),
        l2_(parts.l2),
        pool_(parts.pool) {}

  void run(BatchKey key, const PairBatch& batch, float lr, StepTotals& totals) override {
    const auto start = std::chrono::steady_clock::now();
    sampling_.run(key, batch, lookup_.scorer());
    tick_ = {lr, ++steps_};
    const RowGroups& sources = sampling_.sources();
    sources.cut(kPairsPerPiece, bounds_);
    losses_.assign(bounds_.size() - 1, 0.0);
    scores_.assign(sampling_.wants_feedback() ? batch.pairs.size() * width_ : 0, 0.0F);
    pool_.run(static_cast<std::int64_t>(losses_.size()), [&](std::int64_t piece) {
      losses_[piece] = learn(batch, sources.members(bounds_[piece], bounds_[piece + 1]));
    });
    double loss = 0;
    for (const double l : losses_) loss += l;
    require_finite(loss, key);
    if (sampling_.wants_feedback()) sampling_.feedback(key, batch, scores_);
    totals.loss += loss;
    sampling_.add_to(totals, key, batch);
    totals.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void visit_state(Archive& archive) override { archive("steps", steps_); }

 private:
  MCNS_RACY double learn(const PairBatch& batch, std::span<const std::int32_t> members) {
    const Kernels& k = kernels();
    const Negatives& negatives = sampling_.negatives();
    Matrix& parameters = lookup_.parameters();
    const int stride = parameters.stride();
    Matrix gradients(2, stride);
    float *source_gradient = gradients.row(0), *target_gradient = gradients.row(1);
    std::vector<NodeId> rows(width_);
    std::vector<float> s(width_);
    const NodeId first = 0;
    double loss = 0;
    for (const std::int32_t i : members) {
      const float share = negatives.pair_weights.empty() ? 1.0F : negatives.pair_weights[i];
      if (share == 0) continue;
      const NodeId source_row = lookup_.source_row(batch.pairs[i].source);
      float* source = parameters.row(source_row);
      rows[0] = lookup_.target_row(batch.pairs[i].target);
      for (int j = 1; j < width_; ++j)
        rows[j] = lookup_.target_row(negatives.ids[std::size_t(i) * (width_ - 1) + j - 1]);
      const RowList list{parameters.data(), static_cast<std::size_t>(stride), rows.data(), width_};
      k.dots(source, list, stride, s.data());
      if (!scores_.empty())
        std::copy(s.begin(), s.end(), scores_.begin() + std::size_t(i) * width_);
      const float* weights = negatives.weights.empty()
                                 ? nullptr
                                 : negatives.weights.data() + std::size_t(i) * (width_ - 1);
      loss += share * block_loss(loss_, s.data(), weights, 1, width_);
      for (float& c : s) c *= share;
      k.combine(source_gradient, list, s.data(), stride);
      if (l2_ != 0) k.axpy(source_gradient, l2_, source, stride);
      for (int j = 0; j < width_; ++j) {
        float* target = parameters.row(rows[j]);
        if constexpr (OptimizerFn::kSlots == 0) {  // plain descent needs no gradient of its own
          if (l2_ != 0) k.axpy(target, -tick_.lr * l2_, target, stride);
          k.axpy(target, -tick_.lr * s[j], source, stride);
          continue;
        }
        k.combine(target_gradient, {source, 0, &first, 1}, &s[j], stride);
        if (l2_ != 0) k.axpy(target_gradient, l2_, target, stride);
        optimizer_(k, target, target_gradient, lookup_.state(rows[j]), tick_, stride);
      }
      optimizer_(k, source, source_gradient, lookup_.state(source_row), tick_, stride);
    }
    return loss;
  }

  static constexpr std::int32_t kPairsPerPiece = 256;

  Lookup& lookup_;
  PairSampling sampling_;
  LossFn loss_;
  OptimizerFn optimizer_;
  int width_;
  float l2_;
  ThreadPool& pool_;
  std::vector<double> losses_;
  std::vector<float> scores_;
  std::vector<std::int32_t> bounds_;
  Tick tick_{};
  std::int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Step> make_async_step(const StepParts& parts, Lookup& lookup) {
  return std::visit(
      [&](auto loss, auto optimizer) -> std::unique_ptr<Step> {
        return std::make_unique<AsyncStep<decltype(loss), decltype(optimizer)>>(parts, lookup, loss,
                                                                                optimizer);
      },
      parts.loss, parts.optimizer);
}

}  // namespace mcns
