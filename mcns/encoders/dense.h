// Matrix products on views. Each runs on the calling thread alone and its bits depend on its
// operands only, so callers cut work into fixed tiles and give a tile to any thread.
#pragma once

#include "mcns/core/matrix.h"

namespace mcns {

/// c = a b
void multiply(MatrixRef c, ConstMatrixRef a, ConstMatrixRef b);
/// c = a^T b
void multiply_transposed(MatrixRef c, ConstMatrixRef a, ConstMatrixRef b);
void transpose(MatrixRef out, ConstMatrixRef in);

/// Rows [begin, end) of a view, and columns [first, first + count).
template <class T>
MatrixView<T> rows_of(MatrixView<T> m, std::int64_t begin, std::int64_t end) {
  return {m.row(begin), end - begin, m.dim, m.stride};
}
template <class T>
MatrixView<T> columns_of(MatrixView<T> m, int first, int count) {
  return {m.data + first, m.rows, count, m.stride};
}

}  // namespace mcns
