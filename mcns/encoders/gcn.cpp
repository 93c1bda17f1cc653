// GCN (Kipf and Welling 2017): H' = f(D^-1/2 (A + I) D^-1/2 H W). With `fanout=all` a batch is
// computed exactly on its receptive field; with drawn neighbours the sum keeps its expectation,
// which is what makes the cost of a batch independent of the graph.
#include "mcns/encoders/conv_options.h"
#include "mcns/encoders/registry.h"

namespace mcns {

std::unique_ptr<BlockEncoder> make_gcn(Spec& spec, const EncoderContext& context) {
  return std::make_unique<ConvStack>(context,
                                     read_gcn(spec, context.dim, context.graph.num_arcs()));
}

}  // namespace mcns
