// Groups the items 0..m-1 of a batch by key, in order of first appearance, members in item order.
// O(m) with an array over the keys that is cleaned after use; nothing is allocated once it has
// grown.
#pragma once

#include <algorithm>
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
    if (keys_.size() <= item_keys.size()) keys_.resize(items + 1);
    offsets_.assign(items + 2, 0);
    slot_.resize(items);
    members_.resize(items);
    // A group's count stands two places on, so that the sums of counts become its first member, and
    // that, moved on by its members, the first of the next group.
    std::int32_t* const counts = offsets_.data() + 2;
    std::int32_t groups = 0;
    for (std::int32_t i = 0; i < items; ++i) {
      __builtin_prefetch(&slot_of_key_[item_keys[std::min(i + kAhead, items - 1)]], 1);
      // Without a branch: nothing predicts which keys are new.
      const NodeId key = item_keys[i];
      const std::int32_t known = slot_of_key_[key], is_new = known < 0 ? 1 : 0;
      const std::int32_t slot = is_new != 0 ? groups : known;
      keys_[groups] = key;
      groups += is_new;
      slot_of_key_[key] = slot_[i] = slot;
      ++counts[slot];
    }
    groups_ = groups;
    for (std::int32_t g = 0; g < groups_; ++g) {
      counts[g] += counts[g - 1];
      slot_of_key_[keys_[g]] = -1;
    }
    for (std::int32_t i = 0; i < items; ++i) members_[offsets_[slot_[i] + 1]++] = i;
  }

  std::int32_t size() const { return groups_; }
  NodeId key(std::int32_t group) const { return keys_[group]; }
  std::span<const std::int32_t> members(std::int32_t group) const {
    return std::span(members_).subspan(offsets_[group], offsets_[group + 1] - offsets_[group]);
  }
  /// Members of the groups [begin, end), which are consecutive.
  std::span<const std::int32_t> members(std::int32_t begin, std::int32_t end) const {
    return std::span(members_).subspan(offsets_[begin], offsets_[end] - offsets_[begin]);
  }
  std::int32_t slot(std::int32_t item) const { return slot_[item]; }

  // The same as arrays: groups of the items, keys of the groups, the first members of the groups,
  // ending with a count, and the members.
  std::span<const std::int32_t> slots() const { return slot_; }
  std::span<const NodeId> keys() const { return std::span(keys_).first(groups_); }
  std::span<const std::int32_t> offsets() const { return std::span(offsets_).first(groups_ + 1); }
  std::span<const std::int32_t> members() const { return members_; }

  /// Cuts the groups [begin, end) into stretches of about `weight` members; returns their
  /// boundaries. The cut depends on the batch alone.
  void cut(std::int32_t begin, std::int32_t end, std::int32_t weight,
           std::vector<std::int32_t>& bounds) const {
    bounds.assign(1, begin);
    for (std::int32_t g = begin; g < end; ++g)
      if (offsets_[g + 1] - offsets_[bounds.back()] >= weight || g + 1 == end)
        bounds.push_back(g + 1);
  }

 private:
  static constexpr std::int32_t kAhead = 16;  ///< keys come in any order

  std::int32_t groups_ = 0;
  std::vector<std::int32_t> slot_of_key_, offsets_, members_, slot_;
  std::vector<NodeId> keys_;
};

}  // namespace mcns
