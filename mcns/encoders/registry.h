// Factories of the encoders; registry.cpp lists them.
#pragma once

#include "mcns/core/error.h"
#include "mcns/core/spec.h"
#include "mcns/encoders/encoder.h"

namespace mcns {

std::unique_ptr<BlockEncoder> make_gcn(Spec& spec, const EncoderContext& context);
std::unique_ptr<BlockEncoder> make_graphsage(Spec& spec, const EncoderContext& context);
std::unique_ptr<BlockEncoder> make_lightgcn(Spec& spec, const EncoderContext& context);

}  // namespace mcns
