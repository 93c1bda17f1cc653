// Labels of nodes as text: tables of any dialect, a node and a label a line.
#pragma once

#include <string>
#include <vector>

#include "mcns/io/columns.h"
#include "mcns/io/raw_edges.h"

namespace mcns {

/// Lines of a node and its label, both any text; a node with several labels has several lines.
/// `columns` says which columns they are where there are more than two.
std::vector<NamedLabel> read_labels(const std::string& path, const ColumnSpec& columns = {});

}  // namespace mcns
