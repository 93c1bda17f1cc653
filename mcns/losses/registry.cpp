#include "mcns/losses/registry.h"

namespace mcns {
namespace {

template <class LossFn>
LossEntry entry_of() {
  LossEntry entry{{std::string(LossFn::kName), std::string(LossFn::kHelp)}};
  entry.make = [](double margin) -> Loss {
    LossFn loss;
    if constexpr (requires { loss.margin; }) loss.margin = static_cast<float>(margin);
    return loss;
  };
  return entry;
}

}  // namespace

/// A new loss is a struct in losses.h, its name in `using Loss` there, and a line here.
const LossRegistry& builtin_losses() {
  static const LossRegistry all(
      "loss", {entry_of<Bpr>(), entry_of<Hinge>(), entry_of<Logistic>(), entry_of<Softmax>()});
  return all;
}

Loss make_loss(const std::string& name, double margin, const LossRegistry& registry) {
  require(margin >= 0 && std::isfinite(margin), "margin must be at least 0, got {}", margin);
  const LossEntry& entry = registry.find(name);
  given_parameters(entry, name);
  return entry.make(margin);
}

}  // namespace mcns
