// The batch step of encoders that compute their vectors: the same bits for any number of threads.
//
// Negatives are drawn against the encoder's table. The distinct rows of the batch go through the
// encoder once, pairs are scored on their vectors (pair_scores.h), and the gradients of the
// vectors (target_sums.h) go back through the encoder, whose parameters are updated last.
#include "mcns/core/stopwatch.h"
#include "mcns/encoders/parameter.h"
#include "mcns/train/batch_rows.h"
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
        targets_(encoder.rows(), table().stride, parts.l2, parts.pool),
        rows_(encoder.rows(), parts.pool),
        vectors_(table().dim, encoder.rows()),
        vector_gradients_(table().dim, encoder.rows()) {}

  void run(BatchKey key, const PairBatch& batch, float lr, StepTotals& totals) override {
    const Stopwatch watch;
    if (fresh_scores_) encoder_.refresh();
    encoder_.begin_batch();
    sampling_.run(key, batch, encoder_.scorer());
    list_rows(batch);
    const MatrixRef vectors = vectors_.rows(rows_.size());
    const MatrixRef out = vector_gradients_.rows(vectors.rows);
    encoder_.forward(key, rows_.rows(), vectors);
    double loss = 0;
    for (const double l :
         scores_.score(vectors.data, [&] { targets_.group(scores_.rows().targets); }))
      loss += l;
    require_finite(loss, key);
    totals.loss += loss;
    totals.add(sampling_.counts(key), batch.pairs.size());
    if (sampling_.wants_feedback()) sampling_.feedback(key, batch, scores_.scores());
    const double scored = watch.seconds();
    targets_.sum(scores_.work(vectors.data), vectors.data, [&](NodeId row, const float* gradient) {
      std::copy_n(gradient, out.stride, out.row(row));
    });
    encoder_.backward(out);
    encoder_.update(optimizer_, {lr, ++steps_});
    const double seconds = watch.seconds();
    totals.update_seconds += seconds - scored;
    totals.seconds += seconds;
  }

 private:
  ConstMatrixRef table() const { return encoder_.node_table(); }

  /// Distinct rows of the batch, and places among them for the pairs.
  void list_rows(const PairBatch& batch) {
    const auto ids = sampling_.negatives().ids;
    rows_.add(batch.pairs.size(), [&](auto i) { return source_row(batch.pairs[i].source); });
    rows_.add(batch.pairs.size(), [&](auto i) { return target_row(batch.pairs[i].target); });
    rows_.add(ids.size(), [&](auto i) { return target_row(ids[i]); });
    rows_.list();
    scores_.list_rows(
        batch, [&](NodeId u) { return rows_.slot(source_row(u)); },
        [&](NodeId v) { return rows_.slot(target_row(v)); });
  }
  NodeId source_row(NodeId u) const { return encoder_.source_row(u); }
  NodeId target_row(NodeId v) const { return encoder_.target_row(v); }

  Encoder& encoder_;
  bool fresh_scores_;
  PairSampling& sampling_;
  Optimizer optimizer_;
  PairScores<LossFn> scores_;
  TargetSums targets_;
  BatchRows rows_;
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
