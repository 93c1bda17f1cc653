#include "cli/arguments.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/io/files.h"
#include "mcns/plan/options.h"
#include "mcns/plan/options_file.h"
#include "mcns/plan/resolve.h"
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
bool concerns(const FileOption& item, const std::vector<std::string>& arguments) {
  if (item.name.empty()) return false;  // the section itself
  for (std::size_t i = 0; i < item.sections.size(); ++i)
    if (i >= arguments.size() || item.sections[i] != arguments[i]) return false;
  return true;
}

using Options = std::vector<std::pair<std::string, std::string>>;

/// Of some lines; much more is another file, and the parser is slow.
std::string read_config(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  if (std::filesystem::is_directory(path))
    throw_error(ErrorKind::kIo, "cannot read the options in {}: it is a folder", path);
  require_regular_file(path);
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw_error(ErrorKind::kIo,
                "cannot read the options in {}: no such file, or it must not be read", path);
  std::string text(kMost + 1, '\0');
  in.read(text.data(), std::ssize(text));
  if (in.bad()) throw_error(ErrorKind::kIo, "cannot read the options in {}", path);
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMost)
    throw_bad_data(path, 0, fmt::format("more than {} bytes, expected options", kMost));
  return text;
}

/// The parser's work grows with the square of the levels of a name.
void check_levels(const std::string& path, const std::string& text) {
  constexpr std::ptrdiff_t kMostLevels = 8;
  std::istringstream lines(text);
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto begin = line.find_first_not_of(" \t");
    const auto equals = line.find('=');
    const bool names =
        begin != line.npos && line[begin] != '#' && (line[begin] == '[' || equals != line.npos);
    if (!names) continue;
    const std::string_view name = std::string_view(line).substr(0, equals);
    if (std::ranges::count(name, '.') >= kMostLevels)
      throw_bad_data(path, number,
                     fmt::format("a name of more than {} levels, expected OPTION or "
                                 "COMMAND.OPTION",
                                 kMostLevels));
  }
}

/// Sections are named after commands.
void check_section(const std::string& path, const FileOption& item, const CLI::App& root) {
  const CLI::App* app = &root;
  for (const std::string& name : item.sections) {
    std::vector<std::string> known;
    const CLI::App* found = nullptr;
    for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(command->get_name());
      if (command->get_name() == name) found = command;
    }
    try {
      if (found == nullptr) throw_unknown("section", name, known);
    } catch (const Error& error) {
      throw_error(ErrorKind::kUsage, "{}: {}", path, error.what());
    }
    app = found;
  }
}

Options of_toml(const std::string& path, const std::vector<std::string>& arguments,
                const CLI::App& root) {
  const std::string text = read_config(path);
  check_levels(path, text);
  Options out;
  for (const FileOption& item : parse_options(text, path)) {
    check_section(path, item, root);
    if (concerns(item, arguments)) out.emplace_back(item.name, item.value);
  }
  return out;
}

Options of_run(const std::string& path, const std::string& command) {
  const SavedSettings saved(read_config(path), path);
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

const CLI::App& root_of(const CLI::App& command) {
  const CLI::App* app = &command;
  while (app->get_parent() != nullptr) app = app->get_parent();
  return *app;
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
  for (const auto& [name, value] : path.ends_with(".json")
                                       ? of_run(path, command.get_name())
                                       : of_toml(path, given, root_of(command))) {
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
      arguments.push_back(fmt::format("{}={}", flag, value));
  }
  return arguments;
}

std::vector<std::pair<std::string, std::string>> training_options(const std::string& path,
                                                                  const CLI::App& command) {
  const bool run = path.ends_with(".json");
  Options all = run ? of_run(path, command.get_name())
                    : of_toml(path, {command.get_name()}, root_of(command));
  // Of a run the data are another matter; in a file that a user wrote nothing is passed over.
  if (run)
    std::erase_if(all, [](const auto& option) {
      const auto known = given_settings(TrainOptions{});
      return std::ranges::none_of(
          known, [&](const GivenSetting& one) { return one.info.name == option.first; });
    });
  return all;
}

}  // namespace mcns::cli
