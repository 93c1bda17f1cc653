#include "mcns/optim/optimizers.h"

#include <optional>

#include "mcns/core/error.h"

namespace mcns {
namespace {

template <class F, std::size_t... I>
void for_each_optimizer(F&& f, std::index_sequence<I...>) {
  (f(std::variant_alternative_t<I, Optimizer>{}), ...);
}
constexpr auto kAll = std::make_index_sequence<std::variant_size_v<Optimizer>>{};

}  // namespace

Optimizer make_optimizer(const std::string& name) {
  std::optional<Optimizer> made;
  std::vector<std::string> known;
  for_each_optimizer(
      [&](auto optimizer) {
        known.emplace_back(optimizer.kName);
        if (optimizer.kName == name) made = optimizer;
      },
      kAll);
  if (!made) throw_unknown("optimizer", name, known);
  return *made;
}

std::vector<ComponentInfo> list_optimizers() {
  std::vector<ComponentInfo> out;
  for_each_optimizer(
      [&](auto o) {
        out.push_back({std::string(o.kName), std::string(o.kHelp)});
      },
      kAll);
  return out;
}

int slots_of(const Optimizer& optimizer) {
  return std::visit([](const auto& o) { return o.kSlots; }, optimizer);
}

}  // namespace mcns
