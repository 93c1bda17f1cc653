// Readers of other projects' files. Each takes the unpacked content and the path that its error
// messages name, and throws Error(kData) with file and line for anything it cannot accept. One
// pass, O(bytes); ids that are all plain integers stay integers, anything else becomes names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mcns/io/raw_edges.h"
#include "mcns/io/text_layout.h"

namespace mcns {

/// Matrix Market coordinate matrices: pattern, real or integer; general or symmetric. Ids are "1"
/// to "n" as in the file; declared rows without an entry are isolated nodes. A rectangular matrix
/// is user-item: rows are users, columns items.
RawEdges parse_matrix_market(std::string_view content, const std::string& path);

/// Reviews, one JSON object a line: the keys `reviewerID`, `asin`, `overall` and `unixReviewTime`
/// of Amazon, and others that are known as user, item, rating and time; or those that the options
/// name.
RawEdges parse_amazon(std::string_view content, const std::string& path,
                      const TextOptions& options);

/// LightGCN adjacency lists: a user, then all its items, a line each. A user without items is kept.
RawEdges parse_lightgcn(std::string_view content, const std::string& path);

/// A node and its label, as the ids 1 .. n and 1 .. labels of the matrices.
struct MatLabel {
  NodeId node;
  std::int32_t label;
};

struct MatFile {
  RawEdges edges;
  std::vector<MatLabel> labels;  ///< empty where the file has no `group`
};

/// MATLAB file in BlogCatalog's layout: `network`, sparse n x n, and `group`, sparse n x labels. A
/// symmetric network gives each edge once; values that are all 1 give an unweighted graph. Ids are
/// MATLAB's, from 1.
MatFile read_mat(const std::string& path);

}  // namespace mcns
