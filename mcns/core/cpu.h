// The instruction set that kernels run with. Decided here and nowhere else: the kernels of core/
// and of ranking, and what `mcns doctor` prints, all read it.
#pragma once

#include <string_view>
#include <vector>

namespace mcns {

/// Those that kernels are compiled for, the least first.
enum class InstructionSet { kBase, kAvx2, kAvx512 };

std::string_view name_of(InstructionSet set);

/// The sets that this CPU runs, the fastest last.
std::vector<InstructionSet> runnable_instruction_sets();

/// The fastest set that this CPU runs. MCNS_SIMD=base|avx2|avx512 in the environment asks for a
/// lesser one; read once.
InstructionSet instruction_set();

}  // namespace mcns
