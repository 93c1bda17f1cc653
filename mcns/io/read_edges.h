// Edges from a file of any known format, given by its name (before .gz or .zst) or explicitly.
#pragma once

#include <string>
#include <vector>

#include "mcns/core/parallel.h"
#include "mcns/io/raw_edges.h"
#include "mcns/io/text_edges.h"

namespace mcns {

/// What is not in the table of formats is read as delimited text. `format` is one of
/// edge_formats(), or empty to go by the name. Values are those that `options` asks for, whatever
/// the format.
RawEdges read_edges(const std::string& path, const TextOptions& options, ThreadPool& pool,
                    const std::string& format = "");

/// edges, mtx, mat, movielens, amazon, lightgcn, bin
std::vector<std::string> edge_formats();

/// The name of the format that `path` is taken for.
std::string edge_format_of(const std::string& path);

}  // namespace mcns
