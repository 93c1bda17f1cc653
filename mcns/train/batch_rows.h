// The distinct rows of a batch, ascending, and the place of each among them: what goes through an
// encoder as one block.
#pragma once

#include <span>
#include <vector>

#include "mcns/core/node_set.h"
#include "mcns/core/parallel.h"

namespace mcns {

class BatchRows {
 public:
  /// Rows are in [0, rows).
  BatchRows(std::int64_t rows, ThreadPool& pool) : pool_(pool), seen_(rows), slot_of_row_(rows) {}

  /// Adds row(i) for i < count.
  template <class Row>
  void add(std::size_t count, const Row& row) {
    pool_.for_ranges(static_cast<std::int64_t>(count), kRowsPerPiece,
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t i = begin; i < end; ++i) seen_.add(row(i));
                     });
  }
  /// After all were added.
  void list() {
    rows_.clear();
    seen_.drain([&](NodeId row) {
      slot_of_row_[row] = static_cast<NodeId>(rows_.size());
      rows_.push_back(row);
    });
  }

  std::span<const NodeId> rows() const { return rows_; }
  std::int64_t size() const { return static_cast<std::int64_t>(rows_.size()); }
  /// The place of a row that was added.
  NodeId slot(NodeId row) const { return slot_of_row_[row]; }

 private:
  static constexpr std::int64_t kRowsPerPiece = 4096;

  ThreadPool& pool_;
  NodeSet seen_;
  std::vector<NodeId> slot_of_row_;  ///< of this batch's rows; of others, left over
  std::vector<NodeId> rows_;
};

}  // namespace mcns
