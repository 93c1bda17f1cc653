// A network with `--tables 2`: its vectors are the nodes', and each node has a free vector beside
// it for when it is a context, as in skip-gram. Scores of pairs are of a node and a context.
#pragma once

#include "mcns/encoders/parameter.h"

namespace mcns {

class TwoTables final : public BlockEncoder {
 public:
  TwoTables(std::unique_ptr<BlockEncoder> network, const EncoderContext& context);

  ConstMatrixRef node_table() const override { return network_->node_table(); }
  ConstMatrixRef context_table() const override { return contexts_.value.view(); }
  bool has_context() const override { return true; }
  Parameter* contexts() override { return &contexts_; }

  void refresh() override { network_->refresh(); }
  void begin_batch() override { network_->begin_batch(); }
  void forward(BatchKey key, std::span<const NodeId> nodes, MatrixRef out) override {
    network_->forward(key, nodes, out);
  }
  void backward(ConstMatrixRef gradients) override { network_->backward(gradients); }
  void update(const Optimizer& optimizer, Tick tick) override;
  void visit_parameters(const VisitParameter& visit) override;
  void visit_gradients(const VisitGradient& visit) const override;
  void visit_state(Archive& archive) override;

 private:
  std::unique_ptr<BlockEncoder> network_;
  ThreadPool& pool_;
  Parameter contexts_;  ///< its gradient has the rows that a batch touched
};

}  // namespace mcns
