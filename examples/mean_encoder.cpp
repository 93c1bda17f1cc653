// mean: h_v = e_v + share * (mean of e_u over v's neighbours u), with a free vector e for every
// node: rare nodes learn from their neighbours. h = P e, and the gradient of e is P^T dL/dh, with
// P^T g = g_u + share * sum over u's neighbours v of g_v / deg(v). O(arcs x dim) a batch.
#include "mcns/encoders/linear_encoder.h"
#include "mcns/encoders/registry.h"

namespace mcns {
namespace {

class Mean final : public LinearEncoder {
 public:
  Mean(double share, const EncoderContext& context)
      : LinearEncoder(context), share_(static_cast<float>(share)), graph_(context.graph) {
    require(!graph_.is_directed(), "mean needs an undirected graph");
  }

 private:
  void apply(ConstMatrixRef in, MatrixRef out) override {
    for_nodes([&](NodeId v) { add_neighbors(v, in, out, [&](NodeId) { return v; }); });
  }
  void apply_transpose(ConstMatrixRef in, MatrixRef out) override {
    for_nodes([&](NodeId v) { add_neighbors(v, in, out, [&](NodeId u) { return u; }); });
  }

  /// Row v of `out`: that of `in`, and its neighbours', each divided by the degree of divisor(u).
  template <class Divisor>
  void add_neighbors(NodeId v, ConstMatrixRef in, MatrixRef out, const Divisor& divisor) const {
    std::copy_n(in.row(v), out.stride, out.row(v));
    for (const NodeId u : graph_.neighbors(v)) {
      const float factor = share_ / static_cast<float>(graph_.degree(divisor(u)));
      for (int d = 0; d < out.stride; ++d) out.row(v)[d] += factor * in.row(u)[d];
    }
  }

  float share_;
  const Graph& graph_;
};

}  // namespace

EncoderEntry mean_encoder() {
  EncoderEntry entry{{"mean",
                      "a free vector plus the mean of the neighbours'",
                      {number_parameter("share", "1", {0, 100}, "weight of the neighbours")}}};
  entry.make = [](const Parameters& p, const EncoderContext& context) {
    return std::make_unique<Mean>(p.number("share"), context);
  };
  entry.bytes = [](const Parameters&, const EncoderSizes& s) {
    const std::uint64_t table = s.graph.num_nodes() * padded(s.dim) * sizeof(float);
    return EncoderBytes{.parameters = table, .tables = table, .batch = 4 * table};
  };
  return entry;
}

}  // namespace mcns
