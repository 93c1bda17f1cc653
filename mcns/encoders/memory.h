// What a graph neural encoder allocates for a whole run, from its settings alone. The buffers of a
// batch are bounded by the largest receptive field it can have.
#pragma once

#include <cstdint>
#include <string>

#include "mcns/core/graph.h"

namespace mcns {

struct EncoderBytes {
  std::uint64_t parameters = 0;    ///< without gradients and optimizer state
  std::uint64_t tables = 0;        ///< current vectors, and what computing all of them takes
  std::uint64_t coefficients = 0;  ///< of the arcs
  std::uint64_t batch = 0;         ///< at most: blocks, vectors and gradients of a batch
};

/// `batch_nodes`: distinct nodes of a batch, at most.
EncoderBytes encoder_bytes(const std::string& spec, const Graph& graph, int dim,
                           std::int64_t batch_nodes);

}  // namespace mcns
