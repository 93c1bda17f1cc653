#include "mcns/io/select_edges.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace mcns {
namespace {

/// The same for edges that are the same.
Pair key_of(Pair pair, SameEdges same) {
  if (!same.two_sets && !same.directed && pair.target < pair.source)
    std::swap(pair.source, pair.target);
  return pair;
}

/// Keeps the edges that `keep` marks, in their order.
void select(RawEdges& edges, const std::vector<bool>& keep) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (!keep[i]) continue;
    edges.pairs[size] = edges.pairs[i];
    if (!edges.values.empty()) edges.values[size] = edges.values[i];
    if (!edges.times.empty()) edges.times[size] = edges.times[i];
    ++size;
  }
  edges.pairs.resize(size);
  if (!edges.values.empty()) edges.values.resize(size);
  if (!edges.times.empty()) edges.times.resize(size);
}

/// Edges by what they join, in their order where they join the same.
std::vector<std::size_t> sorted_by_key(const RawEdges& edges, SameEdges same) {
  std::vector<std::size_t> order(edges.pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const Pair key = key_of(edges.pairs[i], same);
    return std::pair(key.source, key.target);
  });
  return order;
}

/// Ids as numbers from 0, those of the second column behind those of the first where they have a
/// set of their own.
class Numbering {
 public:
  explicit Numbering(bool two_sets) : two_sets_(two_sets) {}
  std::size_t source(NodeId id) { return number(id); }
  std::size_t target(NodeId id) {
    return number(two_sets_ ? id + (std::int64_t{1} << 32) : std::int64_t{id});
  }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::size_t number(std::int64_t id) {
    return numbers_.try_emplace(id, numbers_.size()).first->second;
  }

  bool two_sets_;
  std::unordered_map<std::int64_t, std::size_t> numbers_;
};

}  // namespace

std::int64_t keep_last(RawEdges& edges, SameEdges same) {
  const std::vector<std::size_t> order = sorted_by_key(edges, same);
  std::vector<bool> keep(order.size(), true);
  std::int64_t dropped = 0;
  for (std::size_t i = 1, last = 0; i < order.size(); ++i) {
    const std::size_t before = order[last], now = order[i];
    if (key_of(edges.pairs[before], same) != key_of(edges.pairs[now], same)) {
      last = i;
      continue;
    }
    const bool later = edges.times.empty() || edges.times[now] >= edges.times[before];
    keep[later ? before : now] = false;
    if (later) last = i;
    ++dropped;
  }
  select(edges, keep);
  return dropped;
}

std::int64_t keep_core(RawEdges& edges, int k, SameEdges same) {
  same.directed = false;  // a neighbour in either direction is one
  const std::vector<std::size_t> order = sorted_by_key(edges, same);
  Numbering numbers(same.two_sets);
  struct Ends {
    std::size_t a, b;
  };
  std::vector<Ends> ends;                           // of distinct edges
  std::vector<std::size_t> distinct(order.size());  // edge -> distinct edge
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Pair key = key_of(edges.pairs[order[i]], same);
    if (i == 0 || key != key_of(edges.pairs[order[i - 1]], same)) {
      const std::size_t a = numbers.source(key.source);
      ends.push_back({a, numbers.target(key.target)});
    }
    distinct[order[i]] = ends.size() - 1;
  }
  std::vector<std::vector<std::size_t>> edges_of(numbers.size());
  for (std::size_t e = 0; e < ends.size(); ++e) {
    edges_of[ends[e].a].push_back(e);
    if (ends[e].a != ends[e].b) edges_of[ends[e].b].push_back(e);
  }
  std::vector<std::int64_t> degree(numbers.size());
  std::vector<std::size_t> low;
  for (std::size_t v = 0; v < degree.size(); ++v)
    if ((degree[v] = std::ssize(edges_of[v])) < k) low.push_back(v);
  std::vector<bool> gone(ends.size(), false);
  while (!low.empty()) {
    const std::size_t v = low.back();
    low.pop_back();
    for (const std::size_t e : edges_of[v]) {
      if (gone[e]) continue;
      gone[e] = true;
      const std::size_t other = ends[e].a == v ? ends[e].b : ends[e].a;
      if (degree[other]-- == k) low.push_back(other);
    }
  }
  std::vector<bool> keep(order.size());
  for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = !gone[distinct[i]];
  const auto before = std::ssize(edges.pairs);
  select(edges, keep);
  edges.isolated = edges.isolated_items = {};
  return before - std::ssize(edges.pairs);
}

std::int64_t keep_labels_of(const RawEdges& edges, std::vector<NamedLabel>& labels) {
  std::unordered_set<std::string> nodes;
  for (const Pair pair : edges.pairs)
    for (const NodeId id : {pair.source, pair.target})
      nodes.insert(edges.numeric ? std::to_string(id) : edges.names[id]);
  return static_cast<std::int64_t>(
      std::erase_if(labels, [&](const NamedLabel& label) { return !nodes.contains(label.node); }));
}

EdgeTimes::EdgeTimes(const std::vector<Pair>& pairs, const std::vector<double>& times,
                     GraphKind kind)
    : ordered_ends_(kind == GraphKind::kUndirected) {
  for (std::size_t i = 0; i < times.size(); ++i)
    sorted_.push_back({key_of(pairs[i], {.two_sets = !ordered_ends_}), times[i]});
  std::ranges::sort(
      sorted_, {}, [](const Timed& t) { return std::tuple(t.pair.source, t.pair.target, t.time); });
}

std::vector<double> EdgeTimes::of(const Graph& graph, Repeated repeated) const {
  std::vector<double> out;
  if (sorted_.empty()) return out;
  const EdgeList edges = edge_list(graph);
  out.reserve(edges.pairs.size());
  const auto by_ends = [](const Timed& t) { return std::pair(t.pair.source, t.pair.target); };
  for (std::size_t i = 0; i < edges.pairs.size(); ++i) {
    const std::pair ends{edges.pairs[i].source, edges.pairs[i].target};
    const auto begin = std::ranges::lower_bound(sorted_, ends, {}, by_ends);
    const auto end = std::ranges::upper_bound(sorted_, ends, {}, by_ends);
    const bool repeats = i > 0 && edges.pairs[i] == edges.pairs[i - 1];
    // Repeated edges that are kept stand one after the other; they take their times in order.
    std::size_t place = 0;
    for (std::size_t j = i; repeats && j > 0 && edges.pairs[j - 1] == edges.pairs[i]; --j) ++place;
    out.push_back(repeated == Repeated::kKeep ? begin[static_cast<std::ptrdiff_t>(place)].time
                                              : std::prev(end)->time);
  }
  return out;
}

}  // namespace mcns
