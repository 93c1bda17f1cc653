// Basic vocabulary: what a node, an edge offset and a pair are.
#pragma once

#include <cstdint>

namespace mcns {

using NodeId = std::int32_t;  ///< a row of the embedding table
using EdgeId = std::int64_t;  ///< an offset into the arcs of a graph

/// A centre and its context: on user-item graphs a user and an item.
struct Pair {
  NodeId source, target;
  friend bool operator==(const Pair&, const Pair&) = default;
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

/// Half-open range of nodes.
struct NodeRange {
  NodeId begin = 0, end = 0;
  NodeId size() const { return end - begin; }
  bool contains(NodeId v) const { return v >= begin && v < end; }
  friend bool operator==(const NodeRange&, const NodeRange&) = default;
};

}  // namespace mcns
