#include "mcns/eval/score_kernels.h"

#include "mcns/core/cpu.h"

namespace mcns {

extern const ScoreKernels kScoreKernelsBase, kScoreKernelsAvx2, kScoreKernelsAvx512;

namespace {

const ScoreKernels& score_kernels_for(InstructionSet set) {
  switch (set) {
    case InstructionSet::kAvx512:
      return kScoreKernelsAvx512;
    case InstructionSet::kAvx2:
      return kScoreKernelsAvx2;
    case InstructionSet::kBase:
      break;
  }
  return kScoreKernelsBase;
}

}  // namespace

std::vector<const ScoreKernels*> runnable_score_kernels() {
  std::vector<const ScoreKernels*> out;
  for (const InstructionSet set : runnable_instruction_sets())
    out.push_back(&score_kernels_for(set));
  return out;
}

const ScoreKernels& score_kernels() { return score_kernels_for(instruction_set()); }

}  // namespace mcns
