// The batch step of graph neural encoders: the same bits for any number of threads.
//
// Negatives are drawn against the encoder's table. The distinct nodes of the batch go through the
// encoder once, pairs are scored on their vectors (pair_gradients.h), and the gradients of the
// vectors go back through the encoder, whose parameters are updated last. With two tables only the
// sources go through it, and the rows of the targets' contexts follow theirs.
#include <chrono>

#include "mcns/encoders/dense.h"
#include "mcns/encoders/parameter.h"
#include "mcns/train/pair_gradients.h"
#include "mcns/train/step.h"

namespace mcns {
namespace {

template <class LossFn>
class GnnStep final : public Step {
 public:
  GnnStep(const StepParts& parts, BlockEncoder& encoder, bool fresh_scores, LossFn loss)
      : encoder_(encoder),
        fresh_scores_(fresh_scores),
        sampling_(parts.sampler, parts.negatives, static_cast<NodeId>(table().rows), parts.pool,
                  parts.sampling),
        optimizer_(parts.optimizer),
        gradients_(loss, sampling_, parts.l2, tables() * table().rows, table().stride, parts.pool),
        pool_(parts.pool),
        slots_{table().rows},
        context_slots_{encoder.has_context() ? table().rows : 0},
        vectors_(table().dim, tables() * table().rows),
        vector_gradients_(table().dim, tables() * table().rows) {}

  void run(BatchKey key, const PairBatch& batch, float lr, StepTotals& totals) override {
    const auto start = std::chrono::steady_clock::now();
    if (fresh_scores_) encoder_.refresh();
    encoder_.begin_batch();
    sampling_.run(key, batch, encoder_.scorer());
    list_nodes(batch);
    const auto nodes = static_cast<std::int64_t>(slots_.nodes.size()),
               contexts = static_cast<std::int64_t>(context_slots_.nodes.size());
    const MatrixRef vectors = vectors_.rows(nodes + contexts);
    const MatrixRef out = vector_gradients_.rows(vectors.rows);
    encoder_.forward(key, slots_.nodes, rows_of(vectors, 0, nodes));
    copy_rows(rows_of(vectors, nodes, vectors.rows), encoder_.context_table(),
              context_slots_.nodes);
    totals.loss += gradients_.score(key, vectors.data);
    sampling_.add_to(totals, key, batch);
    if (sampling_.wants_feedback()) sampling_.feedback(key, batch, gradients_.scores());
    const auto keep = [&](NodeId row, const float* gradient) {
      std::copy_n(gradient, out.stride, out.row(row));
    };
    gradients_.targets(vectors.data, keep);
    gradients_.sources(keep);
    encoder_.backward(rows_of(out, 0, nodes));
    if (Parameter* const parameter = encoder_.contexts()) {
      parameter->touched = context_slots_.nodes;
      const MatrixRef gradient = parameter->gradient.rows(contexts);
      std::copy_n(out.row(nodes), contexts * out.stride, gradient.row(0));
    }
    encoder_.update(optimizer_, {lr, ++steps_});
    totals.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void visit_state(Archive& archive) override { archive("steps", steps_); }

 private:
  ConstMatrixRef table() const { return encoder_.node_table(); }

  int tables() const { return encoder_.has_context() ? 2 : 1; }

  /// Distinct nodes in order of appearance.
  struct Slots {
    explicit Slots(std::int64_t count) : slot(count, -1) {}
    void add(NodeId v) {
      if (slot[v] >= 0) return;
      slot[v] = static_cast<NodeId>(nodes.size());
      nodes.push_back(v);
    }
    void clear() {
      for (const NodeId v : nodes) slot[v] = -1;
      nodes.clear();
    }
    std::vector<NodeId> slot, nodes;
  };

  /// The batch's nodes, and rows of theirs for the pairs.
  void list_nodes(const PairBatch& batch) {
    slots_.clear();
    context_slots_.clear();
    Slots& targets = encoder_.has_context() ? context_slots_ : slots_;
    for (const Pair pair : batch.pairs) {
      slots_.add(pair.source);
      targets.add(pair.target);
    }
    for (const NodeId v : sampling_.negatives().ids) targets.add(v);
    const auto before = static_cast<NodeId>(encoder_.has_context() ? slots_.nodes.size() : 0);
    gradients_.list_rows(
        batch, [&](NodeId v) { return slots_.slot[v]; },
        [&](NodeId v) { return before + targets.slot[v]; });
  }

  void copy_rows(MatrixRef to, ConstMatrixRef from, std::span<const NodeId> rows) {
    pool_.for_ranges(to.rows, 128, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        std::copy_n(from.row(rows[i]), to.stride, to.row(i));
    });
  }

  BlockEncoder& encoder_;
  bool fresh_scores_;
  PairSampling sampling_;
  Optimizer optimizer_;
  PairGradients<LossFn> gradients_;
  ThreadPool& pool_;
  Slots slots_, context_slots_;
  RowBuffer vectors_, vector_gradients_;
  std::int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Step> make_gnn_step(const StepParts& parts, BlockEncoder& encoder,
                                    bool fresh_scores) {
  return std::visit(
      [&](auto loss) -> std::unique_ptr<Step> {
        return std::make_unique<GnnStep<decltype(loss)>>(parts, encoder, fresh_scores, loss);
      },
      parts.loss);
}

}  // namespace mcns
