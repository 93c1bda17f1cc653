#include "mcns/losses/losses.h"

#include <optional>

#include "mcns/core/component.h"
#include "mcns/core/error.h"

namespace mcns {
namespace {

/// Calls f with a default-made value of each alternative, in order.
template <class F, std::size_t... I>
void for_each_loss(F&& f, std::index_sequence<I...>) {
  (f(std::variant_alternative_t<I, Loss>{}), ...);
}
constexpr auto kAll = std::make_index_sequence<std::variant_size_v<Loss>>{};

}  // namespace

Loss make_loss(const std::string& name, double margin) {
  require(margin >= 0 && std::isfinite(margin), "margin must be at least 0, got {}", margin);
  std::optional<Loss> made;
  std::vector<std::string> known;
  for_each_loss(
      [&](auto loss) {
        known.emplace_back(loss.kName);
        if constexpr (requires { loss.margin; }) loss.margin = static_cast<float>(margin);
        if (loss.kName == name) made = loss;
      },
      kAll);
  if (!made) throw_unknown("loss", name, known);
  return *made;
}

std::vector<ComponentInfo> list_losses() {
  std::vector<ComponentInfo> out;
  for_each_loss(
      [&](auto loss) {
        out.push_back({std::string(loss.kName), std::string(loss.kHelp)});
      },
      kAll);
  return out;
}

}  // namespace mcns
