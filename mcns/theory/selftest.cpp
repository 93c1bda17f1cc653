#include "mcns/theory/selftest.h"

#include <algorithm>

#include "mcns/samplers/selftest/closed_forms.h"
#include "mcns/theory/broken_samplers.h"
#include "mcns/theory/selftest_case.h"

namespace mcns {

std::vector<SelftestRow> selftest_samplers(std::uint64_t seed, ThreadPool& pool,
                                           const SamplerRegistry& registry) {
  std::vector<SelftestRow> rows;
  for (const SamplerEntry& entry : registry) {
    if (!entry.cases) continue;
    for (const SelftestCase& test : entry.cases())
      rows.push_back(run_case(test, seed, pool, registry));
  }
  return rows;
}

std::vector<SelftestRow> selftest_broken_samplers(std::uint64_t seed, ThreadPool& pool) {
  std::vector<SelftestCase> cases;
  cases.push_back({"uniform-moves-on", expect(uniform_distribution)});
  cases.back().make = make_biased_uniform;
  cases.push_back({"second-best", expect(best_of_distribution, 3, true)});
  cases.back().make = [](const SamplerContext& context) { return make_second_best(context, 3); };
  const SelfContrast target{Form::kExp, 0.5, 1e-3, 5};
  for (const auto& [name, defect] : {std::pair{"chain-without-ratio", ChainDefect::kNoRatio},
                                     std::pair{"chain-gives-proposal", ChainDefect::kLastProposal},
                                     std::pair{"control-chain", ChainDefect::kNone}}) {
    cases.push_back({name, expect(self_contrast_form, target), 3, WorldKind::kUndirected, true,
                     Filter::kTrain, Draws::kChain});
    cases.back().make = [defect = defect](const SamplerContext& context) {
      return make_plain_chain(context, defect);
    };
  }
  std::vector<SelftestRow> rows;
  for (const SelftestCase& test : cases)
    rows.push_back(run_case(test, seed, pool, builtin_samplers()));
  return rows;
}

bool all_hold(const std::vector<SelftestRow>& rows) {
  return std::ranges::all_of(rows, &SelftestRow::holds);
}

}  // namespace mcns
