// Immutable graph in compressed sparse rows with sorted neighbours, optional weights.
//
// An undirected edge is stored as two arcs, a self loop as one. A user-item graph is undirected,
// its users come first: rows [0, users) are users, [users, nodes) are items. The arrays are views
// of an owner that is kept alive: vectors after a build, a mapped file after a load.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mcns/core/parallel.h"
#include "mcns/core/types.h"

namespace mcns {

enum class GraphKind : std::uint32_t { kUndirected = 0, kDirected = 1, kBipartite = 2 };

class Graph {
 public:
  struct Arrays {
    std::span<const EdgeId> offsets;      ///< nodes + 1
    std::span<const NodeId> neighbors;    ///< arcs, ascending within a node
    std::span<const float> weights = {};  ///< arcs, or empty when all weights are 1
  };

  Graph() = default;
  Graph(Arrays arrays, GraphKind kind, NodeId users, std::shared_ptr<const void> owner);

  NodeId num_nodes() const { return static_cast<NodeId>(arrays_.offsets.size()) - 1; }
  /// Stored arcs: twice the edges of an undirected graph without self loops.
  EdgeId num_arcs() const { return static_cast<EdgeId>(arrays_.neighbors.size()); }
  /// Edges as a user counts them.
  EdgeId num_edges() const { return edges_; }
  NodeId num_users() const { return users_; }
  NodeId num_items() const { return is_bipartite() ? num_nodes() - users_ : 0; }
  GraphKind kind() const { return kind_; }
  bool is_directed() const { return kind_ == GraphKind::kDirected; }
  bool is_bipartite() const { return kind_ == GraphKind::kBipartite; }
  bool is_weighted() const { return !arrays_.weights.empty(); }

  EdgeId degree(NodeId v) const { return arrays_.offsets[v + 1] - arrays_.offsets[v]; }
  std::span<const NodeId> neighbors(NodeId v) const {
    return arrays_.neighbors.subspan(arrays_.offsets[v], degree(v));
  }
  /// Weights of `neighbors(v)`; empty when the graph is unweighted.
  std::span<const float> weights(NodeId v) const {
    return is_weighted() ? arrays_.weights.subspan(arrays_.offsets[v], degree(v))
                         : std::span<const float>{};
  }
  double weighted_degree(NodeId v) const;
  /// Binary search in the shorter of what is known: O(log degree(u)).
  bool has_edge(NodeId u, NodeId v) const;

  /// Nodes that may be centres (all, or the users) and contexts or negatives (all, or the items).
  NodeRange sources() const { return {0, is_bipartite() ? users_ : num_nodes()}; }
  NodeRange targets() const { return {is_bipartite() ? users_ : 0, num_nodes()}; }

  const Arrays& arrays() const { return arrays_; }
  std::size_t bytes() const;

 private:
  Arrays arrays_;
  GraphKind kind_ = GraphKind::kUndirected;
  NodeId users_ = 0;
  EdgeId edges_ = 0;
  std::shared_ptr<const void> owner_;
};

/// Edges whose endpoints are rows already. `weights` is empty or as long as `pairs`.
struct EdgeList {
  std::vector<Pair> pairs;
  std::vector<float> weights;
};

enum class Repeated { kMerge, kKeep };  ///< merged weights add up
enum class SelfLoops { kDrop, kKeep };

struct BuildOptions {
  GraphKind kind = GraphKind::kUndirected;
  NodeId users = 0;  ///< bipartite: rows below are users, and every pair is (user, item)
  Repeated repeated = Repeated::kMerge;
  SelfLoops self_loops = SelfLoops::kDrop;
};

/// What a build did with its input. `merged` counts the input edges that joined an earlier one; on
/// an undirected graph (a, b) and (b, a) are the same edge.
struct BuildCounts {
  EdgeId read = 0, merged = 0, self_loops = 0;
};

/// Counting sort: O(edges), deterministic. Consumes the list to keep the peak at list + graph.
/// Throws for rows out of range, pairs that are not (user, item) and weights < 0 or not finite.
Graph build_graph(EdgeList edges, NodeId nodes, const BuildOptions& options, ThreadPool& pool,
                  BuildCounts* counts = nullptr);

/// Every edge once, as (source, target): u <= v where the graph is undirected, user first where it
/// is bipartite.
EdgeList edge_list(const Graph& graph);

}  // namespace mcns
