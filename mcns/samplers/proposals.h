// Proposals of a Metropolis-Hastings chain over targets. A coin that does not look at the state
// chooses between a uniform target and a local one:
//
//   walk     a short random walk from x over the undirected view of the graph. It is in detailed
//            balance with the (weighted) degree, so q(x|y) / q(y|x) = deg(x) / deg(y). Each kernel
//            of the mixture is reversible, so a step uses the ratio of the kernel it took.
//   nearest  uniform over x's list of nearest targets: those that walks from x reach most often.
//            Lists are not symmetric, so a step uses the densities of the whole mixture,
//            q(y|x) = (1 - local) / n + local [y in N(x)] / |N(x)|.
//
// Where there is nothing local, at a node without links, the local proposal is x itself: a uniform
// one would make the coin look at the state.
#pragma once

#include <optional>
#include <vector>

#include "mcns/core/parallel.h"
#include "mcns/positives/arcs.h"

namespace mcns {

struct ProposalOptions {
  bool nearest = false;  ///< lists; else walks
  float local = 0.5F;    ///< probability of a local proposal
  int hops = 1;          ///< of a walk; even on user-item graphs
  int near = 20;         ///< length of a list, 4 bytes each
  std::uint64_t seed = 1;
};

class Proposals {
 public:
  /// The graph must outlive the object.
  Proposals(const ProposalOptions& options, const Graph& graph, ThreadPool& pool);

  /// The coin.
  bool is_local(Rng& rng) const { return options_.local > 0 && rng.uniformf() < options_.local; }
  NodeId local(NodeId x, Rng& rng) const;
  /// log q(x|y) / q(y|x) of a proposal y from x that was local, or uniform.
  float log_ratio(NodeId x, NodeId y, bool was_local) const {
    if (options_.nearest) return log_density(y, x) - log_density(x, y);
    return was_local ? log_degree_[x] - log_degree_[y] : 0.0F;
  }
  /// The nearest targets of x, ascending; only with `nearest`.
  std::span<const NodeId> near(NodeId x) const;

 private:
  NodeId walk(NodeId x, Rng& rng) const;
  float log_density(NodeId from, NodeId to) const;
  void fill_lists(ThreadPool& pool);

  ProposalOptions options_;
  NodeRange targets_;
  std::optional<Graph> undirected_;  ///< of a directed graph
  const Graph* graph_;
  NeighborSampler neighbors_;
  std::vector<float> log_degree_;
  std::vector<NodeId> lists_;             ///< targets x near
  std::vector<std::int32_t> list_sizes_;  ///< per target
};

}  // namespace mcns
