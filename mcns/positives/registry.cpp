#include "mcns/positives/registry.h"

#include "mcns/core/graph_stats.h"

/// The built-in positives, in the order of `mcns list`. A new one is a line here; NAME_positives()
/// in its own file gives its entry.
#define MCNS_POSITIVES(ADD) \
  ADD(edge)                 \
  ADD(walk)                 \
  ADD(node2vec)             \
  ADD(dfs)

namespace mcns {

#define MCNS_DECLARE(NAME) PositiveEntry NAME##_positives();
MCNS_POSITIVES(MCNS_DECLARE)

const PositiveRegistry& builtin_positives() {
#define MCNS_ENTRY(NAME) NAME##_positives(),
  static const PositiveRegistry all("positives", {MCNS_POSITIVES(MCNS_ENTRY)});
  return all;
}

std::unique_ptr<PositiveSampler> make_positives(const std::string& text,
                                                const PositiveContext& context,
                                                const PositiveRegistry& registry) {
  return registry.find(text).make(registry.parameters(text, graph_facts(context.graph)), context);
}

}  // namespace mcns
