// Draws the negatives of a batch: groups its pairs by source, so that pieces never share one, and runs
// the sampler over the pieces.
#pragma once

#include <chrono>

#include "mcns/samplers/negative_sampler.h"
#include "mcns/train/row_groups.h"

namespace mcns {

class PairSampling {
 public:
  PairSampling(NegativeSampler& sampler, int k, NodeId nodes, ThreadPool& pool)
      : sampler_(sampler), pool_(pool), sources_(nodes) {
    negatives_.k = k;
  }

  /// Returns the seconds it took.
  double run(BatchKey key, const PairBatch& batch, const Scorer& scorer) {
    keys_.resize(batch.pairs.size());
    for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = batch.pairs[i].source;
    sources_.build(keys_);
    sources_.cut(kPairsPerPiece, bounds_);
    const auto start = std::chrono::steady_clock::now();
    negatives_.resize(batch.pairs.size(), sampler_.weighs_negatives(), sampler_.weighs_pairs());
    sampler_.begin_batch({key, batch.pairs, batch.names,
                          sources_.members(0, sources_.size()), scorer});
    pool_.run(static_cast<std::int64_t>(bounds_.size()) - 1, [&](std::int64_t piece) {
      const auto members = sources_.members(bounds_[piece], bounds_[piece + 1]);
      sampler_.sample({key, batch.pairs, batch.names, members, scorer}, negatives_);
    });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  /// Tells the sampler the scores of the batch, pairs x (k + 1).
  void feedback(BatchKey key, const PairBatch& batch, std::span<const float> scores) {
    sampler_.feedback({key, batch.pairs, negatives_, scores, pool_});
  }
  bool wants_feedback() const { return sampler_.wants_feedback(); }

  const RowGroups& sources() const { return sources_; }
  const Negatives& negatives() const { return negatives_; }
  /// Pairs that the sampler left without negatives.
  std::int64_t skipped() const {
    return std::count(negatives_.pair_weights.begin(), negatives_.pair_weights.end(), 0.0F);
  }

 private:
  static constexpr std::int32_t kPairsPerPiece = 64;

  NegativeSampler& sampler_;
  ThreadPool& pool_;
  RowGroups sources_;
  Negatives negatives_;
  std::vector<NodeId> keys_;
  std::vector<std::int32_t> bounds_;
};

}  // namespace mcns
