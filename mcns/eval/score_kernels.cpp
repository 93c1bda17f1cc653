#include "mcns/eval/score_kernels.h"

namespace mcns {

extern const ScoreKernels kScoreKernelsBase, kScoreKernelsAvx2, kScoreKernelsAvx512;

ScoreKernelVariants score_kernel_variants() {
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return {&kScoreKernelsBase, avx2 ? &kScoreKernelsAvx2 : nullptr,
          avx2 && __builtin_cpu_supports("avx512f") ? &kScoreKernelsAvx512 : nullptr};
}

const ScoreKernels& score_kernels() {
  static const ScoreKernelVariants variants = score_kernel_variants();
  if (variants.avx512 != nullptr) return *variants.avx512;
  return variants.avx2 != nullptr ? *variants.avx2 : *variants.base;
}

}  // namespace mcns
