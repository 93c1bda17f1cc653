// One choice of instruction set for everything that asks the CPU.
#include "mcns/core/cpu.h"
#include "mcns/core/kernels.h"
#include "mcns/eval/score_kernels.h"
#include "mcns/system/libraries.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

TEST(Cpu, KernelsAndReportsKnowTheSameInstructionSets) {
  const auto sets = runnable_instruction_sets();
  const auto all = runnable_kernels();
  const auto levels = simd_levels();
  ASSERT_EQ(all.size(), sets.size());
  ASSERT_EQ(levels.size(), sets.size());
  ASSERT_EQ(runnable_score_kernels().size(), sets.size());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    EXPECT_EQ(all[i]->name, name_of(sets[i]));
    EXPECT_EQ(levels[i], name_of(sets[i]));
    if (sets[i] == instruction_set()) {
      EXPECT_EQ(&kernels(), all[i]);
      EXPECT_EQ(&score_kernels(), runnable_score_kernels()[i]);
    }
  }
}

TEST(Cpu, TheEnvironmentAsksForALesserSet) {
  const ScratchFolder folder;
  for (const InstructionSet set : runnable_instruction_sets()) {
    const auto done = run_mcns(folder, "doctor --json", fmt::format("MCNS_SIMD={}", name_of(set)));
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(nlohmann::json::parse(done.out)["kernels"], name_of(set));
  }
}

}  // namespace
}  // namespace mcns
