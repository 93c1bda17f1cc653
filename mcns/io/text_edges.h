// Edge lists as text: TSV, CSV or blank-separated, two columns of ids and perhaps a third of
// numbers; see text_lines.h for delimiters, comments and headers.
//
// The file is cut into pieces of a fixed size that are parsed in parallel straight into the final
// arrays: a first pass counts lines, so every piece knows where it writes and which line it is at.
// O(bytes). Ids are taken as plain integers first; the first one that is none sends the file
// through the slower reader that interns names.
#pragma once

#include <string>
#include <vector>

#include "mcns/core/parallel.h"
#include "mcns/io/raw_edges.h"

namespace mcns {

/// What the third column means.
enum class ThirdColumn {
  kIgnore,
  kWeight,  ///< finite, not negative
  kLabel,   ///< 0 or 1
};

struct TextOptions {
  ThirdColumn third = ThirdColumn::kWeight;
};

/// Throws Error(kData) with file and line for the first line that is wrong. The first data line
/// decides whether there is a third column; unless it is ignored, all lines must agree.
/// Names are in order of first appearance.
RawEdges read_text_edges(const std::string& path, const TextOptions& options, ThreadPool& pool);

/// A line of a label file.
struct NamedLabel {
  std::string node, label;
};

/// Lines of a node and its label, both any text; a node with several labels has several lines.
std::vector<NamedLabel> read_labels(const std::string& path);

}  // namespace mcns
