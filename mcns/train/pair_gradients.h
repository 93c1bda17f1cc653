// Scores, losses and gradients of a batch's pairs over rows of vectors, the same bits for any
// number of threads.
//
// The vectors are frozen. Pairs are grouped by source: a group's owner scores its pairs and sums
// the source's gradient. Then occurrences are grouped by target row: a row's owner sums its
// gradient over the source rows. All sums run in pair order. A pair with k negatives costs k + 1
// dot products and 2 (k + 1) row additions.
#pragma once

#include <cmath>

#include "mcns/core/error.h"
#include "mcns/core/row_groups.h"
#include "mcns/losses/losses.h"
#include "mcns/samplers/pair_sampling.h"
#include "mcns/train/step_totals.h"

namespace mcns {

template <class LossFn>
class PairGradients {
 public:
  /// Rows are in [0, rows), `stride` floats each.
  PairGradients(LossFn loss, const PairSampling& sampling, float l2, std::int64_t rows, int stride,
                ThreadPool& pool)
      : loss_(loss),
        sampling_(sampling),
        width_(sampling.negatives().k + 1),
        l2_(l2),
        pool_(pool),
        stride_(stride),
        targets_(rows),
        source_slot_(rows, -1) {}

  /// Calls row_of(node) for every node of the batch: once for a source, once for each target.
  template <class SourceRow, class TargetRow>
  void list_rows(const PairBatch& batch, const SourceRow& source_row, const TargetRow& target_row) {
    const std::size_t pairs = batch.pairs.size();
    const auto& ids = sampling_.negatives().ids;
    rows_.resize(pairs * width_);
    coefficients_.resize(pairs * width_);
    losses_.resize(pairs);
    scores_.assign(sampling_.wants_feedback() ? pairs * width_ : 0, 0.0F);
    source_rows_.resize(sources().size());
    for (std::int32_t g = 0; g < sources().size(); ++g)
      source_rows_[g] = source_row(sources().key(g));
    pool_.for_ranges(static_cast<std::int64_t>(pairs), 512,
                     [&](std::int64_t from, std::int64_t to) {
                       for (std::int64_t i = from; i < to; ++i) {
                         NodeId* row = rows_.data() + i * width_;
                         row[0] = target_row(batch.pairs[i].target);
                         for (int j = 1; j < width_; ++j)
                           row[j] = target_row(ids[i * (width_ - 1) + j - 1]);
                       }
                     });
    source_gradients_.resize(static_cast<std::size_t>(sources().size()) * stride_ + kRowAlign);
  }

  /// Loss of the batch, dL/ds, and the gradients of the sources. Throws if the loss is not finite.
  double score(BatchKey key, const float* vectors) {
    sources().cut(kPairsPerPiece, bounds_);
    // Grouping the targets is serial and needs no scores: it is one more piece beside the scoring.
    pool_.run(static_cast<std::int64_t>(bounds_.size()), [&](std::int64_t piece) {
      if (piece == 0) return targets_.build(rows_);
      score_sources(bounds_[piece - 1], bounds_[piece], vectors);
    });
    double loss = 0;
    for (const float l : losses_) loss += l;
    if (!std::isfinite(loss))
      for (const NodeId row : source_rows_) source_slot_[row] = -1;
    require_finite(loss, key);
    return loss;
  }
  /// pairs x (k + 1), where the sampler wants them.
  std::span<const float> scores() const { return scores_; }

  /// After score(): sums the gradients of the target rows; calls done(row, gradient) for those that
  /// are no sources.
  template <class Done>
  void targets(const float* vectors, const Done& done) {
    targets_.cut(kPairsPerPiece * 2, bounds_);
    pool_.run(static_cast<std::int64_t>(bounds_.size()) - 1, [&](std::int64_t piece) {
      alignas(64) float local[kMaxLocal];
      std::vector<float> heap;
      float* gradient = local;
      if (stride_ > kMaxLocal) {
        heap.resize(stride_ + kRowAlign);
        gradient = aligned(heap.data());
      }
      sum_targets(bounds_[piece], bounds_[piece + 1], vectors, gradient, done);
    });
  }

  /// Calls done(row, gradient) for the sources, whose gradients are complete now.
  template <class Done>
  void sources(const Done& done) {
    sources().cut(kPairsPerPiece, bounds_);
    pool_.run(static_cast<std::int64_t>(bounds_.size()) - 1, [&](std::int64_t piece) {
      for (std::int32_t g = bounds_[piece]; g < bounds_[piece + 1]; ++g) {
        done(source_rows_[g], source_gradient(g));
        source_slot_[source_rows_[g]] = -1;
      }
    });
  }

 private:
  static constexpr std::int32_t kPairsPerPiece = 64;
  static constexpr int kChunk = 32, kMaxLocal = 1024;
  static constexpr std::int32_t kPairsAhead = 2, kRowsAhead = 8;

  const RowGroups& sources() const { return sampling_.sources(); }

  /// Kernels expect cache lines.
  static float* aligned(float* data) {
    return reinterpret_cast<float*>((reinterpret_cast<std::uintptr_t>(data) + 63) / 64 * 64);
  }
  float* source_gradient(std::int32_t group) {
    return aligned(source_gradients_.data()) + static_cast<std::size_t>(group) * stride_;
  }

  // Rows are anywhere in memory and every one is used for a few nanoseconds only, so they are asked
  // for ahead of their use.

  void prefetch(const float* vectors, NodeId row) const {
    const float* data = vectors + static_cast<std::size_t>(row) * stride_;
    for (int at = 0; at < stride_; at += kRowAlign) __builtin_prefetch(data + at);
  }

  void score_sources(std::int32_t begin, std::int32_t end, const float* vectors) {
    const auto order = sources().members(begin, end);
    std::size_t asked = 0, done = 0;
    for (std::int32_t g = begin; g < end; ++g) {
      done += sources().members(g).size();
      for (; asked < std::min(done + kPairsAhead, order.size()); ++asked) {
        const std::int32_t pair = order[asked];
        prefetch(vectors, source_rows_[sources().slot(pair)]);
        for (int j = 0; j < width_; ++j) prefetch(vectors, rows_[std::size_t(pair) * width_ + j]);
      }
      score_source(g, vectors);
    }
  }

  template <class Done>
  void sum_targets(std::int32_t begin, std::int32_t end, const float* vectors, float* gradient,
                   const Done& done) {
    const auto order = targets_.members(begin, end);
    std::size_t asked = 0, summed = 0;
    std::int32_t next = begin;
    for (std::int32_t g = begin; g < end; ++g) {
      summed += targets_.members(g).size();
      for (; asked < std::min(summed + kRowsAhead, order.size()); ++asked)
        prefetch(vectors, source_rows_[sources().slot(order[asked] / width_)]);
      for (; next < std::min(g + kRowsAhead, end); ++next) prefetch(vectors, targets_.key(next));
      sum_target(g, vectors, gradient, done);
    }
  }

  void score_source(std::int32_t group, const float* vectors) {
    const Kernels& k = kernels();
    const Negatives& negatives = sampling_.negatives();
    const float* source = vectors + static_cast<std::size_t>(source_rows_[group]) * stride_;
    float* gradient = source_gradient(group);
    std::fill_n(gradient, stride_, 0.0F);
    std::int32_t learned = 0;
    for (const std::int32_t i : sources().members(group)) {
      float* s = coefficients_.data() + std::size_t(i) * width_;
      const float share = negatives.pair_weights.empty() ? 1.0F : negatives.pair_weights[i];
      if (share == 0) {
        std::fill_n(s, width_, 0.0F);
        losses_[i] = 0;
        continue;
      }
      const RowList list{vectors, static_cast<std::size_t>(stride_),
                         rows_.data() + std::size_t(i) * width_, width_};
      k.dots(source, list, stride_, s);
      if (!scores_.empty()) std::copy_n(s, width_, scores_.data() + std::size_t(i) * width_);
      const float* weights = negatives.weights.empty()
                                 ? nullptr
                                 : negatives.weights.data() + std::size_t(i) * (width_ - 1);
      losses_[i] = share * static_cast<float>(block_loss(loss_, s, weights, 1, width_));
      if (share != 1)
        for (int j = 0; j < width_; ++j) s[j] *= share;
      k.accumulate(gradient, list, s, stride_);
      ++learned;
    }
    if (l2_ != 0) k.axpy(gradient, l2_ * static_cast<float>(learned), source, stride_);
    source_slot_[source_rows_[group]] = group;
  }

  template <class Done>
  void sum_target(std::int32_t group, const float* vectors, float* gradient, const Done& done) {
    const Kernels& k = kernels();
    const NodeId row = targets_.key(group);
    const std::int32_t slot = source_slot_[row];
    if (slot >= 0)
      gradient = source_gradient(slot);
    else
      std::fill_n(gradient, stride_, 0.0F);
    NodeId from[kChunk];
    float coefficients[kChunk];
    const auto members = targets_.members(group);
    std::int32_t learned = 0;
    const auto& shares = sampling_.negatives().pair_weights;
    for (std::size_t first = 0; first < members.size(); first += kChunk) {
      const int count = static_cast<int>(std::min<std::size_t>(kChunk, members.size() - first));
      for (int j = 0; j < count; ++j) {
        const std::int32_t occurrence = members[first + j];
        const std::int32_t pair = occurrence / width_;
        from[j] = source_rows_[sources().slot(pair)];
        coefficients[j] = coefficients_[occurrence];
        learned += shares.empty() || shares[pair] != 0;
      }
      k.accumulate(gradient, {vectors, static_cast<std::size_t>(stride_), from, count},
                   coefficients, stride_);
    }
    if (l2_ != 0)
      k.axpy(gradient, l2_ * static_cast<float>(learned),
             vectors + static_cast<std::size_t>(row) * stride_, stride_);
    if (slot < 0) done(row, gradient);
  }

  LossFn loss_;
  const PairSampling& sampling_;
  int width_;  ///< scores of a pair: the positive and its negatives
  float l2_;
  ThreadPool& pool_;
  int stride_;
  RowGroups targets_;
  std::vector<std::int32_t> source_slot_;  ///< row -> group in this batch, or -1
  std::vector<NodeId> rows_, source_rows_;
  std::vector<float> coefficients_, losses_, scores_, source_gradients_;
  std::vector<std::int32_t> bounds_;
};

}  // namespace mcns
