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
  const auto all = runnable_kernels();
  for (const Kernels* set : all)
    if (wish != nullptr && wish == std::string_view(set->name)) return *set;
  return *all.back();
}

}  // namespace

std::vector<const Kernels*> runnable_kernels() {
  std::vector<const Kernels*> out = {&base::kKernels};
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return out;
  out.push_back(&avx2::kKernels);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    out.push_back(&avx512::kKernels);
  return out;
}

const Kernels& kernels() {
  static const Kernels& chosen = pick();
  return chosen;
}

}  // namespace mcns
