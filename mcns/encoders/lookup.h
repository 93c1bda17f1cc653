// The lookup encoder: an embedding table, or a node and a context table, kept as one matrix of
// parameters. Row v is node v's vector; with two tables row nodes + v is its context vector. So the
// paper's unique-embedding transformation is an identity here: the split bipartite graph with one
// table has the same rows as the original with two.
#pragma once

#include <string>

#include "mcns/core/archive.h"
#include "mcns/core/graph.h"
#include "mcns/core/matrix.h"
#include "mcns/core/rng.h"
#include "mcns/encoders/encoder.h"

namespace mcns {

struct LookupOptions {
  int dim = 64;
  bool two_tables = false;
  double init = 0.1;  ///< standard deviation of the first values, times sqrt(dim)
};

class Lookup final : public Encoder {
 public:
  /// Without a pool, update() runs on the calling thread.
  Lookup(NodeId nodes, const LookupOptions& options, int optimizer_slots, std::uint64_t seed,
         ThreadPool* pool = nullptr);

  NodeId nodes() const { return nodes_; }
  bool has_context() const override { return parameters_.rows() > nodes_; }
  std::int64_t rows() const override { return parameters_.rows(); }
  NodeId target_row(NodeId v) const override { return v + context_offset_; }

  Matrix& parameters() { return parameters_; }
  const Matrix& parameters() const { return parameters_; }
  float* state(std::int64_t row) { return state_.empty() ? nullptr : state_.row(row); }

  ConstMatrixRef node_table() const override { return table(0); }
  ConstMatrixRef context_table() const override { return table(context_offset_); }

  void visit_parameters(const VisitParameter& visit) override { visit("parameters", parameters_); }
  void visit_state(Archive& archive) override;

  Lookup* in_place() override { return this; }
  void forward(BatchKey key, std::span<const NodeId> rows, MatrixRef out) override;
  /// forward() without the vectors: the rows that gradients will come back for.
  void select(std::span<const NodeId> rows) { batch_rows_ = rows; }
  void backward(ConstMatrixRef gradients) override { gradients_ = gradients; }
  void update(const Optimizer& optimizer, Tick tick) override;
  void visit_gradients(const VisitGradient& visit) const override;

 private:
  ConstMatrixRef table(NodeId first) const {
    return {parameters_.row(first), nodes_, parameters_.dim(), parameters_.stride()};
  }

  template <class F>
  void for_rows(const F& f, const Matrix* other = nullptr) const;

  NodeId nodes_, context_offset_;
  Matrix parameters_, state_;
  ThreadPool* pool_;
  std::span<const NodeId> batch_rows_;  ///< of the last forward
  ConstMatrixRef gradients_;            ///< of the last backward
};

}  // namespace mcns
