// The deterministic batch step of lookup: the same bits for any number of threads.
//
// Parameters are frozen until all gradients that need them are summed (pair_gradients.h). A target
// row's owner updates it at once, unless it is also a source of this batch; last, the sources are
// updated. Three barriers a batch.
#include <chrono>

#include "mcns/train/pair_gradients.h"
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
        gradients_(loss, sampling_, parts.l2, lookup.parameters().rows(),
                   lookup.parameters().stride(), parts.pool) {}

  void run(BatchKey key, const PairBatch& batch, float lr, StepTotals& totals) override {
    const auto start = std::chrono::steady_clock::now();
    sampling_.run(key, batch, lookup_.scorer());
    const Tick tick{lr, ++steps_};
    gradients_.list_rows(
        batch, [&](NodeId u) { return lookup_.source_row(u); },
        [&](NodeId v) { return lookup_.target_row(v); });
    Matrix& parameters = lookup_.parameters();
    totals.loss += gradients_.score(key, parameters.data());
    totals.add(sampling_.counts(key), batch.pairs.size());
    if (sampling_.wants_feedback()) sampling_.feedback(key, batch, gradients_.scores());
    const Kernels& k = kernels();
    const auto update = [&](NodeId row, const float* gradient) {
      optimizer_(k, parameters.row(row), gradient, lookup_.state(row), tick, parameters.stride());
    };
    gradients_.targets(parameters.data(), update);
    gradients_.sources(update);
    totals.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  Lookup& lookup_;
  PairSampling& sampling_;
  OptimizerFn optimizer_;
  PairGradients<LossFn> gradients_;
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
