// Factories of the samplers; registry.cpp lists them.
#pragma once

#include "mcns/core/spec.h"
#include "mcns/samplers/negative_sampler.h"

namespace mcns {

std::unique_ptr<NegativeSampler> make_rns(Spec& spec, const SamplerContext& context);
std::unique_ptr<NegativeSampler> make_mcns(Spec& spec, const SamplerContext& context);
std::unique_ptr<NegativeSampler> make_degree(Spec& spec, const SamplerContext& context);
std::unique_ptr<NegativeSampler> make_wrmf(Spec& spec, const SamplerContext& context);
std::unique_ptr<NegativeSampler> make_pinsage(Spec& spec, const SamplerContext& context);
std::unique_ptr<NegativeSampler> make_warp(Spec& spec, const SamplerContext& context);
std::unique_ptr<NegativeSampler> make_dns(Spec& spec, const SamplerContext& context);
std::unique_ptr<NegativeSampler> make_inverse_dns(Spec& spec, const SamplerContext& context);
std::unique_ptr<NegativeSampler> make_self_adversarial(Spec& spec, const SamplerContext& context);
std::unique_ptr<NegativeSampler> make_in_batch(Spec& spec, const SamplerContext& context);
std::unique_ptr<NegativeSampler> make_file_list(Spec& spec, const SamplerContext& context);
std::unique_ptr<NegativeSampler> make_mixture(Spec& spec, const SamplerContext& context);

/// The samplers that `mix:...` is made of.
struct MixedSampler {
  std::string spec;
  double share;  ///< of the negatives, at most
};
std::vector<MixedSampler> mixed_samplers(const std::string& text);
std::unique_ptr<NegativeSampler> make_irgan(Spec& spec, const SamplerContext& context);
std::unique_ptr<NegativeSampler> make_kbgan(Spec& spec, const SamplerContext& context);
std::unique_ptr<NegativeSampler> make_exact(Spec& spec, const SamplerContext& context);

}  // namespace mcns
