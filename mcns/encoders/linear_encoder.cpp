#include "mcns/encoders/linear_encoder.h"

#include <algorithm>

#include "mcns/encoders/input_layer.h"

namespace mcns {

LinearEncoder::LinearEncoder(const EncoderContext& context)
    : pool_(context.pool),
      input_(std::make_unique<InputLayer>(context, context.dim)),
      table_(context.graph.num_nodes(), context.dim),
      spread_(context.graph.num_nodes(), context.dim) {
  input_->parameter().dense = true;
}

LinearEncoder::~LinearEncoder() = default;

void LinearEncoder::refresh() {
  if (exact_) return;
  apply(input_->parameter().value.view(), table_.view());
  exact_ = true;
}

void LinearEncoder::forward(BatchKey, std::span<const NodeId> nodes, MatrixRef out) {
  refresh();
  nodes_.assign(nodes.begin(), nodes.end());
  pool_.for_ranges(out.rows, kRowsPerPiece, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      std::copy_n(table_.row(nodes_[i]), out.stride, out.row(i));
  });
}

void LinearEncoder::backward(ConstMatrixRef gradients) {
  pool_.for_ranges(gradients.rows, kRowsPerPiece, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      std::copy_n(gradients.row(i), gradients.stride, spread_.row(nodes_[i]));
  });
  apply_transpose(spread_.view(), input_->parameter().gradient.rows(table_.rows()));
  pool_.for_ranges(gradients.rows, kRowsPerPiece, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      std::fill_n(spread_.row(nodes_[i]), spread_.stride(), 0.0F);
  });
}

void LinearEncoder::update(const Optimizer& optimizer, Tick tick) {
  input_->parameter().update(optimizer, tick, pool_);
  exact_ = false;
}

void LinearEncoder::visit_parameters(const VisitParameter& visit) {
  visit(input_->parameter().name, input_->parameter().value);
  exact_ = false;
}

void LinearEncoder::visit_gradients(const VisitGradient& visit) const {
  input_->parameter().visit_gradient(visit);
}

void LinearEncoder::visit_state(Archive& archive) {
  input_->parameter().visit_state(archive);
  if (archive.is_loading()) exact_ = false;
}

}  // namespace mcns
