// The command line over the library. Registers the commands, turns errors into one line on
// stderr and the exit codes of the contract.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "mcns/core/error.h"
#include "mcns/core/nearest.h"
#include "mcns/system/version.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/command_tree.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"

namespace mcns::cli {

constexpr std::initializer_list<AddCommand> kCommands = {
    add_run,    add_tune,     add_compare,   add_reproduce, add_report,
    add_train,  add_evaluate, add_recommend, add_neighbors, add_score,
    add_export, add_encode,   add_list,      add_data,      add_info,
    add_doctor, add_explain,  add_selftest,  add_theory,    add_completion};

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
      ->check(whole_number<std::uint64_t>())
      ->each([common = common.get()](const std::string&) { common->seed_given = true; });
  command
      .add_option("--threads", common->threads,
                  "number of threads (0: all); results do not depend on it")
      ->group(kGroup)
      ->capture_default_str()
      ->check(whole_number(0, 4096));
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

/// "mcns run: unknown flag '--epohcs'; did you mean '--epochs'? `mcns help run` lists the flags"
void print_usage_error(const CLI::ParseError& error, const CLI::App& command,
                       const std::vector<std::string>& arguments) {
  const std::string name = full_name(command);
  // A required option may be missing because the flag that was meant is misspelt.
  const bool may_be_flag = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                           dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const std::string flag = may_be_flag ? unknown_flag(command, arguments) : "";
  if (flag.empty()) {
    print_error(fmt::format("{} (see {})", error.what(),
                            name == "mcns" ? "mcns --help" : name + " --help"));
    return;
  }
  const std::string nearest = nearest_name(flag, flags_of(command));
  print_error(fmt::format("unknown flag '{}'{} `{} --help` lists the flags", flag,
                          nearest.empty() ? ";" : fmt::format("; did you mean '{}'?", nearest),
                          name));
}

int out_of_memory() {
  // Not by print_error, which takes memory.
  std::fputs("mcns: out of memory; see `mcns info GRAPH --dim D` for what a run needs\n", stderr);
  return static_cast<int>(ErrorKind::kRuntime);
}

int run(int argc, char** argv) {
  CLI::App root("mcns: graph embeddings and negative sampling", "mcns");
  root.require_subcommand(1);
  root.set_version_flag("--version", "mcns " + version());
  root.footer(
      "`mcns help COMMAND` shows the options of a command.\n\n"
      "Exit codes: 0 done, 1 failed while running, 2 wrong usage, 3 bad input data, 4 input or "
      "output "
      "failed,\n130 interrupted, state saved.");
  Session session;
  for (const AddCommand add : kCommands) add(root, session);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const CLI::App* command = &root;
  try {
    if (arguments == std::vector<std::string>{"help", "--man"}) {
      fmt::print("{}", man_page(root));
      return 0;
    }
    if (!arguments.empty() && arguments[0] == "help") {
      arguments.erase(arguments.begin());
      arguments.emplace_back("--help");
    }
    command = &find_command(root, arguments);
    arguments = with_config_file(std::move(arguments), *command, session.from_config);
    // The order that this overload of parse takes.
    root.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    return session.exit_code;
  } catch (const CLI::Success& done) {
    return root.exit(done);
  } catch (const CLI::ParseError& error) {
    print_usage_error(error, *command, arguments);
    return static_cast<int>(ErrorKind::kUsage);
  } catch (const Error& error) {
    print_error(error.what());
    return static_cast<int>(error.kind());
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {  // more than a vector may ever hold
    return out_of_memory();
  } catch (const nlohmann::json::exception&) {
    print_error("cannot write JSON: a text in it is not UTF-8");
    return static_cast<int>(ErrorKind::kData);
  } catch (const std::filesystem::filesystem_error& error) {
    print_error(fmt::format("cannot use {}: {}", error.path1().string(), error.code().message()));
    return static_cast<int>(ErrorKind::kIo);
  } catch (const std::exception& error) {
    // A failed write to standard output comes as one; finish_output tells of it.
    const auto* system = dynamic_cast<const std::system_error*>(&error);
    if (std::ferror(stdout) == 0)
      print_error(error.what());
    else if (system != nullptr)
      errno = system->code().value();
    return static_cast<int>(ErrorKind::kRuntime);
  }
}

/// The commands and their flags take memory too, and so do messages.
int run_or_fail(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception&) {
    return out_of_memory();
  }
}

/// An error where none may leave, as in functions of libraries that promise not to throw.
[[noreturn]] void on_terminate() {
  try {
    if (const auto error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    std::_Exit(out_of_memory());
  } catch (...) {
  }
  std::fputs("mcns: an error of the program itself; please report it\n", stderr);
  std::_Exit(static_cast<int>(ErrorKind::kRuntime));
}

/// Files are mapped. One that becomes shorter meanwhile, or a disk that cannot be read, is a signal
/// and no error of a call.
extern "C" void on_bus_error(int) {
  constexpr char kText[] =
      "mcns: a file could not be read to its end: it was cut short meanwhile, or the disk failed\n";
  static_cast<void>(!write(STDERR_FILENO, kText, sizeof kText - 1));
  _exit(static_cast<int>(ErrorKind::kIo));
}

/// Standard streams that were closed by the caller must not become the numbers of files that are
/// opened later: what is printed would go there. A pipe that nobody reads, or a file that grows
/// beyond `ulimit -f`, is an error of a write and no signal, so that a run says so or goes on.
void prepare_streams() {
  constexpr int kModes[] = {O_WRONLY, O_RDONLY, O_WRONLY};  // of no use but for stderr
  for (int handle = 0; handle < 3; ++handle)
    if (fcntl(handle, F_GETFD) < 0) static_cast<void>(open("/dev/null", kModes[handle]));
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, on_bus_error);
  std::set_terminate(on_terminate);
}

/// The exit code, once everything is written. `errno` is that of an earlier failed write, if any.
int finish_output(int code) {
  const bool failed_before = std::ferror(stdout) != 0;
  if (!failed_before) errno = 0;
  if (std::fflush(stdout) == 0 && !failed_before) return code;
  // Whoever reads through `head` has seen enough.
  if (errno != EPIPE)
    print_error(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  return static_cast<int>(ErrorKind::kIo);
}

int run_program(int argc, char** argv) {
  prepare_streams();
  return finish_output(run_or_fail(argc, argv));
}

}  // namespace mcns::cli
