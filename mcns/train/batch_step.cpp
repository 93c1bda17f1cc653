// The deterministic batch step of lookup: the same bits for any number of threads and processes.
//
// Parameters are frozen until all gradients that need them are summed. Rows are gathered from their
// owners, pairs are scored on them (pair_scores.h), and the gradients return to the owners, which
// sum and apply them (row_exchange.h, target_sums.h): a target row at once, unless it is also a
// source of this batch; last, the sources. In one process a target row that nothing else in the
// batch reads is updated right after its pair is scored.
#include <cmath>

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
    const RowWork own = scores_.work(vectors);
    const RowUpdate apply(optimizer_, tick);
    const auto update = [&](NodeId row, const float* gradient) {
      apply(parameters.row(row), gradient, lookup_.state(row), parameters.stride());
    };
    if (exchange_.is_alone()) targets_.find_lone(own.rows, own.source_rows);
    const auto group = [&] {
      if (exchange_.is_alone()) targets_.group(own.rows);
    };
    const auto update_lone = [&](std::span<const std::int32_t> pairs, double loss) {
      if (std::isfinite(loss)) targets_.sum_lone(own, pairs, parameters.data(), update);
    };
    // Grouping the targets is serial and needs no scores.
    const double loss = exchange_.total(scores_.score(vectors, group, update_lone));
    require_finite(loss, key);
    totals.loss += loss;
    totals.add(sampling_.counts(key), batch.pairs.size());
    if (sampling_.wants_feedback()) sampling_.feedback(key, batch, scores_.scores());
    const double scored = watch.seconds();
    const RowWork work = exchange_.give_back(own, sampling_);
    if (!exchange_.is_alone()) targets_.group(work.rows);
    targets_.sum(work, parameters.data(), update);
    const double seconds = watch.seconds();
    totals.update_seconds += seconds - scored;
    totals.seconds += seconds;
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
