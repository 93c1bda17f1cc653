// The loop that networks spend their time in: weighted sums of rows from all over a table. Sums
// follow one another along one list of rows, so those of the next sums are asked for before they
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
  constexpr EdgeId kAhead = 24;
  constexpr int kLine = 16;  // floats
  const EdgeId last = std::min(end + kAhead, static_cast<EdgeId>(rows.size()));
  for (EdgeId e = begin + kAhead; e < last; ++e)
    for (int at = 0; at < table.stride; at += kLine) __builtin_prefetch(table.row(rows[e]) + at);
  kernels().accumulate(out,
                       {table.data, static_cast<std::size_t>(table.stride), rows.data() + begin,
                        static_cast<int>(end - begin)},
                       coefficients + begin, table.stride);
}

}  // namespace mcns
