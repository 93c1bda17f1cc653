// Negatives: one interface for every sampler.
//
// A batch's pairs are cut into blocks: whole sources, as many as have about pairs_per_block()
// pairs, each in pair order. The blocks follow from the batch alone, so any process that knows the
// batch can draw any of them; `sample` is called once per block, from several threads at once. What
// a sampler remembers per source (a chain, a quantile) may therefore be updated in `sample` without
// locks and without depending on the number of threads. Random numbers come from the stream of the
// pair: (seed, negatives, epoch, name of the pair).
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mcns/core/archive.h"
#include "mcns/core/batch.h"
#include "mcns/core/graph.h"
#include "mcns/core/names.h"
#include "mcns/core/parallel.h"
#include "mcns/core/scorer.h"
#include "mcns/samplers/exclusion.h"
#include "mcns/samplers/pool_source.h"

namespace mcns {

/// Negatives of a batch: ids[i * k + j] is the j-th of pair i. A view: somebody else owns the
/// memory.
struct Negatives {
  int k = 1;
  std::span<NodeId> ids;
  std::span<float> weights;       ///< per negative; empty where all are 1
  std::span<float> pair_weights;  ///< per pair; 0 skips it; empty where all are 1
};

/// Memory of negatives.
struct NegativesBuffer {
  int k = 1;
  std::vector<NodeId> ids;
  std::vector<float> weights, pair_weights;

  void resize(std::size_t pairs, bool weighted, bool pair_weighted) {
    ids.resize(pairs * k);
    weights.resize(weighted ? pairs * k : 0);
    pair_weights.resize(pair_weighted ? pairs : 0);
  }
  operator Negatives() { return {k, ids, weights, pair_weights}; }  // NOLINT(implicit)
};

/// What a block is drawn from.
struct SampleRequest {
  BatchKey key;
  std::span<const Pair> pairs;             ///< the whole batch
  std::span<const std::uint64_t> serials;  ///< of the pairs
  std::span<const std::int32_t> members;   ///< the pairs of this block
  const Scorer& scorer;
  /// The positives are walks, so that a source has many pairs in a batch; or each pair stands for a
  /// window of one, all of whose pairs share its negatives.
  bool of_walks = false;

  Streams streams() const {
    return {key.seed, Domain::kNegatives, static_cast<std::uint64_t>(key.epoch)};
  }
};

/// What negatives shared by windows are drawn from.
struct SharedRequest {
  BatchKey key;
  PairBatch batch;
  const Scorer& scorer;
  ThreadPool& pool;
};

/// A batch after scoring, before parameters change: what a generator learns from.
struct Feedback {
  BatchKey key;
  std::span<const Pair> pairs;
  Negatives negatives;
  std::span<const float> scores;  ///< pairs x (k + 1): the positive's, then its negatives'
  ThreadPool& pool;
};

/// log q(target | source): the distribution a negative is drawn from, given the current scores.
struct LogProbability {
  double value;
  bool exact;  ///< false: an estimate
};

/// log q of a uniform draw from the allowed targets.
inline LogProbability uniform_log_q(const Exclusion& exclusion, NodeId source, NodeId target) {
  if (exclusion.excluded(source, target)) return {-std::numeric_limits<double>::infinity(), true};
  return {-std::log(exclusion.allowed(source)), true};
}

/// Something a sampler counted, for reports.
struct SamplerFigure {
  std::string name;
  double value;
};

class NegativeSampler {
 public:
  virtual ~NegativeSampler() = default;
  virtual void sample(const SampleRequest& request, const Negatives& out) = 0;

  /// Negatives per positive where `asked` were asked for; a scheme may prescribe its own number.
  virtual int negatives_per_positive(int asked) const { return asked; }

  /// A block ends with the source that brings it to so many pairs.
  virtual int pairs_per_block() const { return 64; }

  /// Once before the first batch of an epoch; caches are made here.
  virtual void begin_epoch(std::int64_t /*epoch*/, const Scorer&, ThreadPool&) {}
  /// Once per batch, before its blocks; `members` are all pairs.
  virtual void begin_batch(const SampleRequest&) {}
  /// Once per batch, after scoring. Only called where wants_feedback().
  virtual bool wants_feedback() const { return false; }
  virtual void feedback(const Feedback&) {}

  /// Where the distribution has a form that can be evaluated for one pair.
  virtual std::optional<LogProbability> log_q(NodeId /*source*/, NodeId /*target*/,
                                              const Scorer&) const {
    return std::nullopt;
  }

  /// Whether `weights` or `pair_weights` are written.
  virtual bool weighs_negatives() const { return false; }
  virtual bool weighs_pairs() const { return false; }
  /// Whether a pair's negatives depend on each other, so that they cannot be drawn one by one.
  virtual bool is_joint() const { return false; }
  /// Whether any `sources` of them can share negatives: one distribution for all, and enough
  /// targets that none of them excludes.
  virtual bool can_share(int /*sources*/) const { return false; }
  /// Whether a source's pairs can share negatives: their distribution does not depend on the
  /// target, and they have no weights.
  virtual bool can_share_source() const { return false; }
  /// k negatives for every window, allowed for each of its sources. Once per batch, in place of
  /// begin_batch and sample; only where can_share.
  virtual void sample_shared(const SharedRequest&, const Negatives&) {}
  /// The same object where it has a pool that all pairs of a batch may share; else null.
  virtual PoolSource* pool_source() { return nullptr; }
  virtual std::vector<SamplerFigure> figures() const { return {}; }
  /// State that a checkpoint must carry.
  virtual void visit_state(Archive&) {}
};

/// Base of samplers that draw one negative at a time: write `NodeId draw(Pair, const Scorer&,
/// Rng&)`.
template <class Derived>
class PairwiseSampler : public NegativeSampler {
 public:
  void sample(const SampleRequest& request, const Negatives& out) final {
    auto& self = static_cast<Derived&>(*this);
    const Streams streams = request.streams();
    for (const std::int32_t i : request.members) {
      Rng rng = streams.at(request.serials[i]);
      NodeId* ids = out.ids.data() + static_cast<std::size_t>(i) * out.k;
      for (int j = 0; j < out.k; ++j) ids[j] = self.draw(request.pairs[i], request.scorer, rng);
    }
  }
};

template <class Entry>
class Registry;
struct SamplerEntry;

struct SamplerContext {
  const Graph& graph;
  const Exclusion& exclusion;
  int dim;             ///< of the model's vectors
  int negatives;       ///< per positive
  std::uint64_t seed;  ///< of the run
  ThreadPool& pool;    ///< for tables made at the start
  const Names* names;  ///< of the nodes, where a sampler reads a file; may be null
  /// For samplers made of others; null: the built-in one.
  const Registry<SamplerEntry>* registry = nullptr;
};

}  // namespace mcns
