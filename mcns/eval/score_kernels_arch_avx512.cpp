// Ranking kernels for processors with AVX-512.
#include <cstdint>

#include <immintrin.h>

namespace {

struct Simd {
  using Float = __m512;
  using Int = __m512i;
  static constexpr int kWidth = 16, kRows = 12;

  static Float set(float x) { return _mm512_set1_ps(x); }
  static Float load(const float* x) { return _mm512_load_ps(x); }
  static Int load(const std::int32_t* x) { return _mm512_load_si512(x); }
  static void store(float* to, Float x) { _mm512_store_ps(to, x); }
  static void store(std::int32_t* to, Int x) { _mm512_store_si512(to, x); }
  static Float multiply_add(Float a, Float b, Float c) { return _mm512_fmadd_ps(a, b, c); }
  static float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static Int add_if_at_most(Int n, Float x, Float t) {
    return add_if(n, _mm512_cmp_ps_mask(x, t, _CMP_LE_OQ));
  }
  static Int add_if_below(Int n, Float x, Float t) {
    return add_if(n, _mm512_cmp_ps_mask(x, t, _CMP_LT_OQ));
  }
  static std::uint64_t above(Float x, Float t) { return _mm512_cmp_ps_mask(x, t, _CMP_GT_OQ); }

 private:
  static Int add_if(Int n, __mmask16 which) {
    return _mm512_mask_add_epi32(n, which, n, _mm512_set1_epi32(1));
  }
};

}  // namespace

#include "mcns/eval/score_kernels_inl.h"

namespace mcns {
extern const ScoreKernels kScoreKernelsAvx512;
const ScoreKernels kScoreKernelsAvx512 = kKernels;
}  // namespace mcns
