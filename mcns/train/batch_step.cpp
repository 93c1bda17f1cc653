// The deterministic batch step of lookup: the same bits for any number of threads and processes.
//
// Parameters are frozen until all gradients that need them are summed. Rows are gathered from their
// owners, pairs are scored on them (pair_scores.h), and the gradients return to the owners, which
// sum and apply them (row_exchange.h, target_sums.h): a target row at once, unless it is also a
// source of this batch; last, the sources.
#include "mcns/core/stopwatch.h"
#include "mcns/train/row_exchange.h"
#include "mcns/train/step.h"

namespace mcns {
namespace {

template <class LossFn, class OptimizerFn>
class BatchStep final : public HostStep {
 public:
  BatchStep(const StepParts& parts, Lookup& lookup, LossFn loss, OptimizerFn optimizer)
      : HostStep(lookup, parts.pool),
        lookup_(lookup),
        sampling_(parts.session.batches()),
        optimizer_(optimizer),
        part_{parts.comm.rank(), parts.comm.size()},
        exchange_(parts.comm, lookup.parameters().rows(), lookup.parameters().stride()),
        scores_(loss, sampling_, parts.l2, lookup.parameters().stride(), parts.pool),
        targets_(lookup.parameters().rows(), lookup.parameters().stride(), parts.l2, parts.pool) {}

  void run(BatchKey key, const PairBatch& batch, float lr, StepTotals& totals) override {
    const Stopwatch watch;
    sampling_.run(key, batch, lookup_.scorer(), part_);
    const Tick tick{lr, ++steps_};
    scores_.list_rows(
        batch, [&](NodeId u) { return lookup_.source_row(u); },
        [&](NodeId v) { return lookup_.target_row(v); });
    Matrix& parameters = lookup_.parameters();
    const float* vectors = exchange_.gather(parameters, scores_.rows(), sampling_);
    // Grouping the targets is serial and needs no scores.
    const double loss = exchange_.total(scores_.score(vectors, [&] {
      if (exchange_.is_alone()) targets_.group(scores_.rows().targets);
    }));
    require_finite(loss, key);
    totals.loss += loss;
    totals.add(sampling_.counts(key), batch.pairs.size());
    if (sampling_.wants_feedback()) sampling_.feedback(key, batch, scores_.scores());
    const RowWork work = exchange_.give_back(scores_.work(vectors), sampling_);
    if (!exchange_.is_alone()) targets_.group(work.rows);
    const RowUpdate apply(optimizer_, tick);
    targets_.sum(work, parameters.data(), [&](NodeId row, const float* gradient) {
      apply(parameters.row(row), gradient, lookup_.state(row), parameters.stride());
    });
    totals.seconds += watch.seconds();
  }

 private:
  Lookup& lookup_;
  PairSampling& sampling_;
  OptimizerFn optimizer_;
  BatchPart part_;
  RowExchange exchange_;
  PairScores<LossFn> scores_;
  TargetSums targets_;
};

}  // namespace

std::unique_ptr<Step> make_batch_step(const StepParts& parts, Lookup& lookup) {
  return std::visit(
      [&](auto loss, auto optimizer) -> std::unique_ptr<Step> {
        return std::make_unique<BatchStep<decltype(loss), decltype(optimizer)>>(parts, lookup, loss,
                                                                                optimizer);
      },
      parts.loss, parts.optimizer);
}

}  // namespace mcns
