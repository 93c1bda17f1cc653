// Body of the kernels, included once per instruction set with MCNS_ARCH naming the namespace.
#include <algorithm>
#include <span>

#include "mcns/core/kernels.h"
#include "mcns/core/vectors_impl.h"

namespace mcns::MCNS_ARCH {
namespace {

float dot(const float* a, const float* b, int n) {
  Vec even{}, odd{};
  int i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    even += load(a + i) * load(b + i);
    odd += load(a + i + kLanes) * load(b + i + kLanes);
  }
  if (i < n) even += load(a + i) * load(b + i);
  return sum(even + odd);
}

/// Tiles of rows and columns stay in registers, so each load serves several products.
template <int kRows, int kColumns>
inline void product_tile(RowList rows, int r, RowList columns, int c, int n, float* out) {
  const float *a[kRows], *b[kColumns];
  for (int i = 0; i < kRows; ++i) a[i] = rows.table + rows.rows[r + i] * rows.stride;
  for (int j = 0; j < kColumns; ++j) b[j] = columns.table + columns.rows[c + j] * columns.stride;
  constexpr int kCells = kRows * kColumns, kBlocks = (kCells + kLanes - 1) / kLanes;
  Vec s[kBlocks * kLanes] = {};
  for (int at = 0; at < n; at += kLanes) {
    Vec y[kColumns];
    for (int j = 0; j < kColumns; ++j) y[j] = load(b[j] + at);
    for (int i = 0; i < kRows; ++i) {
      const Vec x = load(a[i] + at);
      for (int j = 0; j < kColumns; ++j) s[i * kColumns + j] += x * y[j];
    }
  }
  alignas(64) float cells[kBlocks * kLanes];
  for (int block = 0; block < kBlocks; ++block)
    store(cells + block * kLanes,
          kCells <= 4 ? sums4(s) : sums16(s + static_cast<std::ptrdiff_t>(block) * kLanes));
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j)
      out[(r + i) * columns.count + c + j] = cells[i * kColumns + j];
}

template <int kRows>
inline void product_rows(RowList rows, int r, RowList columns, int n, float* out) {
  int c = 0;
#ifdef __AVX512F__
  // A positive and five negatives: 24 sums and what they are made of fill the 32 registers.
  if (columns.count == 6) return product_tile<kRows, 6>(rows, r, columns, 0, n, out);
#endif
  for (; c + 4 <= columns.count; c += 4) product_tile<kRows, 4>(rows, r, columns, c, n, out);
  if (columns.count - c == 3) product_tile<kRows, 3>(rows, r, columns, c, n, out);
  if (columns.count - c == 2) product_tile<kRows, 2>(rows, r, columns, c, n, out);
  if (columns.count - c == 1) product_tile<kRows, 1>(rows, r, columns, c, n, out);
}

void products(RowList rows, RowList columns, int n, float* out) {
  int r = 0;
  for (; r + 4 <= rows.count; r += 4) product_rows<4>(rows, r, columns, n, out);
  for (; r < rows.count; ++r) product_rows<1>(rows, r, columns, n, out);
}

/// One accumulator a product, as above, so that a score does not depend on its place.
void dots(const float* a, RowList list, int n, float* out) {
  const NodeId first = 0;
  product_rows<1>({a, 0, &first, 1}, 0, list, n, out);
}

void paired_dots(RowList rows, RowList columns, int n, float* out) {
  constexpr int kPairs = 4;
  for (int first = 0; first < rows.count; first += kPairs) {
    const int count = std::min(kPairs, rows.count - first);
    const float *a[kPairs], *b[kPairs];
    for (int i = 0; i < kPairs; ++i) {
      const int at = first + std::min(i, count - 1);
      a[i] = rows.table + rows.rows[at] * rows.stride;
      b[i] = columns.table + columns.rows[at] * columns.stride;
    }
    Vec s[kPairs] = {};
    for (int at = 0; at < n; at += kLanes)
      for (int i = 0; i < kPairs; ++i) s[i] += load(a[i] + at) * load(b[i] + at);
    store_some(out + first, sums4(s), count);
  }
}

void tail_energies(const float* scores, TailShape shape, int n, float* out) {
  map16(scores, n, out, [&](Vec v) {
    return tail_energy<FastMath>((v - shape.threshold) * shape.inverse_excess, shape);
  });
}

void log_energies(const float* scores, float floor, float power, int n, float* out) {
  const Vec least = Vec{} + floor;
  map16(scores, n, out, [&](Vec v) { return -power * fast_log(v > least ? v : least); });
}

void axpy(float* y, float a, const float* x, int n) {
  for (int i = 0; i < n; i += kLanes) store(y + i, load(y + i) + a * load(x + i));
}

/// The sums of `kWide` vectors stay in registers while the list goes by.
template <int kWide, bool kAdd>
inline void accumulate_part(float* y, RowList list, const float* coefficients, int at) {
  Vec sums[kWide];
  for (int i = 0; i < kWide; ++i) sums[i] = kAdd ? load(y + at + i * kLanes) : Vec{};
  for (int r = 0; r < list.count; ++r) {
    const float* x = list.table + list.rows[r] * list.stride + at;
    for (int i = 0; i < kWide; ++i) sums[i] += coefficients[r] * load(x + i * kLanes);
  }
  for (int i = 0; i < kWide; ++i) store(y + at + i * kLanes, sums[i]);
}

template <bool kAdd>
inline void accumulate_all(float* y, RowList list, const float* coefficients, int n) {
  in_stretches(n, [&](auto wide, int at) {
    accumulate_part<decltype(wide)::value, kAdd>(y, list, coefficients, at);
  });
}

void accumulate(float* y, RowList list, const float* coefficients, int n) {
  accumulate_all<true>(y, list, coefficients, n);
}

void combine(float* y, RowList list, const float* coefficients, int n) {
  accumulate_all<false>(y, list, coefficients, n);
}

void scatter(float* y, const Arc* arcs, std::size_t count, const float* x, int n) {
  constexpr std::size_t kAhead = 16;
  for (std::size_t a = 0; a < count; ++a) {
    const float* const next = x + std::size_t(arcs[a + kAhead < count ? a + kAhead : a].row) * n;
    const float* const from = x + std::size_t(arcs[a].row) * n;
    float* const to = y + std::size_t(arcs[a].column) * n;
    for (int i = 0; i < n; i += kLanes) {
      __builtin_prefetch(next + i);
      store(to + i, load(to + i) + arcs[a].value * load(from + i));
    }
  }
}

/// NaN and infinity have all exponent bits set.
bool any_not_finite(const float* x, int n) {
  unsigned bad = 0;
  for (int i = 0; i < n; ++i) {
    unsigned bits;
    std::memcpy(&bits, x + i, sizeof bits);
    bad |= static_cast<unsigned>((bits & 0x7f800000U) == 0x7f800000U);
  }
  return bad != 0;
}

}  // namespace
}  // namespace mcns::MCNS_ARCH

#include "mcns/core/chain_impl.h"
#include "mcns/core/multiply_impl.h"
#include "mcns/core/pair_work_impl.h"
#include "mcns/core/skip_gram_impl.h"
#include "mcns/core/softmax_impl.h"

namespace mcns::MCNS_ARCH {

extern const Kernels kKernels;
const Kernels kKernels = {MCNS_ARCH_NAME,
                          dot,
                          dots,
                          paired_dots,
                          products,
                          tail_energies,
                          log_energies,
                          softmax_terms,
                          stream_numbers,
                          next_numbers,
                          exponentials,
                          next_exponentials,
                          metropolis,
                          may_be_pairs,
                          axpy,
                          accumulate,
                          combine,
                          scatter,
                          logistic_losses,
                          skip_gram,
                          score_pairs,
                          sum_targets,
                          update_rows<Sgd>,
                          update_rows<Adagrad>,
                          update_rows<Adam>,
                          any_not_finite,
                          multiply,
                          maximum,
                          exponentiate};

}  // namespace mcns::MCNS_ARCH
