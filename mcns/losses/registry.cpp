#include "mcns/losses/registry.h"

namespace mcns {
namespace {

template <class LossFn>
LossEntry entry_of(const char* name, const char* help) {
  LossEntry entry{{name, help}};
  entry.make = [](double margin) -> Loss {
    LossFn loss;
    if constexpr (requires { loss.margin; }) loss.margin = static_cast<float>(margin);
    return loss;
  };
  return entry;
}

}  // namespace

/// A new loss is a struct in formulas/losses.h, its name in `using BuiltinLosses` there, and a line
/// here.
const LossRegistry& builtin_losses() {
  static const LossRegistry all(
      "loss", {entry_of<Bpr>("bpr", "-log sigma(positive - negative), per negative"),
               entry_of<Hinge>("hinge", "max(0, negative - positive + margin), per negative"),
               entry_of<Logistic>("logistic",
                                  "-log sigma(positive - margin) - log sigma(margin - negative)"),
               entry_of<Softmax>("softmax",
                                 "-log of the positive's share among exp(scores), a margin above 0 "
                                 "being one of them")});
  return all;
}

Loss make_loss(const std::string& name, double margin, const LossRegistry& registry) {
  // The paper's figure of margins begins below 0, where the hinge loss lets a positive stay behind.
  require(std::isfinite(margin) && (margin >= 0 || name == "hinge"),
          "margin must be at least 0, but with loss hinge, got {}", margin);
  const LossEntry& entry = registry.find(name);
  given_parameters(entry, name);
  return entry.make(margin);
}

}  // namespace mcns
