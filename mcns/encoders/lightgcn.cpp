// LightGCN (He et al. 2020): h = mean over k = 0..L of S^k e, with S = D^-1/2 A D^-1/2 and free
// vectors e; no weights, no ReLU. S is symmetric, so the gradient is the same propagation of dL/dh.
// By Horner's rule, y <- e + S y, L times: two buffers and O(L x arcs x dim) a batch, whatever the
// batch; large batches are cheap. The table is exact for every batch.
#include <utility>

#include "mcns/core/rng.h"
#include "mcns/encoders/adjacency.h"
#include "mcns/encoders/input_layer.h"
#include "mcns/encoders/memory.h"

namespace mcns {
namespace {

class LightGcn final : public Encoder {
 public:
  LightGcn(const EncoderContext& context, int layers)
      : adjacency_(context.graph, Weighting::kSymmetric, context.pool),
        pool_(context.pool),
        layers_(layers),
        input_(context, context.dim),
        table_(context.graph.num_nodes(), context.dim),
        scratch_(context.graph.num_nodes(), context.dim),
        spread_(context.graph.num_nodes(), context.dim),
        bounds_(adjacency_.cut(kArcsPerPiece)) {
    input_.parameter().dense = true;
  }

  ConstMatrixRef node_table() const override { return table_.view(); }

  void refresh() override {
    if (exact_) return;
    propagate(input_.parameter().value.view(), table_);
    exact_ = true;
  }
  void begin_batch() override { refresh(); }

  void forward(BatchKey, std::span<const NodeId> nodes, MatrixRef out) override {
    refresh();
    nodes_.assign(nodes.begin(), nodes.end());
    pool_.for_ranges(out.rows, kRowsPerPiece, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        std::copy_n(table_.row(nodes_[i]), out.stride, out.row(i));
    });
  }

  void backward(ConstMatrixRef gradients) override {
    pool_.for_ranges(gradients.rows, kRowsPerPiece, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        std::copy_n(gradients.row(i), gradients.stride, spread_.row(nodes_[i]));
    });
    const MatrixRef out = input_.parameter().gradient.rows(table_.rows());
    propagate(spread_.view(), out);
    pool_.for_ranges(gradients.rows, kRowsPerPiece, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        std::fill_n(spread_.row(nodes_[i]), spread_.stride(), 0.0F);
    });
  }

  void update(const Optimizer& optimizer, Tick tick) override {
    input_.parameter().update(optimizer, tick, pool_);
    exact_ = false;
  }

  void visit_parameters(const VisitParameter& visit) override {
    visit(input_.parameter().name, input_.parameter().value);
    exact_ = false;
  }
  void visit_gradients(const VisitGradient& visit) const override {
    input_.parameter().visit_gradient(visit);
  }
  void visit_state(Archive& archive) override {
    input_.parameter().visit_state(archive);
    if (archive.is_loading()) exact_ = false;
  }

 private:
  static constexpr EdgeId kArcsPerPiece = 8192;
  static constexpr std::int64_t kRowsPerPiece = 128;

  void propagate(ConstMatrixRef in, Matrix& out) { propagate(in, out.view()); }

  void propagate(ConstMatrixRef in, MatrixRef out) {
    const float share = 1.0F / static_cast<float>(layers_ + 1);
    // The last step must write `out`, so the first writes whichever buffer makes it come out.
    MatrixRef target = layers_ % 2 == 1 ? out : scratch_.view();
    MatrixRef other = layers_ % 2 == 1 ? scratch_.view() : out;
    ConstMatrixRef current = in;
    for (int step = 1; step <= layers_; ++step) {
      const bool last = step == layers_;
      const auto pieces = static_cast<std::int64_t>(bounds_.size()) - 1;
      pool_.run(pieces, [&](std::int64_t piece) {
        for (NodeId v = bounds_[piece]; v < bounds_[piece + 1]; ++v) {
          float* y = target.row(v);
          std::copy_n(in.row(v), target.stride, y);
          adjacency_.aggregate(v, current, y);
          if (last)
            for (int d = 0; d < target.stride; ++d) y[d] *= share;
        }
      });
      current = target;
      std::swap(target, other);
    }
  }

  Adjacency adjacency_;
  ThreadPool& pool_;
  int layers_;
  InputLayer input_;
  Matrix table_, scratch_, spread_;
  std::vector<NodeId> bounds_, nodes_;
  bool exact_ = false;
};

}  // namespace

EncoderEntry lightgcn_encoder() {
  EncoderEntry entry{{"lightgcn",
                      "mean of propagated free vectors, no weights",
                      {integer_parameter("layers", "3", {1, 16}, "propagations")}}};
  entry.make = [](const Parameters& p, const EncoderContext& context) {
    return std::make_unique<LightGcn>(context, p.small("layers"));
  };
  entry.bytes = [](const Parameters&, const EncoderSizes& s) {
    const std::uint64_t table = node_matrix_bytes(s.graph, s.dim);
    return EncoderBytes{table, 2 * table, arc_bytes(s.graph), 2 * table + batch_vector_bytes(s)};
  };
  return entry;
}

}  // namespace mcns
