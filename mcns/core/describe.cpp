#include "mcns/core/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mcns {

std::string type_text(const ParameterInfo& p) {
  switch (p.type) {
    case ParameterType::kNumber:
      return fmt::format("number in [{}, {}]", p.low, p.high);
    case ParameterType::kInteger:
      return fmt::format("integer in [{:.0f}, {:.0f}]", p.low, p.high);
    case ParameterType::kFlag:
    case ParameterType::kChoice:
      return fmt::format("{}", fmt::join(p.choices, "|"));
    case ParameterType::kText:
      return "text";
  }
  return "";
}

std::string describe(const Component& component, int column) {
  std::string out = fmt::format("{:<{}}  {}\n", component.name, column - 2, component.help);
  for (const auto& p : component.parameters)
    out += fmt::format("  {:<{}}  {}; {}{}\n", p.name, column - 2, p.help, type_text(p),
                       p.default_value.empty() ? "" : ", default " + p.default_text());
  return out;
}

}  // namespace mcns
