// GraphSAGE (Hamilton et al. 2017) with the mean aggregator: h_v = f([h_v W_self | mean W]), each
// half of the width. A layer for each fan-out. The table for samplers and evaluation takes all
// neighbours.
#include "mcns/encoders/conv_options.h"
#include "mcns/encoders/registry.h"

namespace mcns {

std::unique_ptr<BlockEncoder> make_graphsage(Spec& spec, const EncoderContext& context) {
  return std::make_unique<ConvStack>(context, read_graphsage(spec, context.dim));
}

}  // namespace mcns
