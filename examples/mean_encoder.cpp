// mean: h_v = e_v + share * (mean of e_u over v's neighbours u), with a free vector e for every
// node. One propagation and no weights, so that rare nodes learn from their neighbours.
//
// dL/de_u = g_u + share * sum over u's neighbours v of g_v / deg(v), with g = dL/dh. Every node is
// computed for every batch: O(arcs x dim), whatever the batch; large batches are cheap.
#include "mcns/core/rng.h"
#include "mcns/encoders/parameter.h"
#include "mcns/encoders/registry.h"

namespace mcns {
namespace {

class Mean final : public Encoder {
 public:
  Mean(double share, const EncoderContext& context)
      : share_(static_cast<float>(share)),
        graph_(context.graph),
        pool_(context.pool),
        free_("input", graph_.num_nodes(), context.dim, context.optimizer_slots),
        table_(graph_.num_nodes(), context.dim),
        spread_(graph_.num_nodes(), context.dim) {
    require(!graph_.is_directed(), "mean needs an undirected graph");
    const double deviation = context.init / std::sqrt(context.dim);
    for (NodeId v = 0; v < graph_.num_nodes(); ++v) {
      Rng rng(context.seed, Domain::kInit, v);
      for (int d = 0; d < context.dim; ++d)
        free_.value.row(v)[d] = static_cast<float>(deviation * rng.normal());
    }
  }

  ConstMatrixRef node_table() const override { return table_.view(); }
  void refresh() override {
    for_nodes([&](NodeId v) {
      std::copy_n(free_.value.row(v), table_.stride(), table_.row(v));
      for (const NodeId u : graph_.neighbors(v))
        add(share_of(v), free_.value.row(u), table_.row(v));
    });
  }
  void begin_batch() override { refresh(); }

  void forward(BatchKey, std::span<const NodeId> nodes, MatrixRef out) override {
    nodes_.assign(nodes.begin(), nodes.end());
    for (std::int64_t i = 0; i < out.rows; ++i)
      std::copy_n(table_.row(nodes_[i]), out.stride, out.row(i));
  }
  void backward(ConstMatrixRef gradients) override {
    std::fill_n(spread_.data(), spread_.size(), 0.0F);
    for (std::int64_t i = 0; i < gradients.rows; ++i)
      std::copy_n(gradients.row(i), gradients.stride, spread_.row(nodes_[i]));
    const MatrixRef out = free_.gradient.rows(table_.rows());
    for_nodes([&](NodeId u) {
      std::copy_n(spread_.row(u), out.stride, out.row(u));
      for (const NodeId v : graph_.neighbors(u)) add(share_of(v), spread_.row(v), out.row(u));
    });
  }
  void update(const Optimizer& optimizer, Tick tick) override {
    free_.update(optimizer, tick, pool_);
  }

  void visit_parameters(const VisitParameter& visit) override { visit(free_.name, free_.value); }
  void visit_gradients(const VisitGradient& visit) const override { free_.visit_gradient(visit); }
  void visit_state(Archive& archive) override { free_.visit_state(archive); }

 private:
  float share_of(NodeId v) const { return share_ / static_cast<float>(graph_.degree(v)); }
  void add(float factor, const float* x, float* y) const {
    for (int d = 0; d < table_.stride(); ++d) y[d] += factor * x[d];
  }
  /// One owner for each row, so that sums are the same for any number of threads.
  template <class Body>
  void for_nodes(const Body& body) {
    pool_.for_ranges(graph_.num_nodes(), 256, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t v = begin; v < end; ++v) body(static_cast<NodeId>(v));
    });
  }

  float share_;
  const Graph& graph_;
  ThreadPool& pool_;
  Parameter free_;
  Matrix table_, spread_;
  std::vector<NodeId> nodes_;
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
    const std::uint64_t row = padded(s.dim) * sizeof(float), table = s.graph.num_nodes() * row;
    const std::uint64_t batch = std::min<std::uint64_t>(s.batch_draws * row, table);
    return EncoderBytes{.parameters = table, .tables = table, .batch = 2 * table + 2 * batch};
  };
  return entry;
}

}  // namespace mcns
