// Rows of a batch that have one place among its targets and are no source: what nothing else reads.
// Two bits a row, in one word: the row has a place; it has another use too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "mcns/core/types.h"

namespace mcns {

class LoneRows {
 public:
  /// Rows are in [0, rows). Memory is taken at the first mark().
  explicit LoneRows(std::int64_t rows) : rows_(rows) {}

  std::int64_t rows() const { return rows_; }

  /// Marks the rows of a batch's places, and those of its sources. All marks are clear before.
  void mark(std::span<const NodeId> places, std::span<const NodeId> sources) {
    words_.resize(rows_ / kRowsPerWord + 1);
    for (const NodeId row : sources) words_[row / kRowsPerWord] |= bit(row) << kRowsPerWord;
    for (std::size_t i = 0; i < places.size(); ++i) {
      __builtin_prefetch(&words_[places[std::min(i + kAhead, places.size() - 1)] / kRowsPerWord]);
      std::uint64_t& word = words_[places[i] / kRowsPerWord];
      const std::uint64_t one = bit(places[i]);
      word |= one | (word & one) << kRowsPerWord;
    }
  }

  /// Of a row that was marked as one of a place.
  bool is_lone(NodeId row) const {
    return (words_[row / kRowsPerWord] >> kRowsPerWord & bit(row)) == 0;
  }

  /// The places whose rows are not lone, in order, and these rows.
  void list_shared(std::span<const NodeId> places, std::vector<NodeId>& rows,
                   std::vector<std::int32_t>& numbers) const {
    rows.resize(places.size());
    numbers.resize(places.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      rows[count] = places[i];
      numbers[count] = static_cast<std::int32_t>(i);
      count += is_lone(places[i]) ? 0 : 1;
    }
    rows.resize(count);
    numbers.resize(count);
  }

  /// After mark() with the same rows.
  void clear(std::span<const NodeId> places, std::span<const NodeId> sources) {
    if (words_.size() <= places.size()) return std::fill(words_.begin(), words_.end(), 0);
    for (const auto rows : {places, sources})
      for (const NodeId row : rows) words_[row / kRowsPerWord] = 0;
  }

 private:
  static constexpr int kRowsPerWord = 32;
  static constexpr std::size_t kAhead = 16;  ///< rows come in any order

  static std::uint64_t bit(NodeId row) { return std::uint64_t{1} << row % kRowsPerWord; }

  std::int64_t rows_;
  std::vector<std::uint64_t> words_;
};

}  // namespace mcns
