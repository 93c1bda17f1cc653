#include "mcns/splits/raw_split.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "mcns/core/error.h"

namespace mcns {
namespace {

template <class T>
void sort_unique(std::vector<T>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

template <class T>
NodeId position(const std::vector<T>& sorted, const T& item) {
  return static_cast<NodeId>(std::lower_bound(sorted.begin(), sorted.end(), item) - sorted.begin());
}

void id_of(const RawEdges&, NodeId provisional, std::int64_t& id) { id = provisional; }
void id_of(const RawEdges& file, NodeId provisional, std::string& id) {
  id = file.numeric ? std::to_string(provisional) : file.names[provisional];
}

/// Distinct provisional ids of one file in one id space, and their rows.
struct FileIds {
  std::vector<NodeId> provisional, rows;
  NodeId row(NodeId id) const { return rows[position(provisional, id)]; }
};

FileIds distinct_ids(const RawEdges& file, bool first_column, bool second_column) {
  FileIds out;
  for (const auto [a, b] : file.pairs) {
    if (first_column) out.provisional.push_back(a);
    if (second_column) out.provisional.push_back(b);
  }
  sort_unique(out.provisional);
  return out;
}

/// Gives the ids of one space rows from `first_row` on; returns them in the order of rows.
template <class Id>
std::vector<Id> assign_rows(const std::array<RawEdges, 3>& files, std::array<FileIds, 3>& ids,
                            NodeId first_row) {
  std::vector<Id> all;
  const auto each = [&](const auto& visit) {
    Id id;
    for (std::size_t f = 0; f < files.size(); ++f)
      for (const NodeId provisional : ids[f].provisional) {
        id_of(files[f], provisional, id);
        visit(f, id);
      }
  };
  each([&](std::size_t, const Id& id) { all.push_back(id); });
  sort_unique(all);
  each([&](std::size_t f, const Id& id) { ids[f].rows.push_back(first_row + position(all, id)); });
  return all;
}

template <class Id>
void require_apart(const std::vector<Id>& users, const std::vector<Id>& items) {
  std::vector<Id> both;
  std::set_intersection(users.begin(), users.end(), items.begin(), items.end(),
                        std::back_inserter(both));
  if (!both.empty())
    throw_error(ErrorKind::kData,
                "id '{}' is a user and an item, as are {} in all; with one id space no id may be "
                "both (two id spaces: --bipartite separate)",
                both.front(), both.size());
}

HeldOut held_out(const RawEdges& file, std::vector<Pair> pairs, bool labelled) {
  HeldOut out;
  out.labels.assign(pairs.size(), 1);
  out.pairs = std::move(pairs);
  if (!labelled || file.values.empty()) return out;
  for (std::size_t i = 0; i < file.values.size(); ++i) {
    const float label = file.values[i];
    if (label != 0.0F && label != 1.0F)
      throw_error(ErrorKind::kData, "label {} of held-out pair {} is neither 0 nor 1", label,
                  i + 1);
    out.labels[i] = label == 1.0F ? 1 : 0;
  }
  return out;
}

template <class Id>
RawSplit join(const std::array<RawEdges, 3>& files, Task task, Bipartite bipartite) {
  const bool two_kinds = bipartite != Bipartite::kNone;
  std::array<FileIds, 3> first, second;
  for (std::size_t f = 0; f < files.size(); ++f) {
    first[f] = distinct_ids(files[f], true, !two_kinds);
    if (two_kinds) second[f] = distinct_ids(files[f], false, true);
  }
  auto ids = assign_rows<Id>(files, first, 0);
  const auto users = static_cast<NodeId>(ids.size());
  if (two_kinds) {
    const auto items = assign_rows<Id>(files, second, users);
    if (bipartite == Bipartite::kShared) require_apart(ids, items);
    ids.insert(ids.end(), items.begin(), items.end());
  }
  std::array<std::vector<Pair>, 3> pairs;
  for (std::size_t f = 0; f < files.size(); ++f) {
    const FileIds& targets = two_kinds ? second[f] : first[f];
    pairs[f].reserve(files[f].pairs.size());
    for (const auto [a, b] : files[f].pairs) pairs[f].push_back({first[f].row(a), targets.row(b)});
  }
  RawSplit out;
  out.names = Names(std::move(ids));
  out.users = two_kinds ? users : 0;
  const bool labelled = task == Task::kLinkpred;
  out.train = std::move(pairs[0]);
  out.valid = held_out(files[1], std::move(pairs[1]), labelled);
  out.test = held_out(files[2], std::move(pairs[2]), labelled);
  return out;
}

}  // namespace

RawSplit join_split(const std::array<RawEdges, 3>& files, Task task, Bipartite bipartite) {
  const bool numeric =
      std::all_of(files.begin(), files.end(), [](const RawEdges& file) { return file.numeric; });
  return numeric ? join<std::int64_t>(files, task, bipartite)
                 : join<std::string>(files, task, bipartite);
}

}  // namespace mcns
