// Body of the kernels, included once per instruction set with MCNS_ARCH naming the namespace.
// Written with the compiler's 16-float vectors, which become one, two or four registers.
#include <cmath>
#include <cstring>

#include "mcns/core/kernels.h"
#include "mcns/core/rng.h"

namespace mcns::MCNS_ARCH {
namespace {

using Vec = float __attribute__((vector_size(64)));
constexpr int kLanes = 16;

inline Vec load(const float* p) { return *reinterpret_cast<const Vec*>(p); }
inline void store(float* p, Vec v) { *reinterpret_cast<Vec*>(p) = v; }

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

void dots(const float* a, RowList list, int n, float* out) {
  int r = 0;
  for (; r + 4 <= list.count; r += 4) {
    const float* b[4];
    for (int j = 0; j < 4; ++j) b[j] = list.table + list.rows[r + j] * list.stride;
    Vec s0{}, s1{}, s2{}, s3{};
    for (int i = 0; i < n; i += kLanes) {
      const Vec x = load(a + i);
      s0 += x * load(b[0] + i);
      s1 += x * load(b[1] + i);
      s2 += x * load(b[2] + i);
      s3 += x * load(b[3] + i);
    }
    out[r] = sum(s0);
    out[r + 1] = sum(s1);
    out[r + 2] = sum(s2);
    out[r + 3] = sum(s3);
  }
  // One accumulator, as above, so that a row's score does not depend on its place in the list.
  for (; r < list.count; ++r) {
    const float* b = list.table + list.rows[r] * list.stride;
    Vec s{};
    for (int i = 0; i < n; i += kLanes) s += load(a + i) * load(b + i);
    out[r] = sum(s);
  }
}

/// Tiles of 4 x 4 rows stay in registers, so each load serves four products.
void products(RowList rows, RowList columns, int n, float* out) {
  const int tiled = rows.count / 4 * 4, wide = columns.count / 4 * 4;
  for (int r = 0; r < tiled; r += 4) {
    const float* a[4];
    for (int i = 0; i < 4; ++i) a[i] = rows.table + rows.rows[r + i] * rows.stride;
    for (int c = 0; c < wide; c += 4) {
      const float* b[4];
      for (int j = 0; j < 4; ++j) b[j] = columns.table + columns.rows[c + j] * columns.stride;
      Vec s[4][4] = {};
      for (int at = 0; at < n; at += kLanes) {
        const Vec b0 = load(b[0] + at), b1 = load(b[1] + at), b2 = load(b[2] + at),
                  b3 = load(b[3] + at);
        for (int i = 0; i < 4; ++i) {
          const Vec x = load(a[i] + at);
          s[i][0] += x * b0;
          s[i][1] += x * b1;
          s[i][2] += x * b2;
          s[i][3] += x * b3;
        }
      }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) out[(r + i) * columns.count + c + j] = sum(s[i][j]);
    }
    for (int i = 0; i < 4 && wide < columns.count; ++i)
      dots(a[i], {columns.table, columns.stride, columns.rows + wide, columns.count - wide}, n,
           out + (r + i) * columns.count + wide);
  }
  for (int r = tiled; r < rows.count; ++r)
    dots(rows.table + rows.rows[r] * rows.stride, columns, n, out + r * columns.count);
}

using IntVec = std::int32_t __attribute__((vector_size(64)));

/// log x for normal x > 0: exponent and a series on [sqrt(1/2), sqrt(2)). Relative error 1e-6.
inline Vec fast_log(Vec x) {
  IntVec bits = reinterpret_cast<IntVec>(x);
  const IntVec exponent = (bits - 0x3f3504f3) >> 23;
  bits -= exponent << 23;
  const Vec m = reinterpret_cast<Vec>(bits), f = (m - 1) / (m + 1), g = f * f;
  const Vec series = 2 + g * (0.666666667F + g * (0.4F + g * (0.285714286F + g * 0.222222222F)));
  return __builtin_convertvector(exponent, Vec) * 0.693147181F + f * series;
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

inline Vec tail_energy(Vec score, TailShape t) {
  const Vec z = (score - t.threshold) * t.inverse_excess, zero{};
  const Vec above = fast_log(1 - t.share * fast_exp_minus(z > zero ? z : zero));
  const Vec below = t.log_body + t.slope * z;
  return -t.power * (z >= zero ? above : below);
}

/// Calls f on vectors of 16; the last one is padded with copies of the first element.
template <class F>
inline void map16(const float* in, int n, float* out, F f) {
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Vec v;
    std::memcpy(&v, in + i, sizeof v);
    v = f(v);
    std::memcpy(out + i, &v, sizeof v);
  }
  if (i == n) return;
  Vec v = Vec{} + in[i];
  for (int j = i; j < n; ++j) v[j - i] = in[j];
  v = f(v);
  for (int j = i; j < n; ++j) out[j] = v[j - i];
}

void tail_energies(const float* scores, TailShape shape, int n, float* out) {
  map16(scores, n, out, [&](Vec v) { return tail_energy(v, shape); });
}

void log_energies(const float* scores, float floor, float power, int n, float* out) {
  const Vec least = Vec{} + floor;
  map16(scores, n, out, [&](Vec v) { return -power * fast_log(v > least ? v : least); });
}

void stream_numbers(std::uint64_t prefix, const std::uint64_t* names, int count, int k,
                    std::uint64_t* out) {
  // The states wait in the last row, which is overwritten last.
  std::uint64_t* states = out + static_cast<std::size_t>(k - 1) * count;
  for (int i = 0; i < count; ++i) states[i] = Streams::first_state(prefix, names[i]);
  for (int j = 0; j < k; ++j) {
    const std::uint64_t step = static_cast<std::uint64_t>(j + 1) * kGoldenGamma;
    std::uint64_t* row = out + static_cast<std::size_t>(j) * count;
    for (int i = 0; i < count; ++i) row[i] = mix64(states[i] + step);
  }
}

void exponentials(std::uint64_t state, int n, float* out) {
  for (int i = 0; i < n; ++i) {
    const std::uint64_t bits = mix64(state + static_cast<std::uint64_t>(i + 1) * kGoldenGamma);
    const auto high = static_cast<std::int32_t>(bits >> 40);
    out[i] = (static_cast<float>(high) + 0.5F) * 0x1.0p-24F;
  }
  map16(out, n, out, [](Vec v) { return -fast_log(v); });
}

void axpy(float* y, float a, const float* x, int n) {
  for (int i = 0; i < n; i += kLanes) store(y + i, load(y + i) + a * load(x + i));
}

void accumulate(float* y, RowList list, const float* coefficients, int n) {
  int r = 0;
  for (; r + 4 <= list.count; r += 4) {
    const float* x[4];
    for (int j = 0; j < 4; ++j) x[j] = list.table + list.rows[r + j] * list.stride;
    const float* c = coefficients + r;
    for (int i = 0; i < n; i += kLanes) {
      Vec s = load(y + i);
      s += c[0] * load(x[0] + i);
      s += c[1] * load(x[1] + i);
      s += c[2] * load(x[2] + i);
      s += c[3] * load(x[3] + i);
      store(y + i, s);
    }
  }
  for (; r < list.count; ++r) axpy(y, coefficients[r], list.table + list.rows[r] * list.stride, n);
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

#include "mcns/core/multiply_impl.h"

namespace mcns::MCNS_ARCH {

extern const Kernels kKernels;
const Kernels kKernels = {
    MCNS_ARCH_NAME, dot,  dots,       products, tail_energies, log_energies, stream_numbers,
    exponentials,   axpy, accumulate, sgd,      adagrad,       adam,         any_not_finite,
    multiply};

}  // namespace mcns::MCNS_ARCH
