// Which targets may not be negatives of a source: its training positives and itself.
//
// Asked once or more per draw, so the answer is usually one load: each source has a bit sketch of
// about eight bits per neighbour, and only a set bit asks the sorted neighbour list. A sampler draws
// by rejection, and by the complement where nearly everything is excluded, so that exactly k
// negatives come back for any node that has an allowed target at all.
#pragma once

#include <vector>

#include "mcns/core/graph.h"
#include "mcns/core/rng.h"

namespace mcns {

enum class Filter { kNone, kTrain };

class Exclusion {
 public:
  /// The graph must outlive the object.
  Exclusion(const Graph& graph, Filter filter);

  bool excluded(NodeId source, NodeId target) const {
    if (filter_ == Filter::kNone) return false;
    if (source == target) return true;
    const Sketch sketch = sketches_[source];
    const std::uint32_t bit = hash(target) >> sketch.shift;
    if ((words_[sketch.offset + (bit >> 6)] >> (bit & 63) & 1) == 0) return false;
    return graph_->has_edge(source, target);
  }

  NodeRange targets() const { return targets_; }
  /// Targets that may be negatives of `source`.
  NodeId allowed(NodeId source) const;
  /// The i-th allowed target in ascending order; O(degree).
  NodeId nth_allowed(NodeId source, NodeId i) const;
  /// Uniform over the allowed targets; there must be one.
  NodeId draw_uniform(NodeId source, Rng& rng) const {
    for (int tries = 0; tries < kTries; ++tries) {
      const auto v = targets_.begin + static_cast<NodeId>(rng.below(targets_.size()));
      if (!excluded(source, v)) return v;
    }
    return nth_allowed(source, static_cast<NodeId>(rng.below(allowed(source))));
  }
  Filter filter() const { return filter_; }
  const Graph& graph() const { return *graph_; }

  static constexpr int kTries = 256;

 private:
  struct Sketch {
    std::uint32_t offset, shift;
  };
  static std::uint32_t hash(NodeId v) { return static_cast<std::uint32_t>(v) * 0x9e3779b1U; }

  const Graph* graph_;
  Filter filter_;
  NodeRange targets_;
  std::vector<Sketch> sketches_;
  std::vector<std::uint64_t> words_;
};

}  // namespace mcns
