// Negatives that all pairs of a batch share: a pool of targets, drawn from one distribution for all
// sources, and the states of Markov chains that a sampler may keep for each source beside it.
//
// The softmax over such a pool is computed by matrix products (train/pool_softmax.h), with the
// source's training positives masked. A sampler with chains is asked for a source's states, which
// are candidates of that source alone, and told the weights of all its candidates afterwards, so
// that the chains can move.
#pragma once

#include <span>

#include "mcns/core/batch.h"
#include "mcns/core/rng.h"

namespace mcns {

/// A source's candidates after scoring: exp(score), up to a factor, 0 for training positives.
struct PoolWeights {
  std::span<const NodeId> pool = {};
  std::span<const NodeId> states = {};  ///< the source's own
  std::span<const float> state_weights;
  float pool_total = 0;  ///< of the weights of the pool
  /// The pool's weights, cut into `chunk` columns each: weights[c] has those of chunk c.
  std::span<const float* const> weights;
  std::span<const float> chunk_totals;
  int chunk = 0;
};

class PoolSource {
 public:
  virtual ~PoolSource() = default;
  /// Targets of a pool where `asked` were asked for.
  virtual int pool_size(int asked) const { return asked; }
  /// Independent draws, the same for every source; training positives are not left out.
  virtual void draw_pool(BatchKey key, std::span<NodeId> out) const = 0;
  /// Log probability of such a draw.
  virtual double pool_log_q(NodeId target) const = 0;

  /// States of a source; 0: there are no chains.
  virtual int chains() const { return 0; }
  /// Writes the source's states, none of them excluded. A source is asked once per batch, by one
  /// thread.
  virtual void states(BatchKey, NodeId /*source*/, std::span<NodeId> /*out*/) {}
  /// Moves the source's chains; once per batch, by one thread.
  virtual void move(BatchKey, NodeId /*source*/, const PoolWeights&) {}
};

}  // namespace mcns
