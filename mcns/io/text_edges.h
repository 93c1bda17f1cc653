// Edge lists as text: tables of any dialect, see text_layout.h for columns and text_lines.h for
// fields.
//
// The file is cut into pieces of a fixed size that are parsed in parallel straight into the final
// arrays: a first pass counts lines, so every piece knows where it writes and which line it is at.
// O(bytes). Ids are taken as plain integers first; the first one that is none sends the file
// through the slower reader that interns names.
#pragma once

#include <string>

#include "mcns/core/parallel.h"
#include "mcns/io/input.h"
#include "mcns/io/raw_edges.h"
#include "mcns/io/text_layout.h"

namespace mcns {

/// Throws Error(kData) with file and line for the first line that is wrong. All lines must have as
/// many columns as the first one, or more than a header. Names are in order of first appearance.
RawEdges read_text_edges(const Input& input, const std::string& path, const TextOptions& options,
                         ThreadPool& pool);

}  // namespace mcns
