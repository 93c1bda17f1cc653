// The deterministic batch step: the same bits for any number of threads.
//
// Parameters are frozen within a batch. Pairs are grouped by source: a group's owner draws its
// negatives, scores them, and sums the source's gradient. Then occurrences are grouped by target row:
// a row's owner sums its gradient over the (still frozen) source rows and, unless the row is also a
// source of this batch, updates it at once. Last, the source rows are updated. All sums run in pair
// order. Three barriers a batch; a pair with k negatives costs k + 1 dot products and 2 (k + 1)
// row additions.
#include <chrono>
#include <cmath>

#include "mcns/core/error.h"
#include "mcns/train/pair_sampling.h"
#include "mcns/train/row_groups.h"
#include "mcns/train/step.h"

namespace mcns {
namespace {

constexpr std::int32_t kPairsPerPiece = 64;

template <class LossFn, class OptimizerFn>
class BatchStep final : public Step {
 public:
  BatchStep(const StepParts& parts, LossFn loss, OptimizerFn optimizer)
      : lookup_(parts.lookup),
        sampling_(parts.sampler, parts.negatives, parts.lookup.nodes(), parts.pool),
        loss_(loss),
        optimizer_(optimizer),
        width_(parts.negatives + 1),
        l2_(parts.l2),
        pool_(parts.pool),
        stride_(parts.lookup.parameters().stride()),
        targets_(parts.lookup.parameters().rows()),
        source_slot_(parts.lookup.parameters().rows(), -1) {}

  void run(BatchKey key, const PairBatch& batch, float lr, StepTotals& totals) override {
    const auto start = std::chrono::steady_clock::now();
    totals.sample_seconds += sampling_.run(key, batch, lookup_.scorer());
    tick_ = {lr, ++steps_};
    list_targets(batch);
    score();
    check_finite(key, batch, totals);
    if (sampling_.wants_feedback()) sampling_.feedback(key, batch, scores_);
    targets_.build(rows_);
    update_targets(batch);
    update_sources();
    totals.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void visit_state(Archive& archive) override { archive("steps", steps_); }

 private:
  const RowGroups& sources() const { return sampling_.sources(); }

  /// Parameter rows of each pair's positive and negatives, consecutive per pair.
  void list_targets(const PairBatch& batch) {
    const std::size_t pairs = batch.pairs.size();
    const auto& ids = sampling_.negatives().ids;
    rows_.resize(pairs * width_);
    coefficients_.resize(pairs * width_);
    losses_.resize(pairs);
    scores_.assign(sampling_.wants_feedback() ? pairs * width_ : 0, 0.0F);
    const NodeId offset = lookup_.context_offset();
    pool_.for_ranges(static_cast<std::int64_t>(pairs), 4096, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) {
        NodeId* row = rows_.data() + i * width_;
        row[0] = batch.pairs[i].target + offset;
        for (int j = 1; j < width_; ++j) row[j] = ids[i * (width_ - 1) + j - 1] + offset;
      }
    });
    source_gradients_.resize(static_cast<std::size_t>(sources().size()) * stride_ + kRowAlign);
  }

  float* source_gradient(std::int32_t group) {
    // Aligned by hand: kernels expect cache lines.
    auto address = reinterpret_cast<std::uintptr_t>(source_gradients_.data());
    auto* first = reinterpret_cast<float*>((address + 63) / 64 * 64);
    return first + static_cast<std::size_t>(group) * stride_;
  }

  RowList rows_of(std::int64_t pair) const {
    return {lookup_.parameters().data(), static_cast<std::size_t>(stride_),
            rows_.data() + pair * width_, width_};
  }

  /// Scores, loss, dL/ds, and the gradients of the sources.
  void score() {
    const Kernels& k = kernels();
    const Negatives& negatives = sampling_.negatives();
    sources().cut(kPairsPerPiece, bounds_);
    pool_.run(static_cast<std::int64_t>(bounds_.size()) - 1, [&](std::int64_t piece) {
      for (std::int32_t g = bounds_[piece]; g < bounds_[piece + 1]; ++g) {
        const float* source = lookup_.parameters().row(sources().key(g));
        float* gradient = source_gradient(g);
        std::fill_n(gradient, stride_, 0.0F);
        std::int32_t learned = 0;
        for (const std::int32_t i : sources().members(g)) {
          float* s = coefficients_.data() + std::size_t(i) * width_;
          const float share = negatives.pair_weights.empty() ? 1.0F : negatives.pair_weights[i];
          if (share == 0) {
            std::fill_n(s, width_, 0.0F);
            losses_[i] = 0;
            continue;
          }
          k.dots(source, rows_of(i), stride_, s);
          if (!scores_.empty()) std::copy_n(s, width_, scores_.data() + std::size_t(i) * width_);
          const float* weights = negatives.weights.empty()
                                     ? nullptr
                                     : negatives.weights.data() + std::size_t(i) * (width_ - 1);
          losses_[i] = share * loss_(s, weights, width_);
          if (share != 1)
            for (int j = 0; j < width_; ++j) s[j] *= share;
          k.accumulate(gradient, rows_of(i), s, stride_);
          ++learned;
        }
        k.axpy(gradient, l2_ * static_cast<float>(learned), source, stride_);
        source_slot_[sources().key(g)] = g;
      }
    });
  }

  void check_finite(BatchKey key, const PairBatch& batch, StepTotals& totals) {
    double loss = 0;
    for (const float l : losses_) loss += l;
    if (!std::isfinite(loss)) {
      for (const NodeId row : touched_sources()) source_slot_[row] = -1;
      throw_error(ErrorKind::kRuntime,
                  "the loss is not finite at epoch {}, batch {}; a smaller --lr or a larger --l2 "
                  "may help",
                  key.epoch + 1, key.batch + 1);
    }
    totals.loss += loss;
    totals.pairs += static_cast<std::int64_t>(batch.pairs.size());
    totals.skipped += sampling_.skipped();
  }

  std::vector<NodeId> touched_sources() const {
    std::vector<NodeId> rows;
    for (std::int32_t g = 0; g < sources().size(); ++g) rows.push_back(sources().key(g));
    return rows;
  }

  /// Gradients of the target rows, applied at once unless the row is a source too.
  void update_targets(const PairBatch& batch) {
    targets_.cut(kPairsPerPiece * 2, bounds_);
    pool_.run(static_cast<std::int64_t>(bounds_.size()) - 1, [&](std::int64_t piece) {
      alignas(64) float local[kMaxLocal];
      std::vector<float> heap;
      float* gradient = local;
      if (stride_ > kMaxLocal) {
        heap.resize(stride_ + kRowAlign);
        gradient = reinterpret_cast<float*>(
            (reinterpret_cast<std::uintptr_t>(heap.data()) + 63) / 64 * 64);
      }
      for (std::int32_t g = bounds_[piece]; g < bounds_[piece + 1]; ++g)
        update_target(batch, g, gradient);
    });
  }

  void update_target(const PairBatch& batch, std::int32_t group, float* gradient) {
    const Kernels& k = kernels();
    const NodeId row = targets_.key(group);
    const std::int32_t slot = source_slot_[row];
    if (slot >= 0)
      gradient = source_gradient(slot);
    else
      std::fill_n(gradient, stride_, 0.0F);
    NodeId sources[kChunk];
    float coefficients[kChunk];
    const auto members = targets_.members(group);
    std::int32_t learned = 0;
    const auto& shares = sampling_.negatives().pair_weights;
    for (std::size_t first = 0; first < members.size(); first += kChunk) {
      const int count = static_cast<int>(std::min<std::size_t>(kChunk, members.size() - first));
      for (int j = 0; j < count; ++j) {
        const std::int32_t occurrence = members[first + j];
        const std::int32_t pair = occurrence / width_;
        sources[j] = batch.pairs[pair].source;
        coefficients[j] = coefficients_[occurrence];
        learned += shares.empty() || shares[pair] != 0;
      }
      k.accumulate(gradient,
                   {lookup_.parameters().data(), static_cast<std::size_t>(stride_), sources, count},
                   coefficients, stride_);
    }
    float* parameters = lookup_.parameters().row(row);
    k.axpy(gradient, l2_ * static_cast<float>(learned), parameters, stride_);
    if (slot < 0) optimizer_(k, parameters, gradient, lookup_.state(row), tick_, stride_);
  }

  void update_sources() {
    const Kernels& k = kernels();
    sources().cut(kPairsPerPiece, bounds_);
    pool_.run(static_cast<std::int64_t>(bounds_.size()) - 1, [&](std::int64_t piece) {
      for (std::int32_t g = bounds_[piece]; g < bounds_[piece + 1]; ++g) {
        const NodeId row = sources().key(g);
        optimizer_(k, lookup_.parameters().row(row), source_gradient(g), lookup_.state(row), tick_,
                   stride_);
        source_slot_[row] = -1;
      }
    });
  }

  static constexpr int kChunk = 32, kMaxLocal = 1024;

  Lookup& lookup_;
  PairSampling sampling_;
  LossFn loss_;
  OptimizerFn optimizer_;
  int width_;  ///< scores of a pair: the positive and its negatives
  float l2_;
  ThreadPool& pool_;
  int stride_;
  RowGroups targets_;
  std::vector<std::int32_t> source_slot_;  ///< row -> group in this batch, or -1
  std::vector<NodeId> rows_;
  std::vector<float> coefficients_, losses_, scores_, source_gradients_;
  std::vector<std::int32_t> bounds_;
  Tick tick_{};
  std::int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Step> make_batch_step(const StepParts& parts) {
  return std::visit(
      [&](auto loss, auto optimizer) -> std::unique_ptr<Step> {
        return std::make_unique<BatchStep<decltype(loss), decltype(optimizer)>>(parts, loss,
                                                                               optimizer);
      },
      parts.loss, parts.optimizer);
}

}  // namespace mcns
