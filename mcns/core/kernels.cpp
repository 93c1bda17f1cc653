#include "mcns/core/kernels.h"

#include "mcns/core/cpu.h"

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

const Kernels& kernels_for(InstructionSet set) {
  switch (set) {
    case InstructionSet::kAvx512:
      return avx512::kKernels;
    case InstructionSet::kAvx2:
      return avx2::kKernels;
    case InstructionSet::kBase:
      break;
  }
  return base::kKernels;
}

}  // namespace

std::vector<const Kernels*> runnable_kernels() {
  std::vector<const Kernels*> out;
  for (const InstructionSet set : runnable_instruction_sets()) out.push_back(&kernels_for(set));
  return out;
}

const Kernels& kernels() {
  static const Kernels& chosen = kernels_for(instruction_set());
  return chosen;
}

}  // namespace mcns
