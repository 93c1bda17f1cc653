// The batch step of graph neural encoders: the same bits for any number of threads.
//
// Negatives are drawn against the encoder's table. The distinct nodes of the batch go through the
// encoder once, pairs are scored on their vectors (pair_scores.h), and the gradients of the
// vectors (target_sums.h) go back through the encoder, whose parameters are updated last.
#include <chrono>

#include "mcns/core/node_set.h"
#include "mcns/encoders/parameter.h"
#include "mcns/train/step.h"
#include "mcns/train/target_sums.h"

namespace mcns {
namespace {

template <class LossFn>
class GnnStep final : public HostStep {
 public:
  GnnStep(const StepParts& parts, Encoder& encoder, bool fresh_scores, LossFn loss)
      : HostStep(encoder, parts.pool),
        encoder_(encoder),
        fresh_scores_(fresh_scores),
        sampling_(parts.session.batches()),
        optimizer_(parts.optimizer),
        scores_(loss, sampling_, parts.l2, table().stride, parts.pool),
        targets_(table().rows, table().stride, parts.l2, parts.pool),
        pool_(parts.pool),
        seen_(table().rows),
        slot_of_node_(table().rows),
        vectors_(table().dim, table().rows),
        vector_gradients_(table().dim, table().rows) {}

  void run(BatchKey key, const PairBatch& batch, float lr, StepTotals& totals) override {
    const auto start = std::chrono::steady_clock::now();
    if (fresh_scores_) encoder_.refresh();
    encoder_.begin_batch();
    sampling_.run(key, batch, encoder_.scorer());
    list_nodes(batch);
    const MatrixRef vectors = vectors_.rows(static_cast<std::int64_t>(nodes_.size()));
    const MatrixRef out = vector_gradients_.rows(vectors.rows);
    encoder_.forward(key, nodes_, vectors);
    double loss = 0;
    for (const double l :
         scores_.score(vectors.data, [&] { targets_.group(scores_.rows().targets); }))
      loss += l;
    require_finite(loss, key);
    totals.loss += loss;
    totals.add(sampling_.counts(key), batch.pairs.size());
    if (sampling_.wants_feedback()) sampling_.feedback(key, batch, scores_.scores());
    targets_.sum(scores_.work(vectors.data), vectors.data, [&](NodeId row, const float* gradient) {
      std::copy_n(gradient, out.stride, out.row(row));
    });
    encoder_.backward(out);
    encoder_.update(optimizer_, {lr, ++steps_});
    totals.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  ConstMatrixRef table() const { return encoder_.node_table(); }

  /// Distinct nodes of the batch, ascending, and rows of theirs for the pairs.
  void list_nodes(const PairBatch& batch) {
    const auto add = [&](std::size_t count, const auto& node) {
      pool_.for_ranges(static_cast<std::int64_t>(count), kNodesPerPiece,
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t i = begin; i < end; ++i) seen_.add(node(i));
                       });
    };
    const auto& ids = sampling_.negatives().ids;
    add(batch.pairs.size(), [&](std::int64_t i) { return batch.pairs[i].source; });
    add(batch.pairs.size(), [&](std::int64_t i) { return batch.pairs[i].target; });
    add(ids.size(), [&](std::int64_t i) { return ids[i]; });
    nodes_.clear();
    seen_.drain([&](NodeId v) {
      slot_of_node_[v] = static_cast<NodeId>(nodes_.size());
      nodes_.push_back(v);
    });
    const auto row = [&](NodeId v) { return slot_of_node_[v]; };
    scores_.list_rows(batch, row, row);
  }

  static constexpr std::int64_t kNodesPerPiece = 4096;

  Encoder& encoder_;
  bool fresh_scores_;
  PairSampling& sampling_;
  Optimizer optimizer_;
  PairScores<LossFn> scores_;
  TargetSums targets_;
  ThreadPool& pool_;
  NodeSet seen_;
  std::vector<NodeId> slot_of_node_;  ///< of this batch's nodes; of others, left over
  std::vector<NodeId> nodes_;
  RowBuffer vectors_, vector_gradients_;
};

}  // namespace

std::unique_ptr<Step> make_gnn_step(const StepParts& parts, Encoder& encoder, bool fresh_scores) {
  return std::visit(
      [&](auto loss) -> std::unique_ptr<Step> {
        return std::make_unique<GnnStep<decltype(loss)>>(parts, encoder, fresh_scores, loss);
      },
      parts.loss);
}

}  // namespace mcns
