#include "mcns/encoders/dense.h"

#include "mcns/core/error.h"
#include "mcns/core/kernels.h"

namespace mcns {

void multiply(MatrixRef c, ConstMatrixRef a, ConstMatrixRef b) {
  MCNS_ASSERT(c.rows == a.rows && a.dim == b.rows && c.dim == b.dim);
  kernels().multiply({c.data, c.stride, a.data, a.stride, 1, b.data, b.stride,
                      static_cast<int>(c.rows), c.dim, a.dim});
}

void multiply_transposed(MatrixRef c, ConstMatrixRef a, ConstMatrixRef b) {
  MCNS_ASSERT(c.rows == a.dim && a.rows == b.rows && c.dim == b.dim);
  kernels().multiply({c.data, c.stride, a.data, 1, a.stride, b.data, b.stride,
                      static_cast<int>(c.rows), c.dim, static_cast<int>(a.rows)});
}

void transpose(MatrixRef out, ConstMatrixRef in) {
  MCNS_ASSERT(out.rows == in.dim && out.dim == in.rows);
  for (std::int64_t i = 0; i < in.rows; ++i)
    for (int j = 0; j < in.dim; ++j) out.row(j)[i] = in.row(i)[j];
}

}  // namespace mcns
