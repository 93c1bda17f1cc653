#include "cli/arguments.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "mcns/core/error.h"
#include "mcns/plan/saved_settings.h"
#include "mcns/train/experiment_settings.h"

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

using Options = std::vector<std::pair<std::string, std::string>>;

std::ifstream open_config(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw_error(ErrorKind::kIo, "cannot read the options in {}", path);
  return in;
}

Options of_toml(const std::string& path, const std::vector<std::string>& arguments) {
  std::ifstream in = open_config(path);
  Options out;
  for (const auto& item : CLI::ConfigTOML().from_config(in))
    if (concerns(item, arguments)) out.emplace_back(item.name, CLI::detail::join(item.inputs, ","));
  return out;
}

Options of_run(const std::string& path, const std::string& command) {
  std::ifstream in = open_config(path);
  std::ostringstream text;
  text << in.rdbuf();
  const SavedSettings saved(text.str(), path);
  const bool whole_graph = !saved.has("task");
  if (whole_graph) saved.text("graph");  // one of both must be there
  require(command != (whole_graph ? "run" : "train"),
          "{} was written by `mcns {}`, which also repeats it; got `mcns {}`", path,
          whole_graph ? "train" : "run", command);
  Options out;
  for (const Setting& setting : saved.flags()) {
    try {
      check_setting(setting);
    } catch (const Error& error) {
      throw_bad_data(path, 0, error.what());
    }
    out.emplace_back(setting.name, setting.value);
  }
  return out;
}

/// Whether there is a word that is neither a flag nor the value of one.
bool gives_positional(const CLI::App& command, const std::vector<std::string>& arguments) {
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (!arguments[i].starts_with("-")) return true;
    const CLI::Option* option = command.get_option_no_throw(arguments[i]);
    if (option != nullptr && option->get_items_expected_max() > 0) ++i;
  }
  return false;
}

/// Files and a dataset's name exclude each other: one on the command line replaces the other.
bool overridden(const std::string& name, const std::vector<std::string>& given) {
  const bool files = name == "train" || name == "valid" || name == "test" || name == "labels";
  return (files && gives(given, "--data")) || (name == "data" && gives(given, "--train"));
}

}  // namespace

const CLI::App& find_command(const CLI::App& root, const std::vector<std::string>& arguments) {
  const CLI::App* app = &root;
  for (const auto& word : arguments) {
    const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
    if (commands.empty() || word.starts_with("-")) break;
    std::vector<std::string> known;
    const CLI::App* found = nullptr;
    for (const CLI::App* command : commands) {
      known.push_back(command->get_name());
      if (command->get_name() == word) found = command;
    }
    if (found == nullptr) throw_unknown("command", word, known);
    app = found;
  }
  return *app;
}

std::vector<std::string> with_config_file(std::vector<std::string> arguments,
                                          const CLI::App& command, std::set<std::string>& names) {
  const std::string path = config_path(arguments);
  if (path.empty()) return arguments;
  const auto given = arguments;
  for (const auto& [name, value] :
       path.ends_with(".json") ? of_run(path, command.get_name()) : of_toml(path, given)) {
    const auto flag = (name.size() == 1 ? "-" : "--") + name;
    const bool positional = name == "graph" && command.get_option_no_throw(flag) == nullptr;
    if (gives(given, flag) || overridden(name, given)) continue;
    if (positional && gives_positional(command, given)) continue;
    names.insert(name);
    if (positional)
      arguments.insert(arguments.begin() + 1, value);  // after the command
    else if (name.size() == 1)
      arguments.insert(arguments.end(), {flag, value});
    else
      arguments.push_back(flag + "=" + value);
  }
  return arguments;
}

}  // namespace mcns::cli
