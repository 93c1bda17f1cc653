// A distribution over the targets that never changes, restricted to what a source allows: p(u) ~
// weight(u). By an alias table and rejection, O(1) a draw; by enumeration where nearly all weight
// is excluded.
#pragma once

#include <vector>

#include "mcns/core/alias_table.h"
#include "mcns/samplers/negative_sampler.h"

namespace mcns {

/// The (weighted) degree of every target to a power. A target of degree 0 has weight 0 for power >
/// 0 and 1 for power = 0; for power < 0 its degree counts as 1, the smallest one there is.
std::vector<double> degree_weights(const Graph& graph, double power);

class StaticDistribution {
 public:
  /// One weight per target; all zero counts as uniform.
  StaticDistribution(const Exclusion& exclusion, std::vector<double> weights);

  /// From the distribution over all targets, by one number.
  NodeId propose(std::uint64_t bits) const {
    return exclusion_->targets().begin + table_.draw(bits);
  }

  /// Log probability of a proposal.
  double log_share(NodeId target) const { return std::log(weight(target) / total_); }

  NodeId draw(NodeId source, Rng& rng) const {
    for (int tries = 0; tries < Exclusion::kTries; ++tries) {
      const NodeId v = propose(rng.next());
      if (!exclusion_->excluded(source, v)) return v;
    }
    return draw_from_complement(source, rng);
  }

  /// Of the distribution over all targets; O(degree), or O(targets) where most weight is excluded.
  double excluded_share(NodeId source) const { return 1 - allowed_weight(source) / total_; }
  /// Exact; O(degree), or O(targets) where most weight is excluded.
  LogProbability log_q(NodeId source, NodeId target) const;

 private:
  NodeId draw_from_complement(NodeId source, Rng& rng) const;
  double weight(NodeId v) const { return weights_[v - exclusion_->targets().begin]; }
  double allowed_weight(NodeId source) const;

  const Exclusion* exclusion_;
  std::vector<double> weights_;
  double total_ = 0;
  AliasTable table_;
};

}  // namespace mcns
