// Matrix product of the kernels, included by kernels_impl.h. A tile of the result stays in
// registers while the inner dimension runs by, 256 terms at a time so that what is read stays in
// cache. Every element is a plain sum in order of the inner index, wherever its tile lies. Ours and
// not a BLAS: those pick their kernel by a list of CPUs, and on one they do not know run ten times
// slower.
#pragma once

namespace mcns::MCNS_ARCH {
namespace {

// Floats of a register; rows and registers of a tile, by how many of them there are.
#if defined(__AVX512F__)
constexpr int kWidth = 16, kTileRows = 6, kTileVectors = 4;
#elif defined(__AVX2__)
constexpr int kWidth = 8, kTileRows = 6, kTileVectors = 2;
#else
constexpr int kWidth = 4, kTileRows = 6, kTileVectors = 2;
#endif
constexpr int kInnerBlock = 256;

using Register = float __attribute__((vector_size(kWidth * 4)));

/// A whole vector, or the `count` floats that are left of a row.
template <bool kWhole>
inline Register load_part(const float* p, int count) {
  Register v{};
  std::memcpy(&v, p, kWhole ? sizeof v : count * sizeof(float));
  return v;
}
template <bool kWhole>
inline void store_part(float* p, Register v, int count) {
  std::memcpy(p, &v, kWhole ? sizeof v : count * sizeof(float));
}

template <int R, int C, bool kWhole>
inline void product_tile(const Product& p, int row, int column, int first, int last, int count) {
  Register sums[R][C];
  float* c = p.c + row * p.c_stride + column;
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < C; ++v)
      sums[r][v] = first > 0 || p.add ? load_part<kWhole>(c + r * p.c_stride + v * kWidth, count)
                                      : Register{};
  const float* a = p.a + row * p.a_row;
  for (int k = first; k < last; ++k) {
    const float* b = p.b + k * p.b_stride + column;
    Register right[C];
    for (int v = 0; v < C; ++v) right[v] = load_part<kWhole>(b + v * kWidth, count);
    for (int r = 0; r < R; ++r) {
      const float left = a[r * p.a_row + k * p.a_inner];
      for (int v = 0; v < C; ++v) sums[r][v] += left * right[v];
    }
  }
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < C; ++v)
      store_part<kWhole>(c + r * p.c_stride + v * kWidth, sums[r][v], count);
}

template <int C, bool kWhole>
inline void product_columns(const Product& p, int column, int first, int last, int count) {
  int row = 0;
  for (; row + kTileRows <= p.rows; row += kTileRows)
    product_tile<kTileRows, C, kWhole>(p, row, column, first, last, count);
  for (; row < p.rows; ++row) product_tile<1, C, kWhole>(p, row, column, first, last, count);
}

void multiply(const Product& p) {
  for (int first = 0; first < p.inner; first += kInnerBlock) {
    const int last = p.inner < first + kInnerBlock ? p.inner : first + kInnerBlock;
    int column = 0;
    for (; column + kTileVectors * kWidth <= p.columns; column += kTileVectors * kWidth)
      product_columns<kTileVectors, true>(p, column, first, last, kWidth);
    for (; column + kWidth <= p.columns; column += kWidth)
      product_columns<1, true>(p, column, first, last, kWidth);
    if (column < p.columns) product_columns<1, false>(p, column, first, last, p.columns - column);
  }
}

}  // namespace
}  // namespace mcns::MCNS_ARCH
