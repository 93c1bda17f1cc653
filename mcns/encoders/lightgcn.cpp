// LightGCN (He et al. 2020): h = mean over k = 0..L of S^k e, with S = D^-1/2 A D^-1/2 and free
// vectors e; no weights, no ReLU. S is symmetric, so the gradient is the same propagation of dL/dh.
// By Horner's rule, y <- e + S y, L times: two buffers and O(L x arcs x dim) a batch, whatever the
// batch; large batches are cheap. The table is exact for every batch.
#include <utility>

#include "mcns/encoders/adjacency.h"
#include "mcns/encoders/linear_encoder.h"
#include "mcns/encoders/memory.h"

namespace mcns {
namespace {

class LightGcn final : public LinearEncoder {
 public:
  LightGcn(const EncoderContext& context, int layers)
      : LinearEncoder(context),
        adjacency_(context.graph, Weighting::kSymmetric, context.pool),
        layers_(layers),
        scratch_(context.graph.num_nodes(), context.dim),
        bounds_(adjacency_.cut(kArcsPerPiece)) {}

 private:
  static constexpr EdgeId kArcsPerPiece = 8192;

  void apply(ConstMatrixRef in, MatrixRef out) override {
    const float share = 1.0F / static_cast<float>(layers_ + 1);
    // The last step must write `out`, so the first writes whichever buffer makes it come out.
    MatrixRef target = layers_ % 2 == 1 ? out : scratch_.view();
    MatrixRef other = layers_ % 2 == 1 ? scratch_.view() : out;
    ConstMatrixRef current = in;
    for (int step = 1; step <= layers_; ++step) {
      const bool last = step == layers_;
      const auto pieces = static_cast<std::int64_t>(bounds_.size()) - 1;
      pool().run(pieces, [&](std::int64_t piece) {
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
  void apply_transpose(ConstMatrixRef in, MatrixRef out) override { apply(in, out); }

  Adjacency adjacency_;
  int layers_;
  Matrix scratch_;
  std::vector<NodeId> bounds_;
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
