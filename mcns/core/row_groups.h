// Groups the items 0..m-1 of a batch by key, in order of first appearance, members in item order.
// O(m) with an array over the keys that is cleaned after use; nothing is allocated once it has
// grown.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mcns/core/types.h"

namespace mcns {

class RowGroups {
 public:
  /// Keys are in [0, keys).
  explicit RowGroups(std::int64_t keys) : slot_of_key_(keys, -1) {}

  void build(std::span<const NodeId> item_keys) {
    const auto items = static_cast<std::int32_t>(item_keys.size());
    keys_.clear();
    offsets_.assign(1, 0);
    slot_.resize(items);
    for (std::int32_t i = 0; i < items; ++i) {
      if (i + kAhead < items) __builtin_prefetch(&slot_of_key_[item_keys[i + kAhead]], 1);
      std::int32_t& slot = slot_of_key_[item_keys[i]];
      if (slot < 0) {
        slot = static_cast<std::int32_t>(keys_.size());
        keys_.push_back(item_keys[i]);
        offsets_.push_back(0);
      }
      ++offsets_[slot + 1];
      slot_[i] = slot;
    }
    for (std::size_t g = 1; g < offsets_.size(); ++g) offsets_[g] += offsets_[g - 1];
    members_.resize(items);
    cursor_.assign(offsets_.begin(), offsets_.end() - 1);
    for (std::int32_t i = 0; i < items; ++i) members_[cursor_[slot_[i]]++] = i;
    for (const NodeId key : keys_) slot_of_key_[key] = -1;
  }

  std::int32_t size() const { return static_cast<std::int32_t>(keys_.size()); }
  NodeId key(std::int32_t group) const { return keys_[group]; }
  std::span<const std::int32_t> members(std::int32_t group) const {
    return std::span(members_).subspan(offsets_[group], offsets_[group + 1] - offsets_[group]);
  }
  /// Members of the groups [begin, end), which are consecutive.
  std::span<const std::int32_t> members(std::int32_t begin, std::int32_t end) const {
    return std::span(members_).subspan(offsets_[begin], offsets_[end] - offsets_[begin]);
  }
  std::int32_t slot(std::int32_t item) const { return slot_[item]; }

  /// Cuts the groups into stretches of about `weight` members; returns their boundaries. The cut
  /// depends on the batch alone.
  void cut(std::int32_t weight, std::vector<std::int32_t>& bounds) const {
    bounds.assign(1, 0);
    for (std::int32_t g = 0; g < size(); ++g)
      if (offsets_[g + 1] - offsets_[bounds.back()] >= weight || g + 1 == size())
        bounds.push_back(g + 1);
  }

 private:
  static constexpr std::int32_t kAhead = 16;  ///< keys come in any order

  std::vector<std::int32_t> slot_of_key_, offsets_, members_, cursor_, slot_;
  std::vector<NodeId> keys_;
};

}  // namespace mcns
