// What the commands of the command line share. A command is one file with one add_* function that
// registers its flags and a callback; the callback calls the library and prints.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "mcns/core/parallel.h"

namespace mcns::cli {

/// Flags of every command.
struct Common {
  bool json = false, quiet = false;
  std::uint64_t seed = 1;
  bool seed_given = false;
  int threads = 0;
  std::string config;
};

/// What the process will exit with; a command sets it where it is not 0 (as `data check` does).
struct Session {
  int exit_code = 0;
  std::set<std::string> from_config;  ///< names of the options that a config file gave
};

/// Adds --json, --quiet, --seed, --threads, --config and --help, and the examples under the help
/// text. Called after the command's own options, which are listed above these.
std::shared_ptr<Common> add_common(CLI::App& command, const std::string& examples);

/// A check whose range is not repeated in the help text.
inline CLI::Validator unnamed(CLI::Validator check) { return check.description(""); }

using AddCommand = void (*)(CLI::App& root, Session& session);

void add_run(CLI::App& root, Session& session);
void add_tune(CLI::App& root, Session& session);
void add_compare(CLI::App& root, Session& session);
void add_report(CLI::App& root, Session& session);
void add_reproduce(CLI::App& root, Session& session);
void add_train(CLI::App& root, Session& session);
void add_evaluate(CLI::App& root, Session& session);
void add_recommend(CLI::App& root, Session& session);
void add_neighbors(CLI::App& root, Session& session);
void add_score(CLI::App& root, Session& session);
void add_export(CLI::App& root, Session& session);
void add_encode(CLI::App& root, Session& session);
void add_list(CLI::App& root, Session& session);
void add_data(CLI::App& root, Session& session);
/// Below `mcns data`: called by add_data with its sub-command.
void add_data_split(CLI::App& data, Session& session);
void add_data_check(CLI::App& data, Session& session);
void add_info(CLI::App& root, Session& session);
void add_doctor(CLI::App& root, Session& session);
void add_explain(CLI::App& root, Session& session);
void add_selftest(CLI::App& root, Session& session);
void add_theory(CLI::App& root, Session& session);
void add_completion(CLI::App& root, Session& session);

}  // namespace mcns::cli
