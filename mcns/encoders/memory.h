// What a graph neural encoder allocates for a whole run, from its settings alone. The buffers of a
// batch are those of its receptive field, whose nodes are counted as if all were equally likely:
// popular ones come more often and make it smaller.
#pragma once

#include "mcns/encoders/conv_stack.h"
#include "mcns/encoders/registry.h"

namespace mcns {

EncoderBytes convolution_bytes(const ConvOptions& options, const EncoderSizes& sizes);

/// Of a matrix with a row for every node, and of the arcs' coefficients.
std::uint64_t node_matrix_bytes(const Graph& graph, int dim);
std::uint64_t arc_bytes(const Graph& graph);
/// Pairs are scored on copies of their nodes' vectors, which have gradients.
std::uint64_t batch_vector_bytes(const EncoderSizes& sizes);

}  // namespace mcns
