// Disjoint sets of nodes: path halving, union by size.
#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "mcns/core/graph.h"

namespace mcns {

class UnionFind {
 public:
  explicit UnionFind(NodeId nodes) : parent_(nodes), size_(nodes, 1) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  /// The node that stands for the set of v.
  NodeId find(NodeId v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  /// False where both were in one set already.
  bool join(NodeId a, NodeId b) {
    a = find(a);
    b = find(b);
    if (a == b) return false;
    if (size_[a] < size_[b]) std::swap(a, b);
    parent_[b] = a;
    size_[a] += size_[b];
    return true;
  }

 private:
  std::vector<NodeId> parent_, size_;
};

}  // namespace mcns
