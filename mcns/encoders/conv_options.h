// Parameters that GCN and GraphSAGE share, read from a spec.
#pragma once

#include "mcns/core/spec.h"
#include "mcns/encoders/conv_stack.h"

namespace mcns {

/// Widths, start and normalisation.
void read_widths(Spec& spec, int dim, ConvOptions& options);
/// `25/10`: a number for each layer; `all` or 0 takes all neighbours.
std::vector<int> parse_fanouts(const std::string& text);

}  // namespace mcns
