// GraphSAGE (Hamilton et al. 2017) with the mean aggregator: h_v = f([h_v W_self | mean W]), each
// half of the width. A layer for each fan-out. The table for samplers and evaluation takes all
// neighbours.
#include "mcns/encoders/conv_options.h"
#include "mcns/encoders/registry.h"

namespace mcns {

std::unique_ptr<BlockEncoder> make_graphsage(Spec& spec, const EncoderContext& context) {
  ConvOptions options;
  options.weighting = Weighting::kMean;
  options.self_weights = true;
  options.fanouts = parse_fanouts(spec.string("fanout", "25/10"));
  read_widths(spec, context.dim, options);
  spec.finish();
  return std::make_unique<ConvStack>(context, options);
}

}  // namespace mcns
