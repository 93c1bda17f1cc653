#include "mcns/core/kernels.h"

#include <cstdlib>
#include <string_view>

namespace mcns {
namespace base {
extern const Kernels kKernels;
}
namespace avx2 {
extern const Kernels kKernels;
}
namespace avx512 {
extern const Kernels kKernels;
}

namespace {

const Kernels& pick() {
  const char* wish = std::getenv("MCNS_SIMD");
  const std::string_view limit = wish == nullptr ? "avx512" : wish;
  if (limit == "base") return base::kKernels;
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                          __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  if (has_avx512 && limit != "avx2") return avx512::kKernels;
  return has_avx2 ? avx2::kKernels : base::kKernels;
}

}  // namespace

const Kernels& kernels() {
  static const Kernels& chosen = pick();
  return chosen;
}

}  // namespace mcns
