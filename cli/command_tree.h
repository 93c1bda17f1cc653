// The commands and flags as data: what completion, the man page and hints on wrong flags are made
// of. Everything comes from the same registrations as --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace mcns::cli {

/// "mcns data split"
std::string full_name(const CLI::App& command);

std::vector<const CLI::App*> subcommands(const CLI::App& command);

/// The command and all below it, parents first.
std::vector<const CLI::App*> all_commands(const CLI::App& root);

/// Options that are not positional, in the order of their groups in --help.
std::vector<const CLI::Option*> flag_options(const CLI::App& command);

/// "--epochs", "-k"
std::vector<std::string> names_of(const CLI::Option& option);
std::vector<std::string> flags_of(const CLI::App& command);

/// What may follow a flag.
struct ValueKind {
  enum { kNone, kChoice, kFile, kFolder, kOther } kind = kNone;
  std::vector<std::string> choices;
};
ValueKind value_of_option(const CLI::Option& option);

/// The first word that looks like a flag and is none of the command's; empty where there is none.
std::string unknown_flag(const CLI::App& command, const std::vector<std::string>& arguments);

/// All of --help as a manual page, in roff.
std::string man_page(const CLI::App& root);

}  // namespace mcns::cli
