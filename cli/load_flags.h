// Flags of the commands that read a graph, made from the visitor over LoadOptions.
#pragma once

#include <string>

#include "mcns/io/load_options.h"

#include "cli/command.h"

namespace mcns::cli {

void add_load_flags(CLI::App& command, LoadOptions& options);

/// Those of them that say how a table of pairs is read: --columns, --sep, --header, --format.
void add_table_flags(CLI::App& command, LoadOptions& options);

/// "1.5 GiB"
std::string readable_bytes(std::uint64_t bytes);

}  // namespace mcns::cli
