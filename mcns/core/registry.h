// The components of one kind by name: an explicit table. The built-in tables are constant; a
// program with components of its own makes a copy, adds them and passes the copy on.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mcns/core/component.h"
#include "mcns/core/error.h"

namespace mcns {

/// `Entry` derives from Component.
template <class Entry>
class Registry {
 public:
  /// `kind` is for messages: "sampler".
  Registry(std::string kind, std::vector<Entry> entries)
      : kind_(std::move(kind)), entries_(std::move(entries)) {}

  void add(Entry entry) {
    require(std::ranges::find(entries_, entry.name, &Entry::name) == entries_.end(),
            "there is a {} called '{}' already", kind_, entry.name);
    entries_.push_back(std::move(entry));
  }

  /// The entry of `dns` or of `dns:candidates=8`. Throws for an unknown name, with the known ones.
  const Entry& find(std::string_view text) const {
    const std::string name = component_name(text);
    const auto found = std::ranges::find(entries_, name, &Entry::name);
    if (found == entries_.end()) throw_unknown(kind_, name, names());
    return *found;
  }

  /// All parameters of the component that `text` writes, by default where it does not give them.
  Parameters parameters(std::string_view text, const Facts& facts) const {
    const Entry& entry = find(text);
    return Parameters(resolve_parameters(entry, given_parameters(entry, text), {}, facts));
  }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const Entry& entry : entries_) out.push_back(entry.name);
    return out;
  }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }

 private:
  std::string kind_;
  std::vector<Entry> entries_;
};

}  // namespace mcns
