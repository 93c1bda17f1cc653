// What happens to the command line before it is parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mcns::cli {

/// The command that the arguments begin with. Throws where it does not exist, with the nearest one.
const CLI::App& find_command(const CLI::App& root, const std::vector<std::string>& arguments);

/// Adds the options of the file named by `--config` that the command line itself does not give: of
/// a TOML file the keys above its sections and those of the section with the command's name; of a
/// run.json the run's settings. `names` becomes the names of the options that were added.
std::vector<std::string> with_config_file(std::vector<std::string> arguments,
                                          const CLI::App& command, std::set<std::string>& names);

/// The options of training in a settings file, TOML or run.json, as `command` would take them.
std::vector<std::pair<std::string, std::string>> training_options(const std::string& path,
                                                                  const CLI::App& command);

}  // namespace mcns::cli
