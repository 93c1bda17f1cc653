// Ranking kernels for processors with AVX2 and FMA.
#include <cstdint>

#include <immintrin.h>

namespace {

struct Simd {
  using Float = __m256;
  using Int = __m256i;
  static constexpr int kWidth = 8, kRows = 6;

  static Float set(float x) { return _mm256_set1_ps(x); }
  static Float load(const float* x) { return _mm256_load_ps(x); }
  static Int load(const std::int32_t* x) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(x));
  }
  static void store(float* to, Float x) { _mm256_store_ps(to, x); }
  static void store(std::int32_t* to, Int x) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to), x);
  }
  static Float multiply_add(Float a, Float b, Float c) { return _mm256_fmadd_ps(a, b, c); }
  static float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  // A true comparison is all ones: minus one as an integer.
  static Int add_if_at_most(Int n, Float x, Float t) {
    return _mm256_sub_epi32(n, _mm256_castps_si256(_mm256_cmp_ps(x, t, _CMP_LE_OQ)));
  }
  static Int add_if_below(Int n, Float x, Float t) {
    return _mm256_sub_epi32(n, _mm256_castps_si256(_mm256_cmp_ps(x, t, _CMP_LT_OQ)));
  }
  static std::uint64_t above(Float x, Float t) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(x, t, _CMP_GT_OQ)));
  }
};

}  // namespace

#include "mcns/eval/score_kernels_inl.h"

namespace mcns {
extern const ScoreKernels kScoreKernelsAvx2;
const ScoreKernels kScoreKernelsAvx2 = kKernels;
}  // namespace mcns
