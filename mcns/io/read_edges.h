// Edges from a file of any known format, told by the ending of its name (before .gz or .zst).
#pragma once

#include <string>

#include "mcns/core/parallel.h"
#include "mcns/io/raw_edges.h"
#include "mcns/io/text_edges.h"

namespace mcns {

/// What is not in the table of formats is read as delimited text.
RawEdges read_edges(const std::string& path, const TextOptions& options, ThreadPool& pool);

}  // namespace mcns
