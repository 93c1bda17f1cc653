// Factories of the positives; registry.cpp lists them.
#pragma once

#include "mcns/core/spec.h"
#include "mcns/positives/positive_sampler.h"

namespace mcns {

std::unique_ptr<PositiveSampler> make_edge_positives(Spec& spec, const PositiveContext& context);
std::unique_ptr<PositiveSampler> make_walk_positives(Spec& spec, const PositiveContext& context);
std::unique_ptr<PositiveSampler> make_node2vec_positives(Spec& spec,
                                                         const PositiveContext& context);
std::unique_ptr<PositiveSampler> make_dfs_positives(Spec& spec, const PositiveContext& context);

}  // namespace mcns
