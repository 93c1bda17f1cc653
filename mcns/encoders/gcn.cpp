// GCN (Kipf and Welling 2017): H' = f(D^-1/2 (A + I) D^-1/2 H W). With `fanout=all` a batch is
// computed exactly on its receptive field; with drawn neighbours the sum keeps its expectation,
// which is what makes the cost of a batch independent of the graph.
#include "mcns/encoders/conv_options.h"
#include "mcns/encoders/registry.h"

namespace mcns {

std::unique_ptr<BlockEncoder> make_gcn(Spec& spec, const EncoderContext& context) {
  ConvOptions options;
  options.weighting = Weighting::kSelfLoops;
  const auto layers = static_cast<std::size_t>(spec.integer("layers", 2, 1, 16));
  options.fanouts = parse_fanouts(spec.string("fanout", "all"));
  if (options.fanouts.size() == 1) options.fanouts.resize(layers, options.fanouts[0]);
  require(options.fanouts.size() == layers, "gcn: {} layers but {} fanouts", layers,
          options.fanouts.size());
  read_widths(spec, context.dim, options);
  spec.finish();
  return std::make_unique<ConvStack>(context, options);
}

}  // namespace mcns
