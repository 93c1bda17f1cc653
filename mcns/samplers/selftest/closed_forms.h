// Closed forms of distributions that samplers draw from, written a second time, the slow and
// obvious way, from the edges and the scores alone. No sampler's own log q is asked. Forms that one
// sampler alone has are in its own file.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mcns/samplers/self_contrast.h"
#include "mcns/samplers/selftest/case.h"

namespace mcns {

/// p ~ weight(v) over the targets that the source may have.
Distribution distribution_of_weights(const SelftestWorld& world, NodeId source,
                                     const std::function<double(NodeId)>& weight);

Distribution uniform_distribution(const SelftestWorld& world, NodeId source);
/// Weighted degree to a power. A node without links weighs 0 for a power above 0, else 1; below 0,
/// a degree counts as at least 1. Where nothing allowed weighs anything, uniform.
Distribution degree_distribution(const SelftestWorld& world, NodeId source, double power);
/// The highest (lowest) of `candidates` uniform draws: F(s)^S - F(s-)^S, shared among ties. Of 2.3
/// draws: of 3 with probability 0.3, else of 2.
Distribution best_of_distribution(const SelftestWorld& world, NodeId source, double candidates,
                                  bool highest);
/// max(s, floor)^alpha, exp(alpha / (1 - alpha) s), or best_of_distribution.
Distribution self_contrast_form(const SelftestWorld& world, NodeId source,
                                const SelfContrast& target);
/// The same where draws come from degree_distribution in place of uniform ones; not for form=paper.
Distribution from_degree(const SelftestWorld& world, NodeId source, const SelfContrast& target,
                         double power);

/// Of so many uniform candidates one is taken, the i-th with probability shares(scores)[i]: by
/// going through all lists of candidates, targets^candidates of them.
Distribution distribution_of_candidates(
    const SelftestWorld& world, NodeId source, int candidates,
    const std::function<std::vector<double>(std::span<const double>)>& shares);

/// Weight of the i-th arc of v, and the sum of a node's.
double arc_weight(const Graph& graph, NodeId v, std::size_t i);
double degree_by_hand(const Graph& graph, NodeId v);

}  // namespace mcns
