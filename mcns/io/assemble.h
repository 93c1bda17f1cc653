// From the ids of several files to rows that they share.
//
// Where every id of every file is a plain integer, rows follow their numeric order; otherwise names
// are compared as text and rows follow their first appearance, file by file. Users come before
// items.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mcns/core/names.h"
#include "mcns/core/parallel.h"
#include "mcns/io/dataset.h"
#include "mcns/io/raw_edges.h"
#include "mcns/io/text_labels.h"

namespace mcns {

struct SourceFile {
  std::string path;  ///< for messages
  RawEdges edges;
};

struct Rows {
  Names names;
  NodeId users = 0;                ///< 0 unless bipartite
  std::vector<NodeId> label_rows;  ///< the node of every label
};

/// Rewrites the pairs of all files as rows, in place, and drops their names. Throws Error(kData)
/// where users and items share an id space and some id is both; where a label is for a node that is
/// neither.
Rows assign_rows(std::span<SourceFile> files, std::span<const NamedLabel> labels,
                 const std::string& labels_path, Bipartite bipartite, ThreadPool& pool);

/// On a directed graph both triangles of a symmetric matrix count: adds the one that is not stored.
void store_both_directions(RawEdges& edges);

/// Label ids follow the numbers where all labels are plain integers, first appearance otherwise; a
/// line that repeats counts once. `rows` has the node of every line.
NodeLabels number_labels(const std::vector<NamedLabel>& lines, const std::vector<NodeId>& rows);

}  // namespace mcns
