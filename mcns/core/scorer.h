// The current model's score of a pair, as samplers see it: concrete, so that it inlines.
#pragma once

#include "mcns/core/kernels.h"
#include "mcns/core/matrix.h"
#include "mcns/core/types.h"

namespace mcns {

struct Scorer {
  ConstMatrixRef source, target;
  const Kernels* kernel = &kernels();

  float operator()(NodeId u, NodeId v) const {
    return kernel->dot(source.row(u), target.row(v), source.stride);
  }
  /// out[i] = score of (u, nodes[i])
  void operator()(NodeId u, const NodeId* nodes, int count, float* out) const {
    kernel->dots(source.row(u),
                 {target.data, static_cast<std::size_t>(target.stride), nodes, count},
                 source.stride, out);
  }
};

}  // namespace mcns
