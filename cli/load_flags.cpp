#include "cli/load_flags.h"

#include <fmt/format.h>

#include "mcns/io/read_edges.h"

namespace mcns::cli {

LoadOptions LoadFlags::options() const {
  LoadOptions out;
  out.bipartite = bipartite == "shared"     ? Bipartite::kShared
                  : bipartite == "separate" ? Bipartite::kSeparate
                                            : Bipartite::kNone;
  out.directed = directed;
  out.repeated = duplicates == "merge" ? Repeated::kMerge : Repeated::kKeep;
  out.self_loops = self_loops == "drop" ? SelfLoops::kDrop : SelfLoops::kKeep;
  out.format = format;
  return out;
}

void add_load_flags(CLI::App& command, LoadFlags& flags) {
  command
      .add_option("--bipartite", flags.bipartite,
                  "first column users, second items; ids in one space or in two")
      ->check(CLI::IsMember({"none", "shared", "separate"}))
      ->capture_default_str();
  command.add_flag("--directed", flags.directed, "edges have a direction");
  command.add_option("--duplicates", flags.duplicates, "repeated edges: merge adds their weights")
      ->check(CLI::IsMember({"merge", "keep"}))
      ->capture_default_str();
  command.add_option("--self-loops", flags.self_loops, "edges from a node to itself")
      ->check(CLI::IsMember({"drop", "keep"}))
      ->capture_default_str();
  command.add_option("--format", flags.format, "of the input, where its name does not tell")
      ->check(CLI::IsMember(edge_formats()));
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
