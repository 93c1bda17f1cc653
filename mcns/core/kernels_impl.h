// Body of the kernels, included once per instruction set with MCNS_ARCH naming the namespace.
// Written with the compiler's 16-float vectors, which become one, two or four registers.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "mcns/core/kernels.h"

namespace mcns::MCNS_ARCH {
namespace {

using Vec = float __attribute__((vector_size(64)));
constexpr int kLanes = 16;

inline Vec load(const float* p) { return *reinterpret_cast<const Vec*>(p); }
inline void store(float* p, Vec v) { *reinterpret_cast<Vec*>(p) = v; }

/// The first n of 16 numbers, the others being `rest`; n > 0.
inline Vec load_some(const float* p, int n, float rest) {
#ifdef __AVX512F__
  const auto mask = static_cast<__mmask16>((1U << n) - 1);
  return reinterpret_cast<Vec>(_mm512_mask_loadu_ps(_mm512_set1_ps(rest), mask, p));
#else
  Vec v = Vec{} + rest;
  for (int i = 0; i < n; ++i) v[i] = p[i];
  return v;
#endif
}
inline void store_some(float* p, Vec v, int n) {
#ifdef __AVX512F__
  const auto mask = static_cast<__mmask16>((1U << n) - 1);
  _mm512_mask_storeu_ps(p, mask, reinterpret_cast<__m512>(v));
#else
  for (int i = 0; i < n; ++i) p[i] = v[i];
#endif
}

inline float sum(Vec v) {
  using Half = float __attribute__((vector_size(32)));
  using Quarter = float __attribute__((vector_size(16)));
  Half halves[2];
  std::memcpy(halves, &v, sizeof v);
  const Half h = halves[0] + halves[1];
  Quarter quarters[2];
  std::memcpy(quarters, &h, sizeof h);
  const Quarter q = quarters[0] + quarters[1];
  return (q[0] + q[2]) + (q[1] + q[3]);
}

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

/// Adds the halves of two vectors' groups of 2 `kHalf` lanes: groups of `kHalf` of both.
template <int kHalf, int... kLane>
inline Vec fold(Vec a, Vec b, std::integer_sequence<int, kLane...>) {
  // Lane i of the result comes from group i / kHalf; groups are those of a, then those of b.
  constexpr auto from = [](int lane, int half) {
    return lane / kHalf * 2 * kHalf + half * kHalf + lane % kHalf;
  };
  return __builtin_shufflevector(a, b, from(kLane, 0)...) +
         __builtin_shufflevector(a, b, from(kLane, 1)...);
}
template <int kHalf>
inline Vec fold(Vec a, Vec b) {
  return fold<kHalf>(a, b, std::make_integer_sequence<int, kLanes>());
}

/// Lane i is sum(v[i]), added in the same order.
inline Vec sums16(const Vec* v) {
  Vec a[8], b[4];
  for (int i = 0; i < 8; ++i) a[i] = fold<8>(v[2 * i], v[2 * i + 1]);
  for (int i = 0; i < 4; ++i) b[i] = fold<4>(a[2 * i], a[2 * i + 1]);
  return fold<1>(fold<2>(b[0], b[1]), fold<2>(b[2], b[3]));
}
/// The same of four vectors, in lanes 0 to 3.
inline Vec sums4(const Vec* v) {
  const Vec four = fold<4>(fold<8>(v[0], v[1]), fold<8>(v[2], v[3])), two = fold<2>(four, four);
  return fold<1>(two, two);
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

using IntVec = std::int32_t __attribute__((vector_size(64)));

/// log x for normal x > 0: exponent, and log m = f p(f), f = m - 1, for m in [sqrt(1/2), sqrt(2)),
/// where p interpolates log(1 + f) / f. Relative error 3e-7 of either part.
inline Vec fast_log(Vec x) {
  IntVec bits = reinterpret_cast<IntVec>(x);
  const IntVec exponent = (bits - 0x3f3504f3) >> 23;
  bits -= exponent << 23;
  const Vec f = reinterpret_cast<Vec>(bits) - 1, square = f * f;
  const Vec low = (0.999999968F - 0.500003751F * f) + square * (0.33334606F - 0.24968907F * f);
  const Vec high = (0.199133479F - 0.172782061F * f) + square * (0.161262479F - 0.0989535074F * f);
  return __builtin_convertvector(exponent, Vec) * 0.693147181F + f * (low + square * square * high);
}

/// exp(-x) for x >= 0: 2^k times a series on [-1/2, 1/2]. Relative error 1e-6; 0 past x = 87.
inline Vec fast_exp_minus(Vec x) {
  const Vec limit = Vec{} + 87.0F, t = (x < limit ? x : limit) * -1.44269504F;
  const IntVec k = __builtin_convertvector(t - 0.5F, IntVec);
  const Vec r = (t - __builtin_convertvector(k, Vec)) * 0.693147181F;
  const Vec series =
      1 + r * (1 + r * (0.5F + r * (0.166666667F + r * (0.0416666667F + r * 0.00833333333F))));
  return series * reinterpret_cast<Vec>((k + 127) << 23);
}

struct FastMath {
  static Vec exp_minus(Vec x) { return fast_exp_minus(x); }
  /// By interpolation of -log(1 - x) / x. Relative error 1e-7.
  static Vec minus_log1m(Vec x) {
    const Vec low = 0.999999965F + 0.500010081F * x, middle = 0.332870349F + 0.257644195F * x,
              high = 0.144631154F + 0.338643635F * x, square = x * x;
    return x * (low + square * (middle + square * high));
  }
};

/// Calls f on vectors of 16; the last one is padded with copies of its first element.
template <class F>
inline void map16(const float* in, int n, float* out, F f) {
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Vec v;
    std::memcpy(&v, in + i, sizeof v);
    v = f(v);
    std::memcpy(out + i, &v, sizeof v);
  }
  if (i < n) store_some(out + i, f(load_some(in + i, n - i, in[i])), n - i);
}

void tail_energies(const float* scores, TailShape shape, int n, float* out) {
  map16(scores, n, out, [&](Vec v) {
    return tail_energy<FastMath>((v - shape.threshold) * shape.inverse_excess, shape);
  });
}

/// Adds softplus(v) to `total`; returns sigmoid(v). What is added is not finite where v is not:
/// (v + |v|) / 2 is max(v, 0) to the bit, but NaN for NaN and for minus infinity.
inline Vec softplus_step(Vec v, Vec& total) {
  const Vec zero{}, one = zero + 1, magnitude = v > zero ? v : -v, e = fast_exp_minus(magnitude);
  total += (v + magnitude) * 0.5F + fast_log(one + e);
  return (v > zero ? one : e) / (one + e);
}

float softplus_sum(float* x, int n) {
  Vec total{};
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Vec v;
    std::memcpy(&v, x + i, sizeof v);
    v = softplus_step(v, total);
    std::memcpy(x + i, &v, sizeof v);
  }
  if (i < n) {  // the rest adds 0
    const Vec v = softplus_step(load_some(x + i, n - i, -1e4F), total);
    store_some(x + i, v, n - i);
  }
  return sum(total);
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

/// Calls f(kWide, at) over n floats, the widest stretches that registers hold first.
template <class F>
inline void in_stretches(int n, F f) {
  int at = 0;
#ifdef __AVX512F__
  for (; at + 8 * kLanes <= n; at += 8 * kLanes) f(std::integral_constant<int, 8>(), at);
  for (; at + 4 * kLanes <= n; at += 4 * kLanes) f(std::integral_constant<int, 4>(), at);
#endif
  for (; at + 2 * kLanes <= n; at += 2 * kLanes) f(std::integral_constant<int, 2>(), at);
  if (at < n) f(std::integral_constant<int, 1>(), at);
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

void sgd(float* w, const float* g, float lr, int n) {
  for (int i = 0; i < n; i += kLanes) store(w + i, load(w + i) - lr * load(g + i));
}

void adagrad(float* __restrict w, const float* __restrict g, float* __restrict sums, float lr,
             float epsilon, int n) {
  for (int i = 0; i < n; ++i) {
    sums[i] += g[i] * g[i];
    w[i] -= lr * g[i] / (std::sqrt(sums[i]) + epsilon);
  }
}

void adam(float* __restrict w, const float* __restrict g, float* __restrict first,
          float* __restrict second, AdamRates r, int n) {
  for (int i = 0; i < n; ++i) {
    first[i] += (1 - r.beta1) * (g[i] - first[i]);
    second[i] += (1 - r.beta2) * (g[i] * g[i] - second[i]);
    w[i] -= r.lr * first[i] / (std::sqrt(second[i]) + r.epsilon);
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
#include "mcns/core/logistic_impl.h"
#include "mcns/core/multiply_impl.h"

namespace mcns::MCNS_ARCH {

extern const Kernels kKernels;
const Kernels kKernels = {
    MCNS_ARCH_NAME, dot,          dots,           paired_dots,  products,       tail_energies,
    log_energies,   softplus_sum, stream_numbers, next_numbers, exponentials,   next_exponentials,
    metropolis,     may_be_pairs, axpy,           accumulate,   combine,        scatter,
    logistic_step,  sgd,          adagrad,        adam,         any_not_finite, multiply};

}  // namespace mcns::MCNS_ARCH
