// What the first layer of a network reads: a free vector for every node, or x_v = sum of f_vj P_j
// over v's given features, P learned. The second is what carries over to nodes never seen in
// training.
#pragma once

#include <span>

#include "mcns/core/features.h"
#include "mcns/encoders/block.h"
#include "mcns/encoders/parameter.h"

namespace mcns {

class InputLayer {
 public:
  /// First values are normal with an expected length of context.init.
  InputLayer(const EncoderContext& context, int dim);

  int dim() const { return table_.value.dim(); }
  /// Vectors of distinct nodes; the view is valid until the next call.
  ConstMatrixRef forward(std::span<const NodeId> nodes);
  /// Vectors of all nodes.
  ConstMatrixRef all();
  /// Where the caller puts the gradients of the last forward's rows before backward().
  MatrixRef gradients(std::int64_t rows);
  void backward();

  Parameter& parameter() { return table_; }
  const Parameter& parameter() const { return table_; }

 private:
  ConstMatrixRef gather(std::span<const NodeId> nodes);
  void list_features(std::span<const NodeId> nodes);

  const Features* features_;
  ThreadPool& pool_;
  Parameter table_;
  RowBuffer vectors_, compact_, vector_gradients_;
  Block block_;  ///< nodes over the features they have, renumbered
  std::vector<std::int32_t> slot_of_feature_;
  Matrix all_;
};

}  // namespace mcns
