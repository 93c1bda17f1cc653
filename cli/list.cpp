// mcns list: the components there are, with their parameters and defaults.
#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/core/describe.h"
#include "mcns/core/error.h"
#include "mcns/io/datasets_table.h"
#include "mcns/plan/components.h"

#include "cli/command.h"

namespace mcns::cli {
namespace {

using List = std::vector<Component>;

template <class Registry>
List components(const Registry& registry) {
  return {registry.begin(), registry.end()};  // what entries begin with
}

List list_datasets() {
  List out;
  for (const auto& entry : known_datasets()) out.push_back({entry.name, entry.help});
  return out;
}

const std::vector<std::pair<std::string, List (*)()>> kKinds = {
    {"samplers", [] { return components(builtin_samplers()); }},
    {"encoders", [] { return components(builtin_encoders()); }},
    {"losses", [] { return components(builtin_losses()); }},
    {"optimizers", [] { return components(builtin_optimizers()); }},
    {"positives", [] { return components(builtin_positives()); }},
    {"datasets", list_datasets}};

void print_text(const List& list) {
  int column = 18;
  for (const Component& component : list)
    column = std::max(column, static_cast<int>(component.name.size()) + 2);
  for (const Component& component : list) fmt::print("{}", describe(component, column));
}

nlohmann::ordered_json to_json(const List& list) {
  auto out = nlohmann::ordered_json::array();
  for (const Component& component : list) {
    nlohmann::ordered_json item{{"name", component.name}, {"help", component.help}};
    for (const auto& p : component.parameters)
      item["parameters"][p.name] = {
          {"default", p.default_text()}, {"type", type_text(p)}, {"help", p.help}};
    out.push_back(std::move(item));
  }
  return out;
}

}  // namespace

void add_list(CLI::App& root, Session&) {
  CLI::App* command = root.add_subcommand(
      "list", "list samplers, encoders, losses, optimizers, positives or datasets");
  auto kind = std::make_shared<std::string>();
  command->add_option("kind", *kind, "what to list")
      ->type_name("{samplers,encoders,losses,optimizers,positives,datasets}")
      ->required();
  const auto common = add_common(*command, "  mcns list samplers\n  mcns list losses --json\n");
  command->callback([=] {
    std::vector<std::string> known;
    for (const auto& [name, list] : kKinds) {
      known.push_back(name);
      if (name != *kind) continue;
      if (common->json)
        fmt::print("{}\n", to_json(list()).dump(2));
      else
        print_text(list());
      return;
    }
    throw_unknown("kind of component", *kind, known);
  });
}

}  // namespace mcns::cli
