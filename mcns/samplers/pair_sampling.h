// Draws the negatives of a batch: groups its pairs by source, cuts the groups into blocks, and runs
// the sampler over the blocks, all of them or a part. The blocks follow from the batch alone.
//
// The log-q correction turns a softmax over k negatives from q into an estimate of the softmax over
// all allowed ones: exp(s) of a negative weighs 1 / (k q), so that the sum over negatives is an
// unbiased estimate of the sum over all of them.
#pragma once

#include <chrono>
#include <cmath>

#include "mcns/core/error.h"
#include "mcns/core/row_groups.h"
#include "mcns/samplers/negative_sampler.h"

namespace mcns {

/// What drawing the negatives of a batch took and found.
struct SamplingCounts {
  double seconds = 0;
  std::int64_t skipped = 0;                  ///< pairs that the sampler left without negatives
  std::int64_t checked = 0, collisions = 0;  ///< negatives looked at, training positives among them
};

/// What a source's pool weighed.
struct PoolRequest {
  BatchKey key;
  NodeId source;
  const PoolWeights& weights;
  const Scorer& scorer;
};

/// Is told of negatives once they are drawn and weighed. It sees the requests that the sampler saw,
/// so draws are the same bits with and without it.
class NegativeObserver {
 public:
  virtual ~NegativeObserver() = default;
  /// The negatives of a block, by the thread that drew them: several blocks at the same time.
  virtual void record(const SampleRequest& request, const Negatives& drawn) = 0;
  /// The negatives of all windows of a batch.
  virtual void record(const SharedRequest& request, const Negatives& drawn) = 0;
  /// A source's weights where the batch shares a pool: several sources at the same time.
  virtual void record(const PoolRequest& request) = 0;
};

/// One of equal parts of a batch's blocks.
struct BatchPart {
  int index = 0, of = 1;
};

struct SamplingOptions {
  bool log_q = false;                    ///< weigh negatives by 1 / (k q)
  const Graph* graph = nullptr;          ///< where negatives are looked up, to count collisions
  NegativeObserver* observer = nullptr;  ///< may be null
};

class PairSampling {
 public:
  PairSampling(NegativeSampler& sampler, int k, NodeId nodes, ThreadPool& pool,
               const SamplingOptions& options = {})
      : sampler_(sampler), pool_(pool), options_(options), sources_(nodes) {
    set_negatives(k);
  }

  void run(BatchKey key, const PairBatch& batch, const Scorer& scorer, BatchPart part = {}) {
    run_blocks(key, batch, scorer, part, batch.windows.windows() > 0);
  }

  /// k negatives for every window; the sampler must be able to share. Where windows have one
  /// source, its first pair stands for it.
  void run_windows(BatchKey key, const PairBatch& batch, const Scorer& scorer) {
    const WalkWindows& all = batch.windows;
    if (all.middle_is_source) {
      first_pairs_.resize(all.windows());
      for (std::size_t w = 0; w < first_pairs_.pairs.size(); ++w) {
        first_pairs_.pairs[w] = batch.pairs[all.first_pair[w]];
        first_pairs_.serials[w] = batch.serials[all.first_pair[w]];
      }
      return run_blocks(key, first_pairs_, scorer, {}, true);
    }
    keys_.resize(all.windows());
    for (std::size_t w = 0; w < keys_.size(); ++w) keys_[w] = batch.pairs[all.first_pair[w]].source;
    const auto start = std::chrono::steady_clock::now();
    make_room(keys_.size(), false, false);
    const SharedRequest request{key, batch, scorer, pool_};
    sampler_.sample_shared(request, negatives_);
    if (options_.observer != nullptr) options_.observer->record(request, negatives_);
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  /// Of the last run. Collisions are counted in one batch of `kCounted`, among one negative of
  /// `kLookedAt`: a look costs more than a draw.
  SamplingCounts counts(BatchKey key) const {
    SamplingCounts out{seconds_, skipped(), 0, 0};
    if (options_.graph == nullptr || key.batch % kCounted != 0) return out;
    for (std::size_t i = 0; i < negatives_.ids.size(); i += kLookedAt) {
      ++out.checked;
      out.collisions += options_.graph->has_edge(keys_[i / negatives_.k], negatives_.ids[i]);
    }
    return out;
  }
  /// For the next runs.
  void set_negatives(int k) { buffer_.k = negatives_.k = k; }

  /// Tells the sampler the scores of the batch, pairs x (k + 1).
  void feedback(BatchKey key, const PairBatch& batch, std::span<const float> scores) {
    sampler_.feedback({key, batch.pairs, negatives_, scores, pool_});
  }
  bool wants_feedback() const { return sampler_.wants_feedback(); }
  NegativeObserver* observer() const { return options_.observer; }

  const RowGroups& sources() const { return sources_; }
  /// Groups of sources of the part that was run: [first, second).
  std::pair<std::int32_t, std::int32_t> own_sources() const { return own_sources_; }
  const Negatives& negatives() const { return negatives_; }
  /// Pairs that the sampler left without negatives.
  std::int64_t skipped() const {
    return std::count(negatives_.pair_weights.begin(), negatives_.pair_weights.end(), 0.0F);
  }

 private:
  void run_blocks(BatchKey key, const PairBatch& batch, const Scorer& scorer, BatchPart part,
                  bool of_walks) {
    keys_.resize(batch.pairs.size());
    for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = batch.pairs[i].source;
    sources_.build(keys_);
    sources_.cut(0, sources_.size(), sampler_.pairs_per_block(), bounds_);
    const auto blocks = static_cast<std::int64_t>(bounds_.size()) - 1;
    const std::int64_t first = blocks * part.index / part.of;
    const std::int64_t last = blocks * (part.index + 1) / part.of;
    own_sources_ = {bounds_[first], bounds_[last]};
    const auto start = std::chrono::steady_clock::now();
    make_room(batch.pairs.size(), sampler_.weighs_negatives() || options_.log_q,
              sampler_.weighs_pairs());
    sampler_.begin_batch(
        {key, batch.pairs, batch.serials, sources_.members(0, sources_.size()), scorer});
    pool_.run(last - first, [&](std::int64_t i) {
      const auto members = sources_.members(bounds_[first + i], bounds_[first + i + 1]);
      const SampleRequest request{key, batch.pairs, batch.serials, members, scorer, of_walks};
      sampler_.sample(request, negatives_);
      if (options_.log_q) weigh(batch, members, scorer);
      if (options_.observer != nullptr) options_.observer->record(request, negatives_);
    });
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  static constexpr std::int64_t kCounted = 32;
  static constexpr std::size_t kLookedAt = 7;  ///< no divisor of a usual k

  void make_room(std::size_t pairs, bool weighted, bool pair_weighted) {
    buffer_.resize(pairs, weighted, pair_weighted);
    negatives_ = buffer_;
  }

  /// A chain that has just started may be where its distribution has next to nothing.
  static constexpr double kRarest = 30;

  void weigh(const PairBatch& batch, std::span<const std::int32_t> members, const Scorer& scorer) {
    const int k = negatives_.k;
    for (const std::int32_t i : members)
      for (std::size_t n = static_cast<std::size_t>(i) * k; n < static_cast<std::size_t>(i + 1) * k;
           ++n) {
        const double log_q =
            sampler_.log_q(batch.pairs[i].source, negatives_.ids[n], scorer).value().value;
        const float drawn = sampler_.weighs_negatives() ? negatives_.weights[n] : 1.0F;
        negatives_.weights[n] = drawn * static_cast<float>(std::exp(std::min(-log_q, kRarest)) / k);
      }
  }

  NegativeSampler& sampler_;
  ThreadPool& pool_;
  SamplingOptions options_;
  double seconds_ = 0;
  RowGroups sources_;
  NegativesBuffer buffer_;
  Negatives negatives_;  ///< of the buffer
  std::pair<std::int32_t, std::int32_t> own_sources_;
  std::vector<NodeId> keys_;  ///< sources of pairs, or of windows' first pairs
  PairBuffer first_pairs_;    ///< of windows
  std::vector<std::int32_t> bounds_;
};

}  // namespace mcns
