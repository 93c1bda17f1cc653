// The targets of a batch's other pairs, as negatives: every other position with the same
// probability, less those the source may not have. Rejection, then by enumeration; where the batch
// holds no allowed target, uniform over all allowed ones.
#pragma once

#include <vector>

#include "mcns/core/graph_stats.h"
#include "mcns/samplers/static_distribution.h"

namespace mcns {

class BatchTargets {
 public:
  explicit BatchTargets(const SamplerContext& context)
      : exclusion_(context.exclusion), popularity_(exclusion_, target_degrees(context.graph)) {}

  NodeId draw(std::span<const Pair> pairs, std::int32_t self, Rng& rng) const {
    const NodeId source = pairs[self].source;
    const auto others = static_cast<std::int64_t>(pairs.size()) - 1;
    if (others == 0) return exclusion_.draw_uniform(source, rng);
    for (int tries = 0; tries < Exclusion::kTries; ++tries) {
      auto at = static_cast<std::int64_t>(rng.below(others));
      at += at >= self;
      if (!exclusion_.excluded(source, pairs[at].target)) return pairs[at].target;
    }
    return draw_by_enumeration(pairs, self, rng);
  }

  /// Over batches of random edges: a target is in a batch as often as it is linked, so its share of
  /// the allowed targets' links, the popularity that the log-q correction needs (Yi et al. 2019).
  double log_q(NodeId source, NodeId target) const {
    return popularity_.log_q(source, target).value;
  }

 private:
  NodeId draw_by_enumeration(std::span<const Pair> pairs, std::int32_t self, Rng& rng) const {
    const NodeId source = pairs[self].source;
    std::vector<NodeId> allowed;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(pairs.size()); ++i)
      if (i != self && !exclusion_.excluded(source, pairs[i].target))
        allowed.push_back(pairs[i].target);
    if (allowed.empty()) return exclusion_.draw_uniform(source, rng);
    return allowed[rng.below(allowed.size())];
  }

  const Exclusion& exclusion_;
  StaticDistribution popularity_;
};

}  // namespace mcns
