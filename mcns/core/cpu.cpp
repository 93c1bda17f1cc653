#include "mcns/core/cpu.h"

#include <cstdlib>

namespace mcns {
namespace {

InstructionSet choose() {
  const char* wish = std::getenv("MCNS_SIMD");
  const auto sets = runnable_instruction_sets();
  for (const InstructionSet set : sets)
    if (wish != nullptr && wish == name_of(set)) return set;
  return sets.back();
}

}  // namespace

std::string_view name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::kBase:
      return "base";
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kAvx512:
      return "avx512";
  }
  return "";
}

std::vector<InstructionSet> runnable_instruction_sets() {
  std::vector<InstructionSet> out = {InstructionSet::kBase};
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return out;
  out.push_back(InstructionSet::kAvx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    out.push_back(InstructionSet::kAvx512);
  return out;
}

InstructionSet instruction_set() {
  static const InstructionSet chosen = choose();
  return chosen;
}

}  // namespace mcns
