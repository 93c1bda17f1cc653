// GCN and GraphSAGE as a user writes them: `gcn:layers=3`, `graphsage:fanout=25/10`.
#pragma once

#include <vector>

#include "mcns/core/component.h"
#include "mcns/encoders/conv_stack.h"

namespace mcns {

std::vector<ParameterInfo> gcn_parameters();
ConvOptions read_gcn(const Parameters& parameters, int dim);

std::vector<ParameterInfo> graphsage_parameters();
ConvOptions read_graphsage(const Parameters& parameters, int dim);

}  // namespace mcns
