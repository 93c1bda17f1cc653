#include "cli/arguments.h"

#include <algorithm>
#include <fstream>

#include "mcns/core/error.h"

namespace mcns::cli {
namespace {

bool gives(const std::vector<std::string>& arguments, const std::string& flag) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
    return argument == flag || argument.starts_with(flag + "=");
  });
}

/// The value after `--config` or `--config=`; empty where there is none.
std::string config_path(const std::vector<std::string>& arguments) {
  const std::string flag = "--config";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].starts_with(flag + "=")) return arguments[i].substr(flag.size() + 1);
    if (arguments[i] == flag && i + 1 < arguments.size()) return arguments[i + 1];
  }
  return "";
}

/// Whether the item stands above all sections or in that of the command.
bool concerns(const CLI::ConfigItem& item, const std::vector<std::string>& arguments) {
  if (item.name == "++" || item.name == "--") return false;  // where a section begins and ends
  for (std::size_t i = 0; i < item.parents.size(); ++i)
    if (i >= arguments.size() || item.parents[i] != arguments[i]) return false;
  return true;
}

}  // namespace

void require_known_command(const CLI::App& root, const std::vector<std::string>& arguments) {
  const CLI::App* app = &root;
  for (const auto& word : arguments) {
    const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
    if (commands.empty() || word.starts_with("-")) return;
    std::vector<std::string> known;
    const CLI::App* found = nullptr;
    for (const CLI::App* command : commands) {
      known.push_back(command->get_name());
      if (command->get_name() == word) found = command;
    }
    if (found == nullptr) throw_unknown("command", word, known);
    app = found;
  }
}

std::vector<std::string> with_config_file(std::vector<std::string> arguments) {
  const std::string path = config_path(arguments);
  if (path.empty()) return arguments;
  std::ifstream in(path);
  if (!in) throw_error(ErrorKind::kIo, "cannot read the options in {}", path);
  const auto given = arguments;
  for (const auto& item : CLI::ConfigTOML().from_config(in)) {
    const auto flag = (item.name.size() == 1 ? "-" : "--") + item.name;
    if (!concerns(item, given) || gives(given, flag)) continue;
    if (item.name.size() == 1)
      arguments.insert(arguments.end(), {flag, CLI::detail::join(item.inputs, ",")});
    else
      arguments.push_back(flag + "=" + CLI::detail::join(item.inputs, ","));
  }
  return arguments;
}

}  // namespace mcns::cli
