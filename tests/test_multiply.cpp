// The product of the kernels against three loops, for shapes around every edge of its tiles.
#include <vector>

#include <gtest/gtest.h>

#include "mcns/core/kernels.h"
#include "mcns/core/rng.h"

namespace mcns {
namespace {

void check(int rows, int columns, int inner, bool transposed) {
  Rng rng(1, Domain::kTest, rows * 1000 + columns, inner);
  // Strides longer than rows, and a result in the midst of other numbers: nothing else is written.
  const int a_stride = (transposed ? rows : inner) + 3, b_stride = columns + 5,
            c_stride = columns + 2;
  std::vector<float> a(static_cast<std::size_t>(a_stride) * (transposed ? inner : rows)),
      b(static_cast<std::size_t>(b_stride) * inner - 5),
      c(static_cast<std::size_t>(c_stride) * rows, 7.0F);
  for (float& x : a) x = static_cast<float>(rng.normal());
  for (float& x : b) x = static_cast<float>(rng.normal());
  kernels().multiply({c.data(), c_stride, a.data(), transposed ? 1 : a_stride,
                      transposed ? a_stride : 1, b.data(), b_stride, rows, columns, inner});
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      double sum = 0, size = 0;
      for (int k = 0; k < inner; ++k) {
        const double term =
            1.0 * a[transposed ? k * a_stride + i : i * a_stride + k] * b[k * b_stride + j];
        sum += term;
        size += std::abs(term);
      }
      ASSERT_NEAR(c[i * c_stride + j], sum, 1e-6 * size + 1e-6)
          << rows << "x" << columns << "x" << inner << " at " << i << "," << j;
    }
    ASSERT_EQ(c[i * c_stride + columns], 7.0F);
    ASSERT_EQ(c[i * c_stride + columns + 1], 7.0F);
  }
}

TEST(Multiply, FollowsTheDefinition) {
  for (const int rows : {1, 5, 6, 7, 13})
    for (const int columns : {1, 3, 4, 8, 15, 16, 17, 31, 64, 67, 81})
      for (const int inner : {1, 2, 63, 256, 257, 600})
        for (const bool transposed : {false, true}) check(rows, columns, inner, transposed);
}

}  // namespace
}  // namespace mcns
