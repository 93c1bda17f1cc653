// Gradients of rows from the slopes of their places in pairs: a row's owner sums its gradient over
// the sources of these pairs, in pair order, so bits are the same for any number of threads. A
// place costs one row addition.
//
// A lone row has one place in the batch and is no source in it: nothing else reads it, so it may be
// updated as soon as its pair is scored, while it is in a cache. In large tables most rows are
// lone, and memory is then read once. The arithmetic is the same, and so are the bits.
#pragma once

#include "mcns/core/kernels.h"
#include "mcns/core/parallel.h"
#include "mcns/core/row_groups.h"
#include "mcns/core/thread_scratch.h"
#include "mcns/train/lone_rows.h"
#include "mcns/train/pair_scores.h"

namespace mcns {

class TargetSums {
 public:
  /// Rows are in [0, rows), `stride` floats each.
  TargetSums(std::int64_t rows, int stride, float l2, ThreadPool& pool)
      : groups_(rows),
        marks_(rows),
        source_slot_(rows, -1),
        stride_(stride),
        l2_(l2),
        pool_(pool) {}

  /// Looks for lone rows where there may be many. Call before group().
  void find_lone(std::span<const NodeId> rows, std::span<const NodeId> source_rows) {
    has_lone_ = static_cast<std::size_t>(marks_.rows()) >= kRowsPerPlace * rows.size();
    if (has_lone_) marks_.mark(rows, source_rows);
  }

  /// Groups the places of rows that are not lone.
  void group(std::span<const NodeId> rows) {
    if (!has_lone_) {
      groups_.build(rows);
      places_ = groups_.members();
      return;
    }
    marks_.list_shared(rows, shared_rows_, shared_places_);
    groups_.build(shared_rows_);
    grouped_.resize(shared_places_.size());
    for (std::size_t i = 0; i < grouped_.size(); ++i)
      grouped_[i] = shared_places_[groups_.members()[i]];
    places_ = grouped_;
  }

  /// Calls done(row, gradient) for the lone rows of these pairs, which are scored.
  template <class Done>
  void sum_lone(const RowWork& work, std::span<const std::int32_t> pairs, const float* table,
                const Done& done) {
    if (!has_lone_) return;
    struct Lone {
      std::vector<NodeId> rows;
      std::vector<std::int32_t> places, first;
    };
    auto& [rows, places, first] = thread_scratch<Lone>();
    rows.clear();
    places.clear();
    for (const std::int32_t pair : pairs)
      for (std::int32_t p = pair * work.width; p < (pair + 1) * work.width; ++p)
        if (marks_.is_lone(work.rows[p])) {
          rows.push_back(work.rows[p]);
          places.push_back(p);
        }
    while (first.size() <= rows.size()) first.push_back(static_cast<std::int32_t>(first.size()));
    if (!rows.empty())
      sum_groups(work, table, {rows.size(), rows.data(), first.data(), places.data()}, done);
  }

  /// Calls done(row, gradient) for every row, once all vectors that its neighbours need were read:
  /// rows that are sources come last. `table` has the rows' own vectors. Call group() before.
  template <class Done>
  void sum(const RowWork& work, const float* table, const Done& done) {
    for (std::size_t s = 0; s < work.source_rows.size(); ++s)
      source_slot_[work.source_rows[s]] = static_cast<std::int32_t>(s);
    groups_.cut(0, groups_.size(), kPlacesPerPiece, bounds_);
    pool_.run(static_cast<std::int64_t>(bounds_.size()) - 1, [&](std::int64_t piece) {
      const std::int32_t begin = bounds_[piece], end = bounds_[piece + 1];
      sum_groups(work, table,
                 {static_cast<std::size_t>(end - begin), groups_.keys().data() + begin,
                  groups_.offsets().data() + begin, places_.data()},
                 done);
    });
    pool_.for_ranges(static_cast<std::int64_t>(work.source_rows.size()), kSourcesPerPiece,
                     [&](std::int64_t begin, std::int64_t end) {
                       finish_sources(work, table, begin, end, done);
                     });
    if (has_lone_) marks_.clear(work.rows, work.source_rows);
    has_lone_ = false;
  }

 private:
  static constexpr std::int32_t kPlacesPerPiece = 1024;
  static constexpr std::size_t kRowsPerPlace = 2;  ///< of the table, for many to be lone
  static constexpr std::int64_t kSourcesPerPiece = 64, kRowsAhead = 4;

  struct Groups {
    std::size_t count;
    const NodeId* rows;
    const std::int32_t *first, *places;
  };

  template <class Done>
  void sum_groups(const RowWork& work, const float* table, Groups groups, const Done& done) {
    kernels().sum_targets(
        {.table = table,
         .vectors = work.vectors,
         .stride = static_cast<std::size_t>(stride_),
         .groups = static_cast<int>(groups.count),
         .rows = groups.rows,
         .first = groups.first,
         .places = groups.places,
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

  RowGroups groups_;  ///< places by row
  LoneRows marks_;
  bool has_lone_ = false;  ///< lone rows of this batch are marked
  std::vector<NodeId> shared_rows_;
  std::vector<std::int32_t> shared_places_, grouped_;
  std::span<const std::int32_t> places_;   ///< by group
  std::vector<std::int32_t> source_slot_;  ///< of a row in this batch, or -1
  int stride_;
  float l2_;
  ThreadPool& pool_;
  std::vector<std::int32_t> bounds_;
};

}  // namespace mcns
