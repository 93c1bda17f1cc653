#include "mcns/encoders/two_tables.h"

#include "mcns/core/rng.h"

namespace mcns {

TwoTables::TwoTables(std::unique_ptr<BlockEncoder> network, const EncoderContext& context)
    : network_(std::move(network)),
      pool_(context.pool),
      contexts_("context", context.graph.num_nodes(), context.dim, context.optimizer_slots) {
  constexpr std::uint64_t kContexts = std::uint64_t{1} << 32;  // beside the names of all weights
  contexts_.dense = false;
  const double deviation = context.init / std::sqrt(static_cast<double>(context.dim));
  for (std::int64_t row = 0; row < contexts_.value.rows(); ++row) {
    Rng rng(context.seed, Domain::kInit, static_cast<std::uint64_t>(row), kContexts);
    for (float& x : contexts_.value.view()[row]) x = static_cast<float>(deviation * rng.normal());
  }
}

void TwoTables::update(const Optimizer& optimizer, Tick tick) {
  network_->update(optimizer, tick);
  contexts_.update(optimizer, tick, pool_);
}

void TwoTables::visit_parameters(const VisitParameter& visit) {
  network_->visit_parameters(visit);
  visit(contexts_.name, contexts_.value);
}

void TwoTables::visit_gradients(const VisitGradient& visit) const {
  network_->visit_gradients(visit);
  contexts_.visit_gradient(visit);
}

void TwoTables::visit_state(Archive& archive) {
  network_->visit_state(archive);
  contexts_.visit_state(archive);
}

}  // namespace mcns
