// Watches the negatives of one source as they are drawn.
//
// A draw is placed among all allowed targets by the vectors of the moment it was drawn. So a batch
// that holds the source costs a score of every allowed target and a sort of the scores. Of a pool
// that a batch shares no target is drawn: each counts by its weight in the gradient.
#pragma once

#include <span>
#include <vector>

#include "mcns/samplers/pair_sampling.h"

namespace mcns {

/// One negative that the watched source got.
struct WatchedDraw {
  std::int64_t epoch;  ///< from 0
  NodeId negative;
  float score;
  float weight;     ///< in the loss: the negative's times the pair's; 1 where all are
  double quantile;  ///< part of the allowed targets that score lower, ties by halves
};

class Watch final : public NegativeObserver {
 public:
  Watch(const Graph& graph, Filter filter, NodeId source);

  /// Takes what a piece drew; at most one piece of a batch holds the source.
  void record(const SampleRequest& request, const Negatives& drawn) override;
  /// Takes what the windows of a batch drew.
  void record(const SharedRequest& request, const Negatives& drawn) override;
  /// Takes the targets of a pool, each with its share of the weights.
  void record(const PoolRequest& request) override;

  NodeId source() const { return source_; }
  /// Targets that may be its negatives, ascending.
  const std::vector<NodeId>& allowed() const { return allowed_; }
  /// In the order they were drawn. Pairs that the sampler skipped are left out.
  const std::vector<WatchedDraw>& draws() const { return draws_; }

 private:
  void score_allowed(const Scorer& scorer);
  void add(std::int64_t epoch, NodeId negative, double weight);
  void add(std::int64_t epoch, const Negatives& drawn, std::int64_t slot, float share);
  WatchedDraw place(NodeId negative) const;

  NodeId source_;
  std::vector<NodeId> allowed_;
  std::vector<float> scores_, sorted_;  ///< of the allowed targets
  std::vector<WatchedDraw> draws_;
};

}  // namespace mcns
