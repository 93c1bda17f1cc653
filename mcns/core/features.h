// Given features of nodes as a sparse matrix, a row a node. Reading them: io/features_file.h.
#pragma once

#include <span>
#include <vector>

#include "mcns/core/types.h"

namespace mcns {

class Features {
 public:
  /// `offsets` has a number for each node and one more; columns are in [0, columns).
  Features(std::vector<EdgeId> offsets, std::vector<NodeId> columns, std::vector<float> values,
           NodeId width)
      : offsets_(std::move(offsets)),
        columns_(std::move(columns)),
        values_(std::move(values)),
        width_(width) {}

  NodeId nodes() const { return static_cast<NodeId>(offsets_.size()) - 1; }
  /// Features there are.
  NodeId width() const { return width_; }
  /// Room for features that no node here has.
  void widen(NodeId width) { width_ = width; }
  std::int64_t entries() const { return static_cast<std::int64_t>(columns_.size()); }
  std::span<const NodeId> columns(NodeId v) const { return cut(columns_, v); }
  std::span<const float> values(NodeId v) const { return cut(values_, v); }

 private:
  template <class T>
  std::span<const T> cut(const std::vector<T>& all, NodeId v) const {
    return std::span(all).subspan(offsets_[v], offsets_[v + 1] - offsets_[v]);
  }

  std::vector<EdgeId> offsets_;
  std::vector<NodeId> columns_;
  std::vector<float> values_;
  NodeId width_;
};

}  // namespace mcns
