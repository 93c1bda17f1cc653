// Ranking kernels for any x86-64 processor: SSE2, product and sum rounded separately.
#include <cstdint>

#include <emmintrin.h>

namespace {

struct Simd {
  using Float = __m128;
  using Int = __m128i;
  static constexpr int kWidth = 4, kRows = 5;

  static Float set(float x) { return _mm_set1_ps(x); }
  static Float load(const float* x) { return _mm_load_ps(x); }
  static Int load(const std::int32_t* x) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(x));
  }
  static void store(float* to, Float x) { _mm_store_ps(to, x); }
  static void store(std::int32_t* to, Int x) { _mm_store_si128(reinterpret_cast<__m128i*>(to), x); }
  static Float multiply_add(Float a, Float b, Float c) { return _mm_add_ps(c, _mm_mul_ps(a, b)); }
  static float multiply_add(float a, float b, float c) { return c + a * b; }
  // A true comparison is all ones: minus one as an integer.
  static Int add_if_at_most(Int n, Float x, Float t) {
    return _mm_sub_epi32(n, _mm_castps_si128(_mm_cmple_ps(x, t)));
  }
  static Int add_if_below(Int n, Float x, Float t) {
    return _mm_sub_epi32(n, _mm_castps_si128(_mm_cmplt_ps(x, t)));
  }
  static std::uint64_t above(Float x, Float t) {
    return static_cast<unsigned>(_mm_movemask_ps(_mm_cmpgt_ps(x, t)));
  }
};

}  // namespace

#include "mcns/eval/score_kernels_inl.h"

namespace mcns {
extern const ScoreKernels kScoreKernelsBase;
const ScoreKernels kScoreKernelsBase = kKernels;
}  // namespace mcns
