// The current model's score of a pair, as samplers see it: concrete, so that it inlines. Dot
// products of rows of two tables, unless a function gives the scores.
#pragma once

#include <functional>

#include "mcns/core/kernels.h"
#include "mcns/core/matrix.h"
#include "mcns/core/types.h"

namespace mcns {

/// out[i] = score of (source, targets[i]) for i < count. Called from several threads.
using ScoreFunction =
    std::function<void(NodeId source, const NodeId* targets, int count, float* out)>;

struct Scorer {
  ConstMatrixRef source, target;
  const Kernels* kernel = &kernels();
  const ScoreFunction* function = nullptr;  ///< where it is set, the tables are not read

  float operator()(NodeId u, NodeId v) const {
    if (function != nullptr) [[unlikely]] {
      float out = 0;
      (*function)(u, &v, 1, &out);
      return out;
    }
    return kernel->dot(source.row(u), target.row(v), source.stride);
  }
  /// out[i] = score of (u, nodes[i])
  void operator()(NodeId u, const NodeId* nodes, int count, float* out) const {
    if (function != nullptr) [[unlikely]]
      return (*function)(u, nodes, count, out);
    kernel->dots(source.row(u), rows(target, nodes, count), source.stride, out);
  }
  /// out[i * nodes + j] = score of (sources[i], nodes[j])
  void products(const NodeId* sources, int count, const NodeId* nodes, int targets,
                float* out) const {
    if (function != nullptr) [[unlikely]] {
      for (int i = 0; i < count; ++i, out += targets) (*function)(sources[i], nodes, targets, out);
      return;
    }
    kernel->products(rows(source, sources, count), rows(target, nodes, targets), source.stride,
                     out);
  }
  /// out[i] = score of (sources[i], nodes[i])
  void paired(const NodeId* sources, const NodeId* nodes, int count, float* out) const {
    if (function != nullptr) [[unlikely]] {
      for (int i = 0; i < count; ++i) (*function)(sources[i], nodes + i, 1, out + i);
      return;
    }
    kernel->paired_dots(rows(source, sources, count), rows(target, nodes, count), source.stride,
                        out);
  }

 private:
  static RowList rows(ConstMatrixRef table, const NodeId* nodes, int count) {
    return {table.data, static_cast<std::size_t>(table.stride), nodes, count};
  }
};

}  // namespace mcns
