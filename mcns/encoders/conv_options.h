// GCN and GraphSAGE as a user writes them: `gcn:layers=3`, `graphsage:fanout=25/10`.
#pragma once

#include "mcns/core/spec.h"
#include "mcns/encoders/conv_stack.h"

namespace mcns {

/// All parameters of `gcn` and of `graphsage`; leftovers are an error.
ConvOptions read_gcn(Spec& spec, int dim, EdgeId arcs);
ConvOptions read_graphsage(Spec& spec, int dim);

}  // namespace mcns
