// Gradients of rows from the slopes of their places in pairs: a row's owner sums its gradient over
// the sources of these pairs, in pair order, so bits are the same for any number of threads. A
// place costs one row addition.
#pragma once

#include "mcns/core/kernels.h"
#include "mcns/core/parallel.h"
#include "mcns/core/row_groups.h"
#include "mcns/train/pair_scores.h"

namespace mcns {

class TargetSums {
 public:
  /// Rows are in [0, rows), `stride` floats each.
  TargetSums(std::int64_t rows, int stride, float l2, ThreadPool& pool)
      : groups_(rows), source_slot_(rows, -1), stride_(stride), l2_(l2), pool_(pool) {}

  void group(std::span<const NodeId> rows) { groups_.build(rows); }

  /// Calls done(row, gradient) for every row, once all vectors that its neighbours need were read:
  /// rows that are sources come last. `table` has the rows' own vectors. Call group() before.
  template <class Done>
  void sum(const RowWork& work, const float* table, const Done& done) {
    for (std::size_t s = 0; s < work.source_rows.size(); ++s)
      source_slot_[work.source_rows[s]] = static_cast<std::int32_t>(s);
    groups_.cut(0, groups_.size(), kPlacesPerPiece, bounds_);
    pool_.run(static_cast<std::int64_t>(bounds_.size()) - 1, [&](std::int64_t piece) {
      sum_groups(work, table, bounds_[piece], bounds_[piece + 1], done);
    });
    pool_.for_ranges(static_cast<std::int64_t>(work.source_rows.size()), kSourcesPerPiece,
                     [&](std::int64_t begin, std::int64_t end) {
                       finish_sources(work, table, begin, end, done);
                     });
  }

 private:
  static constexpr std::int32_t kPlacesPerPiece = 128;
  static constexpr std::int64_t kSourcesPerPiece = 64, kRowsAhead = 4;

  template <class Done>
  void sum_groups(const RowWork& work, const float* table, std::int32_t begin, std::int32_t end,
                  const Done& done) {
    kernels().sum_targets(
        {.table = table,
         .vectors = work.vectors,
         .stride = static_cast<std::size_t>(stride_),
         .groups = end - begin,
         .rows = groups_.keys().data() + begin,
         .first = groups_.offsets().data() + begin,
         .places = groups_.members().data(),
         .slopes = work.slopes.data(),
         .width = work.width,
         .pair_weights = or_null(work.pair_weights),
         .l2 = l2_,
         .source_slot = source_slot_.data(),
         .source_gradients = work.source_gradients,
         .done = [](const void* context, NodeId row,
                    const float* gradient) { (*static_cast<const Done*>(context))(row, gradient); },
         .context = &done,
         .scratch = thread_row(stride_)},
        stride_);
  }

  template <class Done>
  void finish_sources(const RowWork& work, const float* table, std::int64_t begin, std::int64_t end,
                      const Done& done) {
    for (std::int64_t s = begin; s < end; ++s) {
      const NodeId next = work.source_rows[std::min(s + kRowsAhead, end - 1)];
      for (int at = 0; at < stride_; at += kRowAlign)
        __builtin_prefetch(table + std::size_t(next) * stride_ + at);
      done(work.source_rows[s], work.source_gradients + s * stride_);
      source_slot_[work.source_rows[s]] = -1;
    }
  }

  RowGroups groups_;                       ///< places by row
  std::vector<std::int32_t> source_slot_;  ///< of a row in this batch, or -1
  int stride_;
  float l2_;
  ThreadPool& pool_;
  std::vector<std::int32_t> bounds_;
};

}  // namespace mcns
