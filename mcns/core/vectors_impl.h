// Vectors of 16 floats, which become one, two or four registers, and functions of them: what the
// kernels of an instruction set are written with. Included once per instruction set, with MCNS_ARCH
// naming the namespace.
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

// Sums are the same wherever their tile lies. g++ keeps the order of those of vectors; clang would
// choose one for each tile.
#ifdef __clang__
#pragma clang fp reassociate(off)
#endif

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

/// Lane i is a's where bit i is set, else b's.
inline Vec choose(std::uint32_t bits, Vec a, Vec b) {
#ifdef __AVX512F__
  return reinterpret_cast<Vec>(_mm512_mask_blend_ps(
      static_cast<__mmask16>(bits), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(a)));
#else
  for (int i = 0; i < kLanes; ++i) b[i] = (bits >> i & 1) != 0 ? a[i] : b[i];
  return b;
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

/// What formulas (mcns/formulas/) ask for, on vectors, to about 1e-6.
struct FastMath {
  static Vec exp_minus(Vec x) { return fast_exp_minus(x); }
  /// For x up to 0; 0 where it is below exp(-87), and NaN for NaN.
  static Vec exp(Vec x) {
    const Vec least = Vec{} - 87.0F, e = x < least ? Vec{} : fast_exp_minus(-x);
    return x == x ? e : x;
  }
  static Vec log(Vec x) { return fast_log(x); }
  static Vec abs(Vec x) { return x > Vec{} ? x : -x; }
  static Vec positive(Vec x, Vec a, Vec b) { return x > Vec{} ? a : b; }
  /// By interpolation of -log(1 - x) / x. Relative error 1e-7.
  static Vec minus_log1m(Vec x) {
    const Vec low = 0.999999965F + 0.500010081F * x, middle = 0.332870349F + 0.257644195F * x,
              high = 0.144631154F + 0.338643635F * x, square = x * x;
    return x * (low + square * (middle + square * high));
  }
};

/// The same on floats, for loops that the compiler turns into vectors.
struct LoopMath {
  static float sqrt(float x) { return __builtin_sqrtf(x); }
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

}  // namespace
}  // namespace mcns::MCNS_ARCH
