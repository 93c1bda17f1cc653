#include "cli/command_tree.h"

namespace mcns::cli {

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

std::vector<const CLI::App*> subcommands(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::App*> all_commands(const CLI::App& root) {
  std::vector<const CLI::App*> out = {&root};
  for (const CLI::App* command : subcommands(root))
    for (const CLI::App* below : all_commands(*command)) out.push_back(below);
  return out;
}

std::vector<const CLI::Option*> flag_options(const CLI::App& command) {
  std::vector<const CLI::Option*> out;
  for (const auto& group : command.get_groups())
    for (const CLI::Option* option : command.get_options())
      if (option->get_group() == group && !option->get_positional() && option->nonpositional())
        out.push_back(option);
  return out;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> out;
  for (const auto& name : option.get_lnames()) out.push_back("--" + name);
  for (const auto& name : option.get_snames()) out.push_back("-" + name);
  return out;
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> out;
  for (const CLI::Option* option : flag_options(command))
    for (const auto& name : names_of(*option)) out.push_back(name);
  return out;
}

ValueKind value_of_option(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() == 0) return {};
  if (type.starts_with("{") && type.ends_with("}"))
    return {ValueKind::kChoice, CLI::detail::split(type.substr(1, type.size() - 2), ',')};
  if (type == "FILE") return {ValueKind::kFile, {}};
  return {type == "DIR" ? ValueKind::kFolder : ValueKind::kOther, {}};
}

std::string unknown_flag(const CLI::App& command, const std::vector<std::string>& arguments) {
  for (const auto& argument : arguments) {
    const bool number = argument.find_first_not_of("-+.0123456789eE") == argument.npos;
    if (!argument.starts_with("-") || number) continue;
    std::string flag = argument.substr(0, argument.find('='));
    if (command.get_option_no_throw(flag) == nullptr) return flag;
  }
  return "";
}

}  // namespace mcns::cli
