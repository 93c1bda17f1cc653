// The ids of nodes as the user wrote them. A name is any text; rows are ours.
//
// Two layouts behind one face: names that are all plain integers ("0", "17", no leading zeros) are
// kept as numbers, anything else as bytes in one arena. On user-item graphs with two id spaces the
// same text may name a user and an item, so a lookup says which kind it means.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcns/core/types.h"

namespace mcns {

class Names {
 public:
  Names() = default;
  /// Row i is called to_string(ids[i]).
  explicit Names(std::vector<std::int64_t> ids);
  /// Row i is called names[i].
  explicit Names(const std::vector<std::string>& names);

  NodeId size() const;
  std::string name(NodeId row) const;
  /// The row in `range` called `name`.
  std::optional<NodeId> find(std::string_view name, NodeRange range) const;
  std::size_t bytes() const;

 private:
  bool is_numeric() const { return arena_offsets_.empty(); }
  std::string_view text(NodeId row) const;

  std::vector<std::int64_t> ids_;
  std::string arena_;
  std::vector<std::int64_t> arena_offsets_;
};

/// The value of a plain non-negative integer name, as "17" but not "017" or "+17".
std::optional<std::int64_t> plain_integer(std::string_view text);

}  // namespace mcns
