#include "mcns/core/names.h"

#include <charconv>

namespace mcns {

std::optional<std::int64_t> plain_integer(std::string_view text) {
  if (text.empty() || text.size() > 18 || (text[0] == '0' && text.size() > 1)) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

Names::Names(std::vector<std::int64_t> ids) : ids_(std::move(ids)) {}

Names::Names(const std::vector<std::string>& names) {
  arena_offsets_.reserve(names.size() + 1);
  arena_offsets_.push_back(0);
  for (const auto& name : names) {
    arena_ += name;
    arena_offsets_.push_back(static_cast<std::int64_t>(arena_.size()));
  }
}

NodeId Names::size() const {
  return static_cast<NodeId>(is_numeric() ? ids_.size() : arena_offsets_.size() - 1);
}

std::string_view Names::text(NodeId row) const {
  return std::string_view(arena_).substr(arena_offsets_[row],
                                         arena_offsets_[row + 1] - arena_offsets_[row]);
}

std::string Names::name(NodeId row) const {
  return is_numeric() ? std::to_string(ids_[row]) : std::string(text(row));
}

// A scan: lookups by name happen once per command, and an index would double the memory of names.
std::optional<NodeId> Names::find(std::string_view name, NodeRange range) const {
  if (is_numeric()) {
    const auto id = plain_integer(name);
    if (!id) return std::nullopt;
    for (NodeId row = range.begin; row < range.end; ++row)
      if (ids_[row] == *id) return row;
    return std::nullopt;
  }
  for (NodeId row = range.begin; row < range.end; ++row)
    if (text(row) == name) return row;
  return std::nullopt;
}

std::size_t Names::bytes() const {
  return ids_.size() * sizeof(std::int64_t) + arena_.size() +
         arena_offsets_.size() * sizeof(std::int64_t);
}

}  // namespace mcns
