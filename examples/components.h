// The components of this folder.
#pragma once

#include "mcns/encoders/registry.h"
#include "mcns/losses/registry.h"
#include "mcns/samplers/registry.h"

namespace mcns {

SamplerEntry two_hop_sampler();
EncoderEntry mean_encoder();

}  // namespace mcns
