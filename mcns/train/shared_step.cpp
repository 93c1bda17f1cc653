// The step where all pairs of a batch share a pool of negatives, for every encoder: the same bits
// for any number of threads.
//
// The distinct rows of the batch go through the encoder once: sources, positives, the pool, and
// the states of the sampler's chains where it has some. The softmax against the pool is
// pool_softmax.h; a source's training positives are masked there. The owner of a row sums its
// gradients: as a source, as a positive, in the pool, as a state, each in the order of the batch.
// L2 is that of the vectors of the pairs, not of the pool.
#include <numeric>

#include "mcns/core/stopwatch.h"
#include "mcns/encoders/parameter.h"
#include "mcns/train/batch_rows.h"
#include "mcns/train/pool_softmax.h"
#include "mcns/train/step.h"

namespace mcns {
namespace {

/// Columns of the pool that are excluded for a source.
class PoolMasks {
 public:
  explicit PoolMasks(const Exclusion& exclusion)
      : exclusion_(exclusion), first_column_(exclusion.targets().size(), -1) {}

  void build(std::span<const NodeId> pool, std::span<const NodeId> sources) {
    first_.assign(1, 0);
    columns_.clear();
    if (exclusion_.filter() == Filter::kNone) {
      first_.assign(sources.size() + 1, 0);
      return;
    }
    next_column_.assign(pool.size(), -1);
    for (std::size_t j = 0; j < pool.size(); ++j)
      next_column_[j] = std::exchange(column_of(pool[j]), static_cast<std::int32_t>(j));
    for (const NodeId u : sources) {
      add(u, pool);
      first_.push_back(static_cast<std::int32_t>(columns_.size()));
    }
    for (const NodeId v : pool) column_of(v) = -1;
  }

  std::span<const std::int32_t> first() const { return first_; }
  std::span<const std::int32_t> columns() const { return columns_; }

 private:
  std::int32_t& column_of(NodeId target) {
    return first_column_[target - exclusion_.targets().begin];
  }
  void add_column(NodeId target) {
    for (std::int32_t j = column_of(target); j >= 0; j = next_column_[j]) columns_.push_back(j);
  }
  void add(NodeId u, std::span<const NodeId> pool) {
    const Graph& graph = exclusion_.graph();
    if (static_cast<std::size_t>(graph.degree(u)) > pool.size()) {
      for (std::size_t j = 0; j < pool.size(); ++j)
        if (exclusion_.excluded(u, pool[j])) columns_.push_back(static_cast<std::int32_t>(j));
      return;
    }
    bool own = !exclusion_.targets().contains(u);  // itself is excluded once
    for (const NodeId v : graph.neighbors(u)) {
      add_column(v);
      own |= v == u;
    }
    if (!own) add_column(u);
  }

  const Exclusion& exclusion_;
  std::vector<std::int32_t> first_column_;  ///< of a target in the pool; -1: it is not there
  std::vector<std::int32_t> next_column_;   ///< of the same target
  std::vector<std::int32_t> first_, columns_;
};

class SharedStep final : public HostStep {
 public:
  SharedStep(const StepParts& parts, Encoder& encoder, int size, bool fresh_scores, bool log_q)
      : HostStep(encoder, parts.pool),
        encoder_(encoder),
        fresh_scores_(fresh_scores),
        log_q_(log_q),
        source_(*parts.session.sampler().pool_source()),
        observer_(parts.session.batches().observer()),
        optimizer_(parts.optimizer),
        l2_(parts.l2),
        threads_(parts.pool),
        masks_(parts.session.exclusion()),
        softmax_(std::get<Softmax>(parts.loss), parts.pool),
        sources_(parts.session.graph().num_nodes()),
        rows_(encoder.rows(), parts.pool),
        places_(encoder.rows()),
        pool_(source_.pool_size(size)),
        vectors_(encoder.node_table().dim, encoder.rows()),
        gradients_(encoder.node_table().dim, encoder.rows()) {}

  void run(BatchKey key, const PairBatch& batch, float lr, StepTotals& totals) override {
    const Stopwatch watch;
    if (fresh_scores_) encoder_.refresh();
    encoder_.begin_batch();
    draw(key, batch);
    const double sampled = watch.seconds();
    list_rows(batch);
    const MatrixRef vectors = vectors_.rows(rows_.size());
    encoder_.forward(key, rows_.rows(), vectors);
    const double loss = softmax_.run(
        {vectors, sources_, source_slots_, positive_slots_, pool_slots_, biases_, source_.chains(),
         state_slots_, state_biases_, masks_.first(), masks_.columns()},
        [&](std::int32_t group, const PoolWeights& weights) { move(key, group, weights); });
    require_finite(loss, key);
    totals.loss += loss;
    totals.pairs += static_cast<std::int64_t>(batch.pairs.size());
    totals.sample_seconds += sampled;
    const double scored = watch.seconds();
    const MatrixRef out = gradients_.rows(vectors.rows);
    sum_gradients(vectors, out);
    encoder_.backward(out);
    encoder_.update(optimizer_, {lr, ++steps_});
    const double seconds = watch.seconds();
    totals.update_seconds += seconds - scored;
    totals.seconds += seconds;
  }

 private:
  /// The pool, the states of the sources' chains, and what is masked.
  void draw(BatchKey key, const PairBatch& batch) {
    keys_.resize(batch.pairs.size());
    for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = batch.pairs[i].source;
    sources_.build(keys_);
    source_.draw_pool(key, pool_);
    list_biases(pool_, biases_);
    masks_.build(pool_, sources_.keys());
    const int chains = source_.chains();
    states_.resize(std::size_t(sources_.size()) * chains);
    if (chains == 0) return;
    threads_.for_ranges(sources_.size(), kGroupsPerPiece, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t g = from; g < to; ++g)
        source_.states(key, sources_.key(static_cast<std::int32_t>(g)), states_of(g));
    });
    list_biases(states_, state_biases_);
  }
  /// Corrections by log q: weights of 1 / (N q).
  void list_biases(std::span<const NodeId> targets, std::vector<float>& out) const {
    out.clear();
    if (!log_q_) return;
    const double size = std::log(static_cast<double>(pool_.size()));
    for (const NodeId v : targets) out.push_back(static_cast<float>(-source_.pool_log_q(v) - size));
  }
  std::span<NodeId> states_of(std::int64_t group) {
    return std::span(states_).subspan(group * source_.chains(), source_.chains());
  }
  void move(BatchKey key, std::int32_t group, PoolWeights weights) {
    weights.pool = pool_;
    weights.states = states_of(group);
    if (observer_ != nullptr)
      observer_->record({key, sources_.key(group), weights, encoder_.scorer()});
    if (source_.chains() > 0) source_.move(key, sources_.key(group), weights);
  }

  /// Distinct rows of the batch, and places among them: of the groups, the pairs, the pool and the
  /// states.
  void list_rows(const PairBatch& batch) {
    const auto source = [&](auto g) {
      return encoder_.source_row(sources_.key(static_cast<std::int32_t>(g)));
    };
    const auto positive = [&](auto i) { return encoder_.target_row(batch.pairs[i].target); };
    const auto pooled = [&](auto j) { return encoder_.target_row(pool_[j]); };
    const auto state = [&](auto s) { return encoder_.target_row(states_[s]); };
    rows_.add(sources_.size(), source);
    rows_.add(batch.pairs.size(), positive);
    rows_.add(pool_.size(), pooled);
    rows_.add(states_.size(), state);
    rows_.list();
    slots_.clear();
    const auto list = [&](std::size_t count, const auto& row) {
      for (std::size_t i = 0; i < count; ++i) slots_.push_back(rows_.slot(row(i)));
    };
    list(sources_.size(), source);
    list(batch.pairs.size(), positive);
    list(pool_.size(), pooled);
    list(states_.size(), state);
    const std::span<const NodeId> all = slots_;
    source_slots_ = all.first(sources_.size());
    positive_slots_ = all.subspan(source_slots_.size(), batch.pairs.size());
    pool_slots_ = all.subspan(source_slots_.size() + positive_slots_.size(), pool_.size());
    state_slots_ = all.last(states_.size());
    places_.build(slots_);
  }

  /// Row by row, over the places where it stands.
  void sum_gradients(ConstMatrixRef vectors, MatrixRef out) const {
    places_.cut(0, places_.size(), kPlacesPerPiece, bounds_);
    threads_.run(static_cast<std::int64_t>(bounds_.size()) - 1, [&](std::int64_t piece) {
      for (std::int32_t g = bounds_[piece]; g < bounds_[piece + 1]; ++g) {
        float* gradient = out.row(places_.key(g));
        std::fill_n(gradient, out.stride, 0.0F);
        float shares = 0;  // of pairs that the row is part of
        for (const std::int32_t place : places_.members(g))
          shares += add_place(place, vectors, gradient, out.stride);
        if (l2_ != 0)
          kernels().axpy(gradient, l2_ * shares, vectors.row(places_.key(g)), out.stride);
      }
    });
  }
  /// Returns the number of pairs that the place stands for.
  float add_place(std::int32_t place, ConstMatrixRef vectors, float* gradient, int stride) const {
    const Kernels& k = kernels();
    const auto groups = static_cast<std::int32_t>(source_slots_.size()),
               pairs = static_cast<std::int32_t>(positive_slots_.size()),
               pool = static_cast<std::int32_t>(pool_.size());
    if (place < groups) {
      k.axpy(gradient, 1.0F, softmax_.source_gradient(place), stride);
      return static_cast<float>(sources_.members(place).size());
    }
    place -= groups;
    if (place < pairs) {
      const float* source = vectors.row(source_slots_[sources_.slot(place)]);
      k.axpy(gradient, softmax_.positive_slope(place), source, stride);
      return 1;
    }
    place -= pairs;
    if (place < pool) {
      k.axpy(gradient, 1.0F, softmax_.pool_gradient(place), stride);
      return 0;
    }
    place -= pool;
    k.axpy(gradient, softmax_.state_slope(place),
           vectors.row(source_slots_[place / source_.chains()]), stride);
    return 0;
  }

  static constexpr std::int64_t kGroupsPerPiece = 64;
  static constexpr std::int32_t kPlacesPerPiece = 128;

  Encoder& encoder_;
  bool fresh_scores_, log_q_;
  PoolSource& source_;
  NegativeObserver* observer_;  ///< may be null
  Optimizer optimizer_;
  float l2_;
  ThreadPool& threads_;
  PoolMasks masks_;
  PoolSoftmax softmax_;
  RowGroups sources_;  ///< pairs by source
  BatchRows rows_;
  RowGroups places_;  ///< by row: groups, pairs, pool, states
  std::vector<NodeId> keys_, pool_, states_;
  std::vector<float> biases_, state_biases_;
  std::vector<NodeId> slots_;  ///< of the places
  std::span<const NodeId> source_slots_, positive_slots_, pool_slots_, state_slots_;
  mutable std::vector<std::int32_t> bounds_;
  RowBuffer vectors_, gradients_;
};

}  // namespace

std::unique_ptr<Step> make_shared_step(const StepParts& parts, Encoder& encoder, int size,
                                       bool fresh_scores, bool log_q) {
  return std::make_unique<SharedStep>(parts, encoder, size, fresh_scores, log_q);
}

}  // namespace mcns
