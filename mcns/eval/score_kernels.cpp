#include "mcns/eval/score_kernels.h"

#include <string_view>

#include "mcns/core/kernels.h"

namespace mcns {

extern const ScoreKernels kScoreKernelsBase, kScoreKernelsAvx2, kScoreKernelsAvx512;

// What the core kernels chose, so that MCNS_SIMD holds here too.
const ScoreKernels& score_kernels() {
  const std::string_view chosen = kernels().name;
  if (chosen == "avx512") return kScoreKernelsAvx512;
  return chosen == "avx2" ? kScoreKernelsAvx2 : kScoreKernelsBase;
}

ScoreKernelVariants score_kernel_variants() {
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return {&kScoreKernelsBase, avx2 ? &kScoreKernelsAvx2 : nullptr,
          avx2 && __builtin_cpu_supports("avx512f") ? &kScoreKernelsAvx512 : nullptr};
}

}  // namespace mcns
