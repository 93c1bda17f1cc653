// GCN (Kipf and Welling 2017): H' = f(D^-1/2 (A + I) D^-1/2 H W). With `fanout=all` a batch is
// computed exactly on its receptive field; with drawn neighbours the sum keeps its expectation,
// which is what makes the cost of a batch independent of the graph.
#include "mcns/encoders/conv_options.h"
#include "mcns/encoders/memory.h"

namespace mcns {

EncoderEntry gcn_encoder() {
  EncoderEntry entry{
      {"gcn", "graph convolutions, symmetric normalisation with self loops", gcn_parameters()}};
  entry.reads_features = true;
  entry.make = [](const Parameters& p, const EncoderContext& context) {
    return std::make_unique<ConvStack>(context, read_gcn(p, context.dim));
  };
  entry.bytes = [](const Parameters& p, const EncoderSizes& s) {
    return convolution_bytes(read_gcn(p, s.dim), s);
  };
  return entry;
}

}  // namespace mcns
