// A set of non-negative integers that knows the rank of each: how ids become rows in numeric order.
//
// A bitmap with a running count per word where ids are dense enough for it (a bit per possible id
// is less than the ids themselves take), a sorted array otherwise. Ranks do not depend on the order
// of insertion, so insertion runs in parallel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mcns/core/parallel.h"
#include "mcns/core/types.h"

namespace mcns {

class IdSet {
 public:
  /// For ids up to `max_id`, about `expected` insertions, repeated ones counted.
  IdSet(NodeId max_id, std::size_t expected);

  void insert(NodeId id);
  enum class Columns { kSource, kTarget, kBoth };
  void insert(std::span<const Pair> pairs, Columns columns, ThreadPool& pool);
  /// To be called after the last insertion and before what follows.
  void freeze();

  NodeId size() const { return size_; }
  bool contains(NodeId id) const;
  /// How many smaller ids there are; `id` must be in the set.
  NodeId rank(NodeId id) const;
  /// Ranks are the ids themselves.
  bool is_identity() const { return size_ == max_id_ + std::int64_t{1}; }
  /// Ascending.
  std::vector<NodeId> ids() const;

 private:
  NodeId max_id_;
  NodeId size_ = 0;
  std::vector<std::uint64_t> words_;  ///< empty where ids are sparse
  std::vector<NodeId> ranks_;         ///< ids in the words before
  std::vector<NodeId> sorted_;        ///< sparse ids
};

}  // namespace mcns
