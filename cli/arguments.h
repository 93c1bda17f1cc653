// What happens to the command line before it is parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <vector>

namespace mcns::cli {

/// Throws for a command that does not exist, with the nearest one.
void require_known_command(const CLI::App& root, const std::vector<std::string>& arguments);

/// Adds the options of the file named by `--config` that the command line itself does not give: of
/// a TOML file its flat keys, or those of a section called like the command; of a run.json the
/// run's settings. `names` becomes the names of the options that were added.
std::vector<std::string> with_config_file(std::vector<std::string> arguments,
                                          std::set<std::string>& names);

}  // namespace mcns::cli
