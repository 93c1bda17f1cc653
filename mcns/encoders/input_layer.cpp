#include "mcns/encoders/input_layer.h"

#include "mcns/core/error.h"
#include "mcns/core/rng.h"

namespace mcns {
namespace {

constexpr std::int64_t kRowsPerPiece = 128;

}  // namespace

InputLayer::InputLayer(const EncoderContext& context, int dim)
    : features_(context.features),
      pool_(context.pool),
      table_(features_ == nullptr ? "input" : "features",
             features_ == nullptr ? context.graph.num_nodes() : features_->width(), dim,
             context.optimizer_slots),
      vectors_(dim, context.graph.num_nodes()),
      compact_(dim, table_.value.rows()),
      vector_gradients_(dim, context.graph.num_nodes()) {
  table_.dense = false;
  if (features_ != nullptr) {
    require(features_->nodes() == context.graph.num_nodes(),
            "features of {} nodes do not fit a graph of {}", features_->nodes(),
            context.graph.num_nodes());
    slot_of_feature_.assign(features_->width(), -1);
  }
  const double deviation = context.init / std::sqrt(static_cast<double>(dim));
  pool_.for_ranges(table_.value.rows(), kRowsPerPiece, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      Rng rng(context.seed, Domain::kInit, static_cast<std::uint64_t>(row));
      for (int i = 0; i < dim; ++i)
        table_.value.row(row)[i] = static_cast<float>(deviation * rng.normal());
    }
  });
}

ConstMatrixRef InputLayer::gather(std::span<const NodeId> rows) {
  RowBuffer& buffer = features_ == nullptr ? vectors_ : compact_;
  const MatrixRef out = buffer.rows(static_cast<std::int64_t>(rows.size()));
  pool_.for_ranges(out.rows, kRowsPerPiece, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      std::copy_n(table_.value.row(rows[i]), out.stride, out.row(i));
  });
  return out;
}

ConstMatrixRef InputLayer::forward(std::span<const NodeId> nodes) {
  if (features_ == nullptr) {
    table_.touched.assign(nodes.begin(), nodes.end());
    return gather(nodes);
  }
  list_features(nodes);
  const ConstMatrixRef compact = gather(table_.touched);
  const MatrixRef out = vectors_.rows(block_.outputs);
  pool_.for_ranges(out.rows, kRowsPerPiece, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::fill_n(out.row(i), out.stride, 0.0F);
      block_.aggregate(i, compact, out.row(i));
    }
  });
  return out;
}

void InputLayer::list_features(std::span<const NodeId> nodes) {
  block_.outputs = static_cast<std::int32_t>(nodes.size());
  block_.offsets.assign(1, 0);
  block_.columns.clear();
  block_.values.clear();
  table_.touched.clear();
  for (const NodeId v : nodes) {
    for (const NodeId feature : features_->columns(v)) {
      std::int32_t& slot = slot_of_feature_[feature];
      if (slot < 0) {
        slot = static_cast<std::int32_t>(table_.touched.size());
        table_.touched.push_back(feature);
      }
      block_.columns.push_back(slot);
    }
    const auto values = features_->values(v);
    block_.values.insert(block_.values.end(), values.begin(), values.end());
    block_.offsets.push_back(static_cast<EdgeId>(block_.columns.size()));
  }
  for (const NodeId feature : table_.touched) slot_of_feature_[feature] = -1;
  block_.inputs = static_cast<std::int32_t>(table_.touched.size());
}

ConstMatrixRef InputLayer::all() {
  if (features_ == nullptr) return table_.value.view();
  if (all_.empty()) all_ = Matrix(features_->nodes(), dim());
  const MatrixRef out = all_.view();
  pool_.for_ranges(out.rows, kRowsPerPiece, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t v = begin; v < end; ++v) {
      const auto columns = features_->columns(static_cast<NodeId>(v));
      std::fill_n(out.row(v), out.stride, 0.0F);
      kernels().accumulate(out.row(v),
                           {table_.value.data(), static_cast<std::size_t>(table_.value.stride()),
                            columns.data(), static_cast<int>(columns.size())},
                           features_->values(static_cast<NodeId>(v)).data(), out.stride);
    }
  });
  return out;
}

MatrixRef InputLayer::gradients(std::int64_t rows) {
  return (features_ == nullptr ? table_.gradient : vector_gradients_).rows(rows);
}

void InputLayer::backward() {
  if (features_ == nullptr) return;
  block_.give_back(vector_gradients_.view(block_.outputs), table_.gradient.rows(block_.inputs), 0,
                   pool_);
}

}  // namespace mcns
