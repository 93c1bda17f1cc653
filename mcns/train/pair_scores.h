// Scores, losses and slopes of a batch's pairs over rows of vectors, and the gradients of the
// sources: the same bits for any number of threads.
//
// The vectors are frozen. Pairs are grouped by source: a group's owner scores its pairs and sums
// the source's gradient in pair order. A pair with k negatives costs k + 1 dot products and as many
// row additions.
#pragma once

#include "mcns/core/matrix.h"
#include "mcns/core/row_groups.h"
#include "mcns/core/thread_scratch.h"
#include "mcns/losses/losses.h"
#include "mcns/samplers/pair_sampling.h"

namespace mcns {

/// A row of numbers of this thread.
inline float* thread_row(int size) {
  struct Kept {
    Matrix row;
  };
  Matrix& row = thread_scratch<Kept>().row;
  if (row.stride() < size) row = Matrix(1, size);
  return row.row(0);
}

inline const float* or_null(std::span<const float> values) {
  return values.empty() ? nullptr : values.data();
}

/// Rows of the pairs of a batch, by the pair's number.
struct PairRows {
  std::vector<NodeId> sources;
  std::vector<NodeId> targets;  ///< by place: pair * width + target, the positive first
};

/// What the rows of this process get from a batch.
struct RowWork {
  std::span<const NodeId> rows;         ///< of the places, in pair order
  std::span<const Slope> slopes;        ///< of the places; sources are rows of `vectors`
  const float* vectors;                 ///< frozen
  int width;                            ///< places of a pair
  std::span<const float> pair_weights;  ///< empty where all are 1
  std::span<const NodeId> source_rows;  ///< that have a gradient as sources already
  float* source_gradients;              ///< theirs; are added to
};

template <class LossFn>
class PairScores {
 public:
  /// Rows have `stride` floats.
  PairScores(LossFn loss, const PairSampling& sampling, float l2, int stride, ThreadPool& pool)
      : loss_(loss), sampling_(sampling), l2_(l2), pool_(pool), stride_(stride) {}

  /// Calls row_of(node) for every node of the batch: once for a source, once for each target.
  template <class SourceRow, class TargetRow>
  void list_rows(const PairBatch& batch, const SourceRow& source_row, const TargetRow& target_row) {
    const std::size_t pairs = batch.pairs.size();
    const auto ids = sampling_.negatives().ids;
    const int width = this->width();
    rows_.targets.resize(pairs * width);
    rows_.sources.resize(pairs);
    slopes_.resize(pairs * width);
    scores_.assign(sampling_.wants_feedback() ? pairs * width : 0, 0.0F);
    pool_.for_ranges(static_cast<std::int64_t>(pairs), 512,
                     [&](std::int64_t from, std::int64_t to) {
                       for (std::int64_t i = from; i < to; ++i) {
                         rows_.sources[i] = source_row(batch.pairs[i].source);
                         NodeId* row = rows_.targets.data() + i * width;
                         row[0] = target_row(batch.pairs[i].target);
                         for (int j = 1; j < width; ++j)
                           row[j] = target_row(ids[i * (width - 1) + j - 1]);
                       }
                     });
    if (source_gradients_.rows() < groups().size() || source_gradients_.stride() != stride_)
      source_gradients_ = Matrix(groups().size() * std::int64_t{5} / 4, stride_);
  }
  PairRows& rows() { return rows_; }

  /// Losses of pieces of the batch, in order; `beside` runs at the same time, and
  /// `scored(pairs, loss)` after each piece, by its thread, while its rows are in a near cache.
  template <class Beside, class Scored>
  std::span<const double> score(const float* vectors, const Beside& beside, const Scored& scored) {
    const auto [first, last] = sampling_.own_sources();
    groups().cut(first, last, kPairsPerPiece, bounds_);
    losses_.resize(bounds_.size() - 1);
    pool_.run(static_cast<std::int64_t>(bounds_.size()), [&](std::int64_t piece) {
      if (piece == 0) return beside();
      const auto pairs = groups().members(bounds_[piece - 1], bounds_[piece]);
      losses_[piece - 1] = score_piece(pairs, vectors);
      scored(pairs, losses_[piece - 1]);
    });
    return losses_;
  }
  template <class Beside>
  std::span<const double> score(const float* vectors, const Beside& beside) {
    return score(vectors, beside, [](std::span<const std::int32_t>, double) {});
  }

  /// pairs x (k + 1), where the sampler wants them.
  std::span<const float> scores() const { return scores_; }

  /// What the rows get from the pairs of list_rows(), once they are scored.
  RowWork work(const float* vectors) {
    source_rows_.resize(groups().size());
    for (std::int32_t g = 0; g < groups().size(); ++g)
      source_rows_[g] = rows_.sources[groups().members(g)[0]];
    return {rows_.targets,
            slopes_,
            vectors,
            width(),
            sampling_.negatives().pair_weights,
            source_rows_,
            source_gradients_.data()};
  }

 private:
  static constexpr std::int32_t kPairsPerPiece = 64;

  const RowGroups& groups() const { return sampling_.sources(); }
  int width() const { return sampling_.negatives().k + 1; }

  double score_piece(std::span<const std::int32_t> order, const float* vectors) {
    const Negatives& negatives = sampling_.negatives();
    const LossOfPairs loss = [](const void* state, float* s, const float* weight, int pairs,
                                int n) {
      return loss_of_pairs(*static_cast<const LossFn*>(state), s, weight, pairs, n);
    };
    return kernels().score_pairs({.vectors = vectors,
                                  .stride = static_cast<std::size_t>(stride_),
                                  .order = order.data(),
                                  .pairs = static_cast<int>(order.size()),
                                  .width = width(),
                                  .sources = rows_.sources.data(),
                                  .targets = rows_.targets.data(),
                                  .slots = groups().slots().data(),
                                  .weights = or_null(negatives.weights),
                                  .pair_weights = or_null(negatives.pair_weights),
                                  .loss = loss,
                                  .loss_state = &loss_,
                                  .l2 = l2_,
                                  .slopes = slopes_.data(),
                                  .scores = scores_.empty() ? nullptr : scores_.data(),
                                  .gradients = source_gradients_.data(),
                                  .scratch = thread_row(width())},
                                 stride_);
  }

  LossFn loss_;
  const PairSampling& sampling_;
  float l2_;
  ThreadPool& pool_;
  int stride_;
  PairRows rows_;
  std::vector<NodeId> source_rows_;
  std::vector<Slope> slopes_;
  std::vector<float> scores_;
  std::vector<double> losses_;
  Matrix source_gradients_{0, 0};
  std::vector<std::int32_t> bounds_;
};

}  // namespace mcns
