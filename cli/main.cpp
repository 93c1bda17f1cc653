// mcns: the command line over the library. Registers the commands, turns errors into one line on
// stderr and the exit codes of the contract.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/system/version.h"

#include "cli/arguments.h"
#include "cli/command.h"

namespace mcns::cli {

constexpr std::initializer_list<AddCommand> kCommands = {
    add_run,   add_train,  add_evaluate, add_recommend, add_neighbors,
    add_score, add_export, add_encode,   add_list,      add_data,
    add_info,  add_doctor, add_explain,  add_selftest,  add_theory};

std::shared_ptr<Common> add_common(CLI::App& command, const std::string& examples) {
  constexpr const char* kGroup = "Common";
  auto common = std::make_shared<Common>();
  command.add_flag("--json", common->json, "print one JSON document on stdout and nothing else")
      ->group(kGroup);
  command.add_flag("--quiet", common->quiet, "print no progress on stderr")->group(kGroup);
  command.add_option("--seed", common->seed, "random seed")
      ->group(kGroup)
      ->type_name("INT")
      ->capture_default_str()
      ->each([common = common.get()](const std::string&) { common->seed_given = true; });
  command
      .add_option("--threads", common->threads,
                  "number of threads (0: all); results do not depend on it")
      ->group(kGroup)
      ->capture_default_str()
      ->check(unnamed(CLI::Range(0, 4096)));
  command
      .add_option("--config", common->config,
                  "file with options: TOML, or the run.json of a run to repeat; options on the "
                  "command line replace its own")
      ->group(kGroup)
      ->type_name("FILE");
  command.set_help_flag("-h,--help", "print this help and exit")->group(kGroup);
  command.footer("Examples:\n" + examples);
  return common;
}

int run(int argc, char** argv) {
  CLI::App root("mcns: graph embeddings and negative sampling", "mcns");
  root.require_subcommand(1);
  root.set_version_flag("--version", "mcns " + version());
  root.footer("`mcns help COMMAND` shows the options of a command.");
  Session session;
  for (const AddCommand add : kCommands) add(root, session);
  try {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    if (!arguments.empty() && arguments[0] == "help") {
      arguments.erase(arguments.begin());
      arguments.emplace_back("--help");
    }
    const CLI::App& command = find_command(root, arguments);
    arguments = with_config_file(std::move(arguments), command, session.from_config);
    std::reverse(arguments.begin(),
                 arguments.end());  // the order that this overload of parse takes
    root.parse(std::move(arguments));
    return session.exit_code;
  } catch (const CLI::Success& done) {
    return root.exit(done);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "mcns: {} (see mcns --help)\n", error.what());
    return static_cast<int>(ErrorKind::kUsage);
  } catch (const Error& error) {
    fmt::print(stderr, "mcns: {}\n", error.what());
    return static_cast<int>(error.kind());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "mcns: out of memory; see `mcns info GRAPH --dim D` for what a run needs\n");
    return static_cast<int>(ErrorKind::kRuntime);
  } catch (const std::exception& error) {
    fmt::print(stderr, "mcns: {}\n", error.what());
    return static_cast<int>(ErrorKind::kRuntime);
  }
}

}  // namespace mcns::cli

int main(int argc, char** argv) { return mcns::cli::run(argc, argv); }
