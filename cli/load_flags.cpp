#include "cli/load_flags.h"

#include <fmt/format.h>

#include "mcns/io/read_report.h"

#include "cli/terminal.h"
#include "cli/whole_number.h"

namespace mcns::cli {
namespace {

void add_load_flag(CLI::App& command, const std::string& name, std::optional<bool>& value,
                   const char* help) {
  // CLI11 would count the flag into an optional; --NAME=false counts as -1.
  command
      .add_flag_function(
          name, [&value](std::int64_t count) { value = count > 0; }, help)
      ->group("Data");
}

template <class Value>
void add_load_flag(CLI::App& command, const std::string& name, std::optional<Value>& value,
                   const char* help) {
  CLI::Option* option = command.add_option(name, value, help)->group("Data");
  if constexpr (std::is_integral_v<Value>) option->check(whole_number<Value>());
}

/// Prints what was understood. Asked when a file was read: the command line is parsed by then.
void report_on_read(CLI::App& command, LoadOptions& options) {
  options.on_read = [&command](const ReadReport& report) {
    const CLI::Option* quiet = command.get_option_no_throw("--quiet");
    if (quiet != nullptr && quiet->count() > 0) return;
    print_note(report_line(report));
    for (const std::string& warning : report.warnings) print_note("mcns: warning: " + warning);
  };
}

}  // namespace

void add_load_flags(CLI::App& command, LoadOptions& options) {
  for_each_load_option(options, [&](const char* name, auto& value, const char* help) {
    add_load_flag(command, std::string("--") + name, value, help);
  });
  report_on_read(command, options);
}

void add_table_flags(CLI::App& command, LoadOptions& options) {
  for_each_load_option(options, [&](const std::string& name, auto& value, const char* help) {
    for (const char* wanted : {"columns", "sep", "header", "format"})
      if (name == wanted) add_load_flag(command, "--" + name, value, help);
  });
  report_on_read(command, options);
}

std::string readable_bytes(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

}  // namespace mcns::cli
