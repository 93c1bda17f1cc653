// A graph and its names in one binary file that is memory-mapped on load: the arrays of the Graph
// are views of the file, so a load costs two passes (checksum, soundness of the arcs) and no copy
// of the arcs.
//
// Layout: a 128-byte header (magic, byte order, version, sizes, counts, checksums), then 64-byte
// aligned sections: offsets, neighbours, weights if any, and the names, either as integers or as
// offsets and text. Numbers are in the byte order of the machine that wrote, which the header
// states.
#pragma once

#include <string>
#include <string_view>

#include "mcns/core/graph.h"
#include "mcns/core/names.h"
#include "mcns/io/dataset.h"
#include "mcns/io/raw_edges.h"

namespace mcns {

/// The first bytes of such a file.
inline constexpr std::string_view kGraphMagic = "MCNSGRF\n";

/// Writes whole or not at all. `counts` (what the build merged and dropped) rides along.
void save_graph(const std::string& path, const Graph& graph, const Names& names,
                const BuildCounts& counts = {});

/// Maps the file; the graph keeps the mapping alive. A damaged, truncated or foreign file is an
/// Error of kind kData.
NamedGraph load_graph_file(const std::string& path);

/// The file as edges, to be joined with others: what is saved comes back by name, isolated nodes
/// too.
RawEdges read_graph_edges(const std::string& path);

}  // namespace mcns
