#include "mcns/encoders/lookup.h"

#include "mcns/core/error.h"

namespace mcns {

Lookup::Lookup(NodeId nodes, const LookupOptions& options, int optimizer_slots, std::uint64_t seed)
    : nodes_(nodes),
      context_offset_(options.two_tables ? nodes : 0),
      parameters_(std::int64_t{nodes} * (options.two_tables ? 2 : 1), options.dim),
      state_(optimizer_slots > 0 ? parameters_.rows() : 0, parameters_.stride() * optimizer_slots) {
  const double deviation = options.init / std::sqrt(static_cast<double>(options.dim));
  for (std::int64_t row = 0; row < parameters_.rows(); ++row) {
    Rng rng(seed, Domain::kInit, static_cast<std::uint64_t>(row));
    float* values = parameters_.row(row);
    for (int i = 0; i < options.dim; ++i) values[i] = static_cast<float>(deviation * rng.normal());
  }
}

void Lookup::visit_state(Archive& archive) {
  archive("parameters", parameters_);
  archive("optimizer", state_);
}

}  // namespace mcns
