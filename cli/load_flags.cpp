#include "cli/load_flags.h"

#include <fmt/format.h>

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

void add_load_flag(CLI::App& command, const std::string& name, std::optional<std::string>& value,
                   const char* help) {
  command.add_option(name, value, help)->group("Data");
}

}  // namespace

void add_load_flags(CLI::App& command, LoadOptions& options) {
  for_each_load_option(options, [&](const char* name, auto& value, const char* help) {
    add_load_flag(command, std::string("--") + name, value, help);
  });
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
