// Proposals of a Metropolis-Hastings chain over targets. What does not look at the state chooses
// between a uniform target and a local one:
//
//   walk     a short random walk from x over the undirected view of the graph. It is in detailed
//            balance with the (weighted) degree, so q(x|y) / q(y|x) = deg(x) / deg(y). Both
//            kernels are reversible, so a step uses the ratio of the kernel it took.
//   nearest  uniform over x's list of nearest targets: those that walks from x reach most often.
//            Lists are not symmetric, so a step uses the densities of the whole mixture,
//            q(y|x) = (1 - local) / n + local [y in N(x)] / |N(x)|.
//
// Where there is nothing local, at a node without links, the local proposal is x itself: a uniform
// one would make the choice look at the state.
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
  static constexpr int kMany = 16;  ///< local proposals at once, at most

  /// The graph must outlive the object.
  Proposals(const ProposalOptions& options, const Graph& graph, ThreadPool& pool);

  /// Whether the next step is local; never asks for the state. The mixture of `nearest` needs a
  /// coin per step, the lower half of `bits` (the upper half is free to choose a uniform target).
  /// Walks, reversible alone, come at even distances from a first `phase` in [0, 1).
  bool is_local(std::uint64_t bits, float& phase) const {
    if (options_.nearest) return static_cast<std::uint32_t>(bits) < threshold_;
    phase += options_.local;
    const bool local = phase >= 1;
    phase -= local ? 1.0F : 0.0F;
    return local;
  }
  /// Local proposals from nodes[i], by the streams rngs[i]: all of them wait for memory together.
  void local(std::span<NodeId> nodes, std::span<Rng* const> rngs) const;

  /// log q(x|y) / q(y|x) of a proposal y from x that was local, or uniform.
  float log_ratio(NodeId x, NodeId y, bool was_local) const {
    if (options_.nearest) return log_density(y, x) - log_density(x, y);
    return was_local ? log_degree_[x] - log_degree_[y] : 0.0F;
  }
  /// Whether `log_ratio` has lists to search, so that its upper bound is worth asking first.
  bool searches() const { return options_.nearest; }
  float largest_log_ratio() const { return largest_log_ratio_; }

  /// The nearest targets of x, ascending; only with `nearest`.
  std::span<const NodeId> near(NodeId x) const {
    const std::size_t i = x - targets_.begin;
    return {lists_.data() + i * options_.near, static_cast<std::size_t>(list_sizes_[i])};
  }

 private:
  NodeId walk(NodeId x, Rng& rng) const {
    for (int hop = 0; hop < options_.hops; ++hop) x = neighbors_.draw(x, rng);
    return x;
  }
  /// Of the mixture, up to the uniform part: log(1 - local + local n [to in N] / |N|).
  float log_density(NodeId from, NodeId to) const {
    bool listed = false;
    for (const NodeId v : near(from)) listed |= v == to;  // no branch: lists are short
    return listed ? log_listed_[list_sizes_[from - targets_.begin]] : log_unlisted_;
  }
  void fill_lists(ThreadPool& pool);
  void fill_list(NodeId x, std::vector<NodeId>& reached);

  ProposalOptions options_;
  NodeRange targets_;
  std::optional<Graph> undirected_;  ///< of a directed graph
  const Graph* graph_;
  NeighborSampler neighbors_;
  std::uint64_t threshold_;  ///< of the coin
  std::vector<float> log_degree_;
  std::vector<NodeId> lists_;             ///< targets x near
  std::vector<std::int32_t> list_sizes_;  ///< per target
  std::vector<float> log_listed_;         ///< log density of a listed target, by the list's size
  float log_unlisted_ = 0, largest_log_ratio_ = 0;
};

}  // namespace mcns
