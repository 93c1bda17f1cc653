#include "mcns/samplers/exclusion.h"

#include <algorithm>
#include <bit>

#include "mcns/core/error.h"

namespace mcns {

Filter parse_filter(const std::string& name) {
  if (name == "train") return Filter::kTrain;
  if (name == "none") return Filter::kNone;
  throw_unknown("filter", name, {"train", "none"});
}

Exclusion::Exclusion(const Graph& graph, Filter filter)
    : graph_(&graph), filter_(filter), targets_(graph.targets()) {
  if (filter == Filter::kNone) {
    words_.resize(1);
    return;
  }
  const NodeId sources = graph.sources().end;
  sketches_.resize(sources);
  std::uint64_t words = 0;
  for (NodeId u = 0; u < sources; ++u) {
    const auto degree = static_cast<std::uint64_t>(graph.degree(u));
    const auto targets = static_cast<std::uint64_t>(targets_.size());
    const auto hashed = std::max<std::uint64_t>(64, std::bit_ceil(20 * degree));
    const bool exact = targets <= std::max<std::uint64_t>(32, 32 * degree);
    sketches_[u] = {static_cast<std::uint32_t>(words), exact ? 1 : 0x9e3779b1U,
                    exact ? 0 : static_cast<std::uint32_t>(32 - std::bit_width(hashed - 1))};
    words += ((exact ? targets : hashed) + 31) / 32;
    if (words > UINT32_MAX)
      throw_error(ErrorKind::kRuntime, "the graph is too large for --filter train: {} arcs",
                  graph.num_arcs());
  }
  words_.resize(words);
  const auto set = [&](NodeId u, NodeId v) {
    const ExclusionSketch::Place place = sketches_[u].place(index(v));
    words_[place.word] |= place.bits;
  };
  for (NodeId u = 0; u < sources; ++u) {
    for (const NodeId v : graph.neighbors(u)) set(u, v);
    if (targets_.contains(u)) set(u, u);
  }
}

NodeId Exclusion::allowed(NodeId source) const {
  if (filter_ == Filter::kNone) return targets_.size();
  const auto row = graph_->neighbors(source);
  // Repeated neighbours (a graph built with duplicates kept) count once.
  NodeId excluded_count = 0;
  NodeId last = -1;
  for (const NodeId v : row) {
    excluded_count += v != last;
    last = v;
  }
  const bool self = targets_.contains(source) && !graph_->has_edge(source, source);
  return targets_.size() - excluded_count - static_cast<NodeId>(self);
}

NodeId Exclusion::nth_allowed(NodeId source, NodeId i) const {
  if (filter_ == Filter::kNone) return targets_.begin + i;
  NodeId candidate = targets_.begin + i;
  bool self_passed = !targets_.contains(source);
  NodeId last = -1;
  // Every excluded node at or below the candidate pushes it one further.
  const auto pass = [&](NodeId v) {
    if (!self_passed && source <= v) {
      self_passed = true;
      if (source <= candidate) ++candidate;
      last = source;
    }
    if (v != last && v <= candidate) ++candidate;
    last = v;
  };
  for (const NodeId v : graph_->neighbors(source)) {
    if (v > candidate && (self_passed || source > candidate)) break;
    pass(v);
  }
  if (!self_passed && source <= candidate) ++candidate;
  return candidate;
}

void Exclusion::check_saved(const std::string& name, std::span<const NodeId> nodes,
                            std::size_t count) const {
  if (nodes.size() != count)
    throw_error(ErrorKind::kData, "'{}' of the saved state has {} nodes, expected {}", name,
                nodes.size(), count);
  for (const NodeId v : nodes)
    if (v != -1 && !targets_.contains(v))
      throw_error(ErrorKind::kData, "'{}' of the saved state has node {}, targets are {} to {}",
                  name, v, targets_.begin, targets_.end - 1);
}

}  // namespace mcns
