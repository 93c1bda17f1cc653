// Flags of commands that read one graph file.
#pragma once

#include <string>

#include "mcns/io/dataset.h"

#include "cli/command.h"

namespace mcns::cli {

struct LoadFlags {
  std::string bipartite = "none", duplicates = "merge", self_loops = "drop", format;
  bool directed = false;

  LoadOptions options() const;
};

void add_load_flags(CLI::App& command, LoadFlags& flags);

/// "1.5 GiB"
std::string readable_bytes(std::uint64_t bytes);

}  // namespace mcns::cli
