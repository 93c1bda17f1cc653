// GraphSAGE (Hamilton et al. 2017) with the mean aggregator: h_v = f([h_v W_self | mean W]), each
// half of the width. A layer for each fan-out. The table for samplers and evaluation takes all
// neighbours.
#include "mcns/encoders/conv_options.h"
#include "mcns/encoders/memory.h"

namespace mcns {

EncoderEntry graphsage_encoder() {
  EncoderEntry entry{
      {"graphsage", "self and mean of drawn neighbours, concatenated", graphsage_parameters()}};
  entry.reads_features = true;
  entry.make = [](const Parameters& p, const EncoderContext& context) {
    return std::make_unique<ConvStack>(context, read_graphsage(p, context.dim));
  };
  entry.bytes = [](const Parameters& p, const EncoderSizes& s) {
    return convolution_bytes(read_graphsage(p, s.dim), s);
  };
  return entry;
}

}  // namespace mcns
