// The policy of a generator over all targets, for the distinct sources of a batch: softmax(g.h / t)
// as rows of unnormalised terms, by matrix products.
//
// Sources are numbered in order of first appearance in the batch. Their rows are kept from drawing
// to learning, as many as fit in kKeptBytes; the others are made again. A term depends on its
// source and target alone, not on the rows that are computed with it, so a row that is made again
// has the same bits, on any thread. n d multiplications and n exponentials a source; memory: 4 n
// bytes a row, and the targets once more, transposed.
#pragma once

#include <span>
#include <vector>

#include "mcns/core/row_groups.h"
#include "mcns/samplers/generator.h"

namespace mcns {

class FullPolicy {
 public:
  /// Rows take `kept_bytes` or those of one tile; the others must outlive the object.
  FullPolicy(const Generator& generator, const Exclusion& exclusion,
             std::int64_t kept_bytes = kKeptBytes);

  /// Takes the sources of a batch and the generator's tables as they are now.
  void begin(std::span<const Pair> pairs);
  /// Whether it holds the sources of these pairs, and the tables have not changed since.
  bool holds(std::span<const Pair> pairs) const;
  /// To be called when the tables change.
  void forget() { keys_.clear(); }

  const RowGroups& sources() const { return groups_; }
  /// Vectors of the sources, by number.
  const Matrix& vectors() const { return vectors_; }
  /// Sources that have a row at the same time.
  std::int32_t kept() const { return kept_; }
  /// Row of a source among those that stand together in memory: number % kept().
  float* row(std::int32_t source) { return terms_.row(source % kept_); }
  const float* row(std::int32_t source) const { return terms_.row(source % kept_); }
  int stride() const { return terms_.stride(); }
  /// Sum of a row's terms; 0 as long as it was not made in its place.
  double total(std::int32_t source) const { return totals_[source]; }

  /// Makes the rows of the sources [first, last) at `rows`, stride() apart: their own place or any
  /// other. `done(source, row, cumulative)` follows each; cumulative[b] is the sum of its first b +
  /// 1 blocks.
  template <class Done>
  void make(std::int32_t first, std::int32_t last, float* rows, const Done& done) {
    score(first, last, rows);
    std::vector<double> cumulative;
    for (std::int32_t s = first; s < last; ++s) {
      float* row = rows + static_cast<std::ptrdiff_t>(s - first) * stride();
      normalise(s, row, cumulative);
      done(s, row, std::span<const double>(cumulative));
    }
  }
  /// Makes those rows of the sources [first, last) that were not made yet; they must be kept
  /// together.
  void complete(std::int32_t first, std::int32_t last);

  /// A target, counted from the first one, from a row and the sums of its blocks.
  NodeId draw(NodeId source, const float* row, std::span<const double> cumulative, Rng& rng) const;
  /// p(target | source) of the batch, where its row is kept and the term is not 0; else 0.
  double find(NodeId source, NodeId target) const;

  static std::uint64_t bytes(const SamplerSizes& sizes);
  static constexpr std::int64_t kKeptBytes = std::int64_t{128} << 20;
  /// Sources of a piece of work, and how many rows are kept at least.
  static constexpr std::int32_t kTile = 24;

 private:
  void score(std::int32_t first, std::int32_t last, float* rows) const;
  void normalise(std::int32_t source, float* row, std::vector<double>& cumulative);

  const Generator& generator_;
  const Exclusion& exclusion_;
  std::int64_t kept_bytes_;
  NodeId first_;
  RowGroups groups_;
  std::vector<NodeId> keys_;  ///< sources of the batch's pairs
  std::int32_t kept_ = 1;
  Matrix across_;   ///< the targets' vectors, transposed
  Matrix vectors_;  ///< of the sources
  Matrix terms_;
  std::vector<double> totals_;
};

}  // namespace mcns
