#include "mcns/samplers/registry.h"

#include "mcns/core/graph_stats.h"
#include "mcns/samplers/selftest/case.h"

/// The built-in samplers, in the order of `mcns list`. A new one is a line here; NAME_sampler() in
/// its own file gives its entry.
#define MCNS_SAMPLERS(ADD) \
  ADD(degree)              \
  ADD(mcns)                \
  ADD(rns)                 \
  ADD(wrmf)                \
  ADD(pinsage)             \
  ADD(warp)                \
  ADD(dns)                 \
  ADD(inverse_dns)         \
  ADD(ahns)                \
  ADD(self_adversarial)    \
  ADD(in_batch)            \
  ADD(mixed)               \
  ADD(irgan)               \
  ADD(kbgan)               \
  ADD(exact)               \
  ADD(file_list)           \
  ADD(mixture)

namespace mcns {

#define MCNS_DECLARE(NAME) SamplerEntry NAME##_sampler();
MCNS_SAMPLERS(MCNS_DECLARE)

const SamplerRegistry& builtin_samplers() {
#define MCNS_ENTRY(NAME) NAME##_sampler(),
  static const SamplerRegistry all("sampler", {MCNS_SAMPLERS(MCNS_ENTRY)});
  return all;
}

std::vector<std::string> sampler_files(const std::string& text, const SamplerRegistry& registry) {
  const SamplerEntry& entry = registry.find(text);
  if (!entry.files) return {};
  return entry.files(Parameters(given_parameters(entry, text)), registry);
}

std::unique_ptr<NegativeSampler> make_sampler(const std::string& text,
                                              const SamplerContext& context) {
  const SamplerRegistry& registry =
      context.registry != nullptr ? *context.registry : builtin_samplers();
  Facts facts = graph_facts(context.graph);
  facts["dim"] = std::to_string(context.dim);
  return registry.find(text).make(registry.parameters(text, facts), context);
}

MemoryNote alias_table_bytes(const SamplerSizes& sizes) {
  return {"weights and an alias table: 16 B a target",
          static_cast<std::uint64_t>(sizes.graph.targets().size()) * 16};
}

}  // namespace mcns
