// What a graph neural encoder allocates for a whole run, from its settings alone. The buffers of a
// batch are those of its receptive field, whose nodes are counted as if all were equally likely:
// popular ones come more often and make it smaller.
#pragma once

#include <cstdint>
#include <string>

#include "mcns/core/graph.h"

namespace mcns {

struct EncoderBytes {
  std::uint64_t parameters = 0;    ///< without gradients and optimizer state
  std::uint64_t tables = 0;        ///< current vectors, and what computing all of them takes
  std::uint64_t coefficients = 0;  ///< of the arcs
  std::uint64_t batch = 0;         ///< blocks, vectors and gradients of a batch
};

/// `batch_draws`: sources, targets and negatives of a batch, repeated ones counted as often.
EncoderBytes encoder_bytes(const std::string& spec, const Graph& graph, int dim,
                           std::int64_t batch_draws);

}  // namespace mcns
