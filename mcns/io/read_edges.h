// Edges from a file of any known format: given explicitly, or known by the name of the file (before
// .gz or .zst) or by its content.
#pragma once

#include <string>
#include <vector>

#include "mcns/core/parallel.h"
#include "mcns/io/raw_edges.h"
#include "mcns/io/text_layout.h"

namespace mcns {

/// `format` is one of edge_formats(); "auto" or empty to find it. Values are weights or labels, as
/// `options` asks for, whatever the format.
RawEdges read_edges(const std::string& path, const TextOptions& options, ThreadPool& pool,
                    const std::string& format = "");

/// edges, lightgcn, movielens, amazon, mtx, mat, bin, inter
std::vector<std::string> edge_formats();

/// Whether the file is a binary graph: by `format`, else by its name, else by its first bytes.
bool is_graph_file(const std::string& path, const std::string& format);

/// The name of the format that the name of the file says; empty where it says none.
std::string format_of_name(const std::string& path);

}  // namespace mcns
