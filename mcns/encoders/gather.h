// The loop that networks spend their time in: weighted sums of rows from all over a table. Sums
// follow one another along one list of rows, so those a few places on are prefetched before they
// are needed.
#pragma once

#include <algorithm>
#include <span>

#include "mcns/core/kernels.h"
#include "mcns/core/matrix.h"
#include "mcns/core/types.h"

namespace mcns {

/// out += sum over e in [begin, end) of coefficients[e] * row rows[e] of the table.
inline void gather_sum(EdgeId begin, EdgeId end, std::span<const NodeId> rows,
                       const float* coefficients, ConstMatrixRef table, float* out) {
  // Rows are prefetched a chunk at a time, or those of a hub would push one another out of the
  // cache.
  constexpr EdgeId kAhead = 24, kChunk = 32;
  const auto size = static_cast<EdgeId>(rows.size());
  for (EdgeId first = begin; first < end; first += kChunk) {
    const EdgeId last = std::min(end, first + kChunk);
    for (EdgeId e = std::min(size, first + kAhead); e < std::min(size, last + kAhead); ++e)
      prefetch_row(table.row(rows[e]), table.stride);
    kernels().accumulate(out,
                         {table.data, static_cast<std::size_t>(table.stride), rows.data() + first,
                          static_cast<int>(last - first)},
                         coefficients + first, table.stride);
  }
}

}  // namespace mcns
