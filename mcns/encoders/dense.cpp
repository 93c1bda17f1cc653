#include "mcns/encoders/dense.h"

#include <cblas.h>

#include "mcns/core/error.h"

namespace mcns {
namespace {

void sgemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, MatrixRef c, ConstMatrixRef a, ConstMatrixRef b,
           std::int64_t inner) {
  // A multithreaded product would change bits with the number of threads, and ours are busy
  // already.
  static const bool single = [] {
    openblas_set_num_threads(1);
    return true;
  }();
  (void)single;
  if (c.rows == 0) return;
  cblas_sgemm(CblasRowMajor, ta, tb, static_cast<blasint>(c.rows), c.dim,
              static_cast<blasint>(inner), 1.0F, a.data, a.stride, b.data, b.stride, 0.0F, c.data,
              c.stride);
}

}  // namespace

void multiply(MatrixRef c, ConstMatrixRef a, ConstMatrixRef b) {
  MCNS_ASSERT(c.rows == a.rows && a.dim == b.rows && c.dim == b.dim);
  sgemm(CblasNoTrans, CblasNoTrans, c, a, b, a.dim);
}

void multiply_transposed_a(MatrixRef c, ConstMatrixRef a, ConstMatrixRef b) {
  MCNS_ASSERT(c.rows == a.dim && a.rows == b.rows && c.dim == b.dim);
  sgemm(CblasTrans, CblasNoTrans, c, a, b, a.rows);
}

void multiply_transposed_b(MatrixRef c, ConstMatrixRef a, ConstMatrixRef b) {
  MCNS_ASSERT(c.rows == a.rows && a.dim == b.dim && c.dim == b.rows);
  sgemm(CblasNoTrans, CblasTrans, c, a, b, a.dim);
}

}  // namespace mcns
