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

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "mcns/core/arcs.h"
#include "mcns/core/kernels.h"
#include "mcns/core/parallel.h"

namespace mcns {

struct ProposalOptions {
  bool nearest = false;  ///< lists; else walks
  float local = 0.5F;    ///< probability of a local proposal
  int hops = 1;          ///< of a walk; even on user-item graphs
  int near = 20;         ///< length of a list
  std::uint64_t seed = 1;
};

/// Which of the steps of some chains are local, by what does not look at their states. The mixture
/// of `nearest` needs a coin per step; walks, reversible alone, come at even distances.
class StepChoices {
 public:
  StepChoices(const ProposalOptions& options, Rng rng)
      : coins_(options.nearest),
        share_(static_cast<std::uint64_t>(static_cast<double>(options.local) * 0x1.0p32)),
        rng_(rng),
        phase_(rng_.next() >> 32) {}

  bool next_is_local() {
    if (coins_) return rng_.next() >> 32 < share_;
    phase_ = (phase_ & UINT32_MAX) + share_;
    return phase_ >> 32 != 0;
  }

 private:
  bool coins_;
  std::uint64_t share_;  ///< of local steps, in 2^-32
  Rng rng_;
  std::uint64_t phase_;
};

/// Local steps of many chains: where each stands and a number of its stream; then where it would
/// go, and its slack, to which log q(x|y) / q(y|x) is added.
struct LocalSteps {
  int count;
  const NodeId* from;
  const std::uint64_t* numbers;
  NodeId* to;
  float* slacks;
};

class Proposals {
 public:
  static constexpr int kMany = 64;  ///< local steps at once, at most

  /// The graph must outlive the object.
  Proposals(const ProposalOptions& options, const Graph& graph, ThreadPool& pool);

  /// All of them wait for memory together.
  void local(const LocalSteps& steps) const {
    if (options_.nearest)
      pick(steps);
    else
      walk(steps);
  }

  /// Adds log q(x|y) / q(y|x) of uniform proposals y from x.
  void add_log_ratios(int count, const NodeId* x, const NodeId* y, float* to) const;

  /// The nearest targets of x, those first that list x too; only with `nearest`.
  std::span<const NodeId> near(NodeId x) const {
    const std::size_t i = x - targets_.begin;
    return {lists_.data() + i * options_.near, static_cast<std::size_t>(sizes_[i].all)};
  }

  /// Words of the set of listed pairs: 0.3 % of the others pass.
  static constexpr std::uint64_t pair_words(std::uint64_t targets, std::uint64_t near) {
    return std::bit_ceil(std::clamp<std::uint64_t>(targets * near / 2, 2, std::uint64_t{1} << 31));
  }
  /// Of the lists, their sizes and the set.
  static constexpr std::uint64_t list_bytes(std::uint64_t targets, std::uint64_t near) {
    return targets * sizeof(NodeId) * (near + 1) +
           sizeof(std::uint32_t) * pair_words(targets, near);
  }

 private:
  struct Sizes {
    std::uint16_t mutual, all;
  };
  NodeId walk(NodeId x, Rng& rng) const {
    for (int hop = 0; hop < options_.hops; ++hop) x = neighbors_.draw(x, rng);
    return x;
  }
  void walk(const LocalSteps& steps) const;
  float log_degree(NodeId v) const {
    if (neighbors_.is_weighted()) return log_degree_[v];
    const EdgeId* row = graph_->arrays().offsets.data() + v;
    return log_degree_[row[1] - row[0]];
  }
  void pick(const LocalSteps& steps) const;

  bool lists(NodeId x, NodeId y) const {
    bool found = false;
    for (const NodeId v : near(x)) found |= v == y;  // no branch: lists are short
    return found;
  }
  void fill_lists(ThreadPool& pool);
  void fill_list(NodeId x, std::vector<NodeId>& reached);
  void put_mutual_first(ThreadPool& pool);
  void note_pairs();

  ProposalOptions options_;
  NodeRange targets_;
  std::optional<Graph> undirected_;  ///< of a directed graph
  const Graph* graph_;
  NeighborSampler neighbors_;
  std::vector<float>
      log_degree_;             ///< with walks: of a degree, or of a node where arcs have weights
  std::vector<NodeId> lists_;  ///< targets x near
  std::vector<Sizes> sizes_;
  std::vector<std::uint32_t> words_;  ///< of listed_
  PairSet listed_{};                  ///< pairs of which one lists the other, quicker to ask
  /// log(1 - local + local n / size), of a proposal from a list of `size`, up to the uniform part;
  /// at 0 that of one that is not listed.
  std::vector<float> log_density_;
};

}  // namespace mcns
