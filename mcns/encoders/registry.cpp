#include "mcns/encoders/registry.h"

#include "mcns/core/graph_stats.h"
#include "mcns/encoders/similarity.h"

/// The built-in encoders, in the order of `mcns list`. A new one is a line here; NAME_encoder() in
/// its own file gives its entry.
#define MCNS_ENCODERS(ADD) \
  ADD(lookup)              \
  ADD(gcn)                 \
  ADD(graphsage)           \
  ADD(lightgcn)

namespace mcns {

#define MCNS_DECLARE(NAME) EncoderEntry NAME##_encoder();
MCNS_ENCODERS(MCNS_DECLARE)

const EncoderRegistry& builtin_encoders() {
#define MCNS_ENTRY(NAME) NAME##_encoder(),
  static const EncoderRegistry all("encoder", {MCNS_ENCODERS(MCNS_ENTRY)});
  return all;
}

std::unique_ptr<Encoder> make_encoder(const std::string& text, const EncoderContext& context,
                                      const EncoderRegistry& registry) {
  const EncoderEntry& entry = registry.find(text);
  require(context.features == nullptr || entry.reads_features, "{} takes no features", entry.name);
  require(context.tables == 1 || !entry.network, "{} has one table, not {}", entry.name,
          context.tables);
  Facts facts = graph_facts(context.graph);
  facts["dim"] = std::to_string(context.dim);
  return with_scoring(entry.make(registry.parameters(text, facts), context), context.scoring,
                      context.graph, context.pool);
}

}  // namespace mcns
