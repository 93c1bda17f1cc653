// mcns list: the components there are, with their parameters and defaults.
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/encoders/encoder.h"
#include "mcns/io/datasets_table.h"
#include "mcns/losses/losses.h"
#include "mcns/optim/optimizers.h"
#include "mcns/positives/positive_sampler.h"
#include "mcns/samplers/negative_sampler.h"

#include "cli/command.h"

namespace mcns::cli {
namespace {

std::vector<ComponentInfo> list_datasets() {
  std::vector<ComponentInfo> out;
  for (const auto& entry : known_datasets()) out.push_back({entry.name, entry.help});
  return out;
}

using List = std::vector<ComponentInfo> (*)();
const std::vector<std::pair<std::string, List>> kKinds = {
    {"samplers", list_samplers},     {"encoders", list_encoders},   {"losses", list_losses},
    {"optimizers", list_optimizers}, {"positives", list_positives}, {"datasets", list_datasets}};

void print_text(const std::vector<ComponentInfo>& components) {
  for (const auto& component : components) {
    fmt::print("{:<18}{}\n", component.name, component.help);
    for (const auto& p : component.parameters)
      fmt::print("  {:<16}  {} (default {})\n", p.name, p.help, p.default_value);
  }
}

nlohmann::ordered_json to_json(const std::vector<ComponentInfo>& components) {
  auto out = nlohmann::ordered_json::array();
  for (const auto& component : components) {
    nlohmann::ordered_json item{{"name", component.name}, {"help", component.help}};
    for (const auto& p : component.parameters)
      item["parameters"][p.name] = {{"default", p.default_value}, {"help", p.help}};
    out.push_back(std::move(item));
  }
  return out;
}

}  // namespace

void add_list(CLI::App& root, Session&) {
  CLI::App* command =
      root.add_subcommand("list", "samplers, encoders, losses, optimizers, positives, datasets");
  const auto common = add_common(*command, "  mcns list samplers\n  mcns list losses --json\n");
  auto kind = std::make_shared<std::string>();
  command->add_option("kind", *kind, "what to list")->required();
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
