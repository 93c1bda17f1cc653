// The fast lane, `--update async`: Hogwild (Niu et al. 2011). Threads read and write rows in place
// without any order, so bits differ from run to run; everything else in the library is free of
// races.
//
// A pair's rows are fetched once: scored, then updated while they are in the nearest cache; those
// of the pair after the next are on their way meanwhile. Further ahead they would push each other
// out.
#include <chrono>

#include "mcns/core/thread_scratch.h"
#include "mcns/samplers/pair_sampling.h"
#include "mcns/train/step.h"

namespace mcns {
namespace {

template <class LossFn, class OptimizerFn>
class AsyncStep final : public HostStep {
 public:
  AsyncStep(const StepParts& parts, Lookup& lookup, LossFn loss, OptimizerFn optimizer)
      : HostStep(lookup, parts.pool),
        lookup_(lookup),
        sampling_(parts.session.batches()),
        loss_(loss),
        optimizer_(optimizer),
        width_(parts.session.negatives_per_positive() + 1),
        l2_(parts.l2),
        pool_(parts.pool) {}

  void run(BatchKey key, const PairBatch& batch, float lr, StepTotals& totals) override {
    const auto start = std::chrono::steady_clock::now();
    sampling_.run(key, batch, lookup_.scorer());
    lr_ = lr;
    update_ = {optimizer_, {lr, ++steps_}};
    const Negatives& negatives = sampling_.negatives();
    fused_ = width_ <= kLanes && negatives.weights.empty() && negatives.pair_weights.empty() &&
             !sampling_.wants_feedback();
    const RowGroups& sources = sampling_.sources();
    sources.cut(0, sources.size(), kPairsPerPiece, bounds_);
    losses_.assign(bounds_.size() - 1, 0.0);
    scores_.assign(sampling_.wants_feedback() ? batch.pairs.size() * width_ : 0, 0.0F);
    pool_.run(static_cast<std::int64_t>(losses_.size()), [&](std::int64_t piece) {
      losses_[piece] = learn(batch, sources.members(bounds_[piece], bounds_[piece + 1]));
    });
    double loss = 0;
    for (const double l : losses_) loss += l;
    require_finite(loss, key);
    if (sampling_.wants_feedback()) sampling_.feedback(key, batch, scores_);
    totals.loss += loss;
    totals.add(sampling_.counts(key), batch.pairs.size());
    totals.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  struct Scratch {
    std::vector<NodeId> rows;  ///< of the piece's pairs: the source, then its targets
    std::vector<float> s;      ///< scores of a pair, then dL/ds
    Matrix gradients;          ///< of a source and a target
  };

  double learn(const PairBatch& batch, std::span<const std::int32_t> members) {
    auto& scratch = thread_scratch<Scratch>();
    list_rows(batch, members, scratch.rows);
    scratch.s.resize(width_);
    if (scratch.gradients.stride() != lookup_.parameters().stride())
      scratch.gradients = Matrix(2, lookup_.parameters().stride());
    if constexpr (kFused)
      if (fused_) return learn_fused(scratch.rows);
    const std::size_t step = width_ + 1;
    const NodeId* rows = scratch.rows.data();
    double loss = 0;
    for (std::size_t m = 0; m < members.size(); ++m, rows += step) {
      if (m + kAhead < members.size()) prefetch({rows + kAhead * step, step});
      loss += learn_pair(members[m], rows, scratch);
    }
    return loss;
  }

  /// As many pairs at once as have their scores in one vector.
  MCNS_RACY double learn_fused(std::span<const NodeId> rows) {
    Matrix& parameters = lookup_.parameters();
    const std::size_t step = width_ + 1, together = kLanes / width_ * step;
    alignas(64) float signs[kLanes];
    double loss = 0;
    for (std::size_t known = 0; !rows.empty();) {
      const auto now = rows.first(std::min(together, rows.size()));
      rows = rows.subspan(now.size());
      const auto pairs = static_cast<int>(now.size() / step);
      if (std::exchange(known, now.size()) != now.size())
        for (int i = 0; i < kLanes; ++i)
          signs[i] = i >= pairs * width_ ? 0.0F : i % width_ == 0 ? -1.0F : 1.0F;
      loss += kernels().skip_gram(
          loss_, optimizer_,
          {parameters.data(), std::size_t(parameters.stride()), now.data(), pairs, width_, signs,
           rows.data(), static_cast<int>(std::min(together, rows.size())), lr_, l2_},
          parameters.stride());
    }
    return loss;
  }

  void list_rows(const PairBatch& batch, std::span<const std::int32_t> members,
                 std::vector<NodeId>& rows) const {
    const auto& ids = sampling_.negatives().ids;
    rows.resize(members.size() * (width_ + 1));
    NodeId* row = rows.data();
    for (const std::int32_t i : members) {
      *row++ = lookup_.source_row(batch.pairs[i].source);
      *row++ = lookup_.target_row(batch.pairs[i].target);
      const NodeId* negatives = ids.data() + std::size_t(i) * (width_ - 1);
      for (int j = 0; j + 1 < width_; ++j) *row++ = lookup_.target_row(negatives[j]);
    }
  }

  [[gnu::always_inline]] void prefetch(std::span<const NodeId> rows) const {
    const Matrix& parameters = lookup_.parameters();
    for (const NodeId row : rows) prefetch_row(parameters.row(row), parameters.stride());
  }

  MCNS_RACY double learn_pair(std::size_t pair, const NodeId* rows, Scratch& scratch) {
    const Negatives& negatives = sampling_.negatives();
    Matrix& parameters = lookup_.parameters();
    const std::size_t stride = parameters.stride(), width = width_;
    const NodeId* targets = rows + 1;
    float *source = parameters.row(rows[0]), *s = scratch.s.data();
    const float share = negatives.pair_weights.empty() ? 1.0F : negatives.pair_weights[pair];
    if (share == 0) return 0;
    kernels().dots(source, {parameters.data(), stride, targets, width_}, parameters.stride(), s);
    if (!scores_.empty()) std::copy_n(s, width, scores_.begin() + pair * width);
    const float* weights =
        negatives.weights.empty() ? nullptr : negatives.weights.data() + pair * (width - 1);
    const double loss = share * loss_of_pairs(loss_, s, weights, 1, width_);
    for (std::size_t j = 0; j < width && share != 1; ++j) s[j] *= share;
    update(source, rows, s, scratch.gradients);
    return loss;
  }

  MCNS_RACY void update(float* source, const NodeId* rows, const float* s, Matrix& gradients) {
    const Kernels& k = kernels();
    const Matrix& parameters = lookup_.parameters();
    const int stride = parameters.stride();
    float* gradient = gradients.row(0);
    k.combine(gradient, {parameters.data(), std::size_t(stride), rows + 1, width_}, s, stride);
    for (int j = 0; j < width_; ++j) update_target(rows[j + 1], source, s[j], gradients.row(1));
    if (l2_ != 0) k.axpy(gradient, l2_, source, stride);
    update_(source, gradient, lookup_.state(rows[0]), stride);
  }

  MCNS_RACY void update_target(NodeId row, const float* source, float s, float* gradient) {
    const Kernels& k = kernels();
    float* target = lookup_.parameters().row(row);
    const int stride = lookup_.parameters().stride();
    const NodeId first = 0;
    k.combine(gradient, {source, 0, &first, 1}, &s, stride);
    if (l2_ != 0) k.axpy(gradient, l2_, target, stride);
    update_(target, gradient, lookup_.state(row), stride);
  }

  static constexpr std::int32_t kPairsPerPiece = 256;
  static constexpr std::size_t kAhead = 2;  ///< pairs
  static constexpr int kLanes = 16;         ///< of a vector
  /// Skip-gram's own step has a kernel.
  static constexpr bool kFused =
      std::is_same_v<LossFn, Logistic> && std::is_same_v<OptimizerFn, Sgd>;

  Lookup& lookup_;
  PairSampling& sampling_;
  LossFn loss_;
  OptimizerFn optimizer_;
  int width_;
  float l2_;
  ThreadPool& pool_;
  std::vector<double> losses_;
  std::vector<float> scores_;
  std::vector<std::int32_t> bounds_;
  float lr_ = 0;
  RowUpdate<OptimizerFn> update_{optimizer_, {}};  ///< of this batch
  bool fused_ = false;                             ///< nothing that its kernel cannot do
};

}  // namespace

std::unique_ptr<Step> make_async_step(const StepParts& parts, Lookup& lookup) {
  return std::visit(
      [&](auto loss, auto optimizer) -> std::unique_ptr<Step> {
        return std::make_unique<AsyncStep<decltype(loss), decltype(optimizer)>>(parts, lookup, loss,
                                                                                optimizer);
      },
      parts.loss, parts.optimizer);
}

}  // namespace mcns
