// The possible pairs of a graph: which there are, and which of them are edges.
#pragma once

#include <cstdint>

#include "mcns/core/graph.h"
#include "mcns/core/rng.h"
#include "mcns/splits/non_edges.h"

namespace mcns {

class PairSpace {
 public:
  PairSpace(const Graph& graph, Reciprocal reciprocal)
      : graph_(graph), unordered_(takes_together(graph, reciprocal)) {}

  const Graph& graph() const { return graph_; }
  /// Whether (u, v) and (v, u) are one pair.
  bool unordered() const { return unordered_; }

  std::uint64_t size() const {
    const auto sources = static_cast<std::uint64_t>(graph_.sources().size());
    const auto targets = static_cast<std::uint64_t>(graph_.targets().size());
    if (graph_.is_bipartite()) return sources * targets;
    const std::uint64_t ordered = sources * (targets == 0 ? 0 : targets - 1);
    return unordered_ ? ordered / 2 : ordered;
  }

  /// In space, and no edge.
  bool is_non_edge(Pair pair) const { return pair.source != pair.target && !is_edge(pair); }

  /// Distinct edges without self loops, reciprocal arcs once where they are taken together.
  std::uint64_t edges() const {
    std::uint64_t count = 0;
    for (NodeId u = graph_.sources().begin; u < graph_.sources().end; ++u) {
      NodeId previous = u;
      for (const NodeId v : graph_.neighbors(u)) {
        const bool counted_at_v = unordered_ && v < u && graph_.has_edge(v, u);
        if (v != u && v != previous && !counted_at_v) ++count;
        previous = v;
      }
    }
    return count;
  }

  /// The pair as it stands in space.
  Pair ordered(NodeId u, NodeId v) const { return unordered_ && v < u ? Pair{v, u} : Pair{u, v}; }

  /// A uniform pair, or a self pair, which is not in the space.
  Pair draw(Rng& rng) const {
    const auto from = [&](NodeRange range) {
      return range.begin + static_cast<NodeId>(rng.below(static_cast<std::uint64_t>(range.size())));
    };
    const NodeId u = from(graph_.sources());
    const NodeId v = from(graph_.targets());
    return ordered(u, v);
  }

  /// Calls f(pair) for every non-edge, ascending.
  template <class F>
  void for_each_non_edge(const F& f) const {
    for (NodeId u = graph_.sources().begin; u < graph_.sources().end; ++u)
      for (NodeId v = unordered_ ? u + 1 : graph_.targets().begin; v < graph_.targets().end; ++v)
        if (is_non_edge({u, v})) f(Pair{u, v});
  }

 private:
  bool is_edge(Pair pair) const {
    return graph_.has_edge(pair.source, pair.target) ||
           (unordered_ && graph_.is_directed() && graph_.has_edge(pair.target, pair.source));
  }

  const Graph& graph_;
  bool unordered_;
};

/// A pair in one number.
inline std::uint64_t key_of(Pair pair) {
  return static_cast<std::uint64_t>(pair.source) << 32 | static_cast<std::uint32_t>(pair.target);
}

}  // namespace mcns
