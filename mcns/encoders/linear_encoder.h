// Base of encoders whose table is a linear map of free vectors, h = P e: LightGCN, and others
// without weights. A derived class says how to apply P and its transpose; both run over all nodes,
// so a batch costs the same whatever its size, and large batches are cheap. The table is exact for
// every batch.
#pragma once

#include <memory>
#include <vector>

#include "mcns/encoders/encoder.h"

namespace mcns {

class InputLayer;

class LinearEncoder : public Encoder {
 public:
  explicit LinearEncoder(const EncoderContext& context);
  ~LinearEncoder() override;

  ConstMatrixRef node_table() const override { return table_.view(); }
  void refresh() override;
  bool begin_batch() override {
    const bool stale = !exact_;
    refresh();
    return stale;
  }
  void forward(BatchKey key, std::span<const NodeId> nodes, MatrixRef out) override;
  void backward(ConstMatrixRef gradients) override;
  void update(const Optimizer& optimizer, Tick tick) override;
  void visit_parameters(const VisitParameter& visit) override;
  void visit_gradients(const VisitGradient& visit) const override;
  void visit_state(Archive& archive) override;

 protected:
  /// out = P in and out = P^T in, over all nodes; sums in an order that does not depend on threads.
  virtual void apply(ConstMatrixRef in, MatrixRef out) = 0;
  virtual void apply_transpose(ConstMatrixRef in, MatrixRef out) = 0;

  /// Calls row(v) for every node; one thread owns a node's row.
  template <class Row>
  void for_nodes(const Row& row) const {
    pool_.for_ranges(table_.rows(), kRowsPerPiece, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t v = begin; v < end; ++v) row(static_cast<NodeId>(v));
    });
  }
  ThreadPool& pool() const { return pool_; }

 private:
  static constexpr std::int64_t kRowsPerPiece = 128;

  ThreadPool& pool_;
  std::unique_ptr<InputLayer> input_;  ///< the free vectors
  Matrix table_, spread_;
  std::vector<NodeId> nodes_;
  bool exact_ = false;
};

}  // namespace mcns
