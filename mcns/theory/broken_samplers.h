// Samplers with a defect each, of the kind that goes unnoticed in training: what the self-test must
// find, else it tests nothing.
#pragma once

#include <memory>

#include "mcns/samplers/negative_sampler.h"

namespace mcns {

/// Uniform but for this: a draw that is excluded moves on to the next allowed target, which so gets
/// the mass of the excluded ones before it.
std::unique_ptr<NegativeSampler> make_biased_uniform(const SamplerContext& context);

/// DNS that keeps the second best of its candidates.
std::unique_ptr<NegativeSampler> make_second_best(const SamplerContext& context, int candidates);

enum class ChainDefect {
  kNone,          ///< a correct chain: the control
  kNoRatio,       ///< walks are proposed as if q(x|y) = q(y|x): drawn to nodes of high degree
  kLastProposal,  ///< gives the last proposal, accepted or not
};
/// Metropolis-Hastings to exp(s) over the allowed targets: ten steps a negative, half of the
/// proposals uniform, half to a neighbour by weight.
std::unique_ptr<NegativeSampler> make_plain_chain(const SamplerContext& context,
                                                  ChainDefect defect);

}  // namespace mcns
