// Which targets may not be negatives of a source: its training positives and itself.
//
// Asked once or more per draw, so the answer is usually one load and no branch: each source has a
// set of bits, one per target where that takes at most 4 bytes a neighbour, else a sketch of 20 to
// 40 bits a neighbour where two set bits ask the sorted neighbour list. A sampler draws by
// rejection, and by the complement where nearly everything is excluded, so that exactly k negatives
// come back for any node that has an allowed target at all.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mcns/core/exclusion_sketch.h"
#include "mcns/core/graph.h"
#include "mcns/core/rng.h"

namespace mcns {

enum class Filter { kNone, kTrain };
/// Of `none` and `train`.
Filter parse_filter(const std::string& name);

class Exclusion {
 public:
  /// The graph must outlive the object.
  Exclusion(const Graph& graph, Filter filter);

  /// `target` must be one.
  bool excluded(NodeId source, NodeId target) const {
    if (!may_be_excluded(source, target)) return false;
    return knows_exactly(source) || source == target || graph_->has_edge(source, target);
  }
  /// Whether what may be excluded is.
  bool knows_exactly(NodeId source) const {
    return filter_ == Filter::kNone || sketches_[source].is_exact();
  }
  /// Without a branch on the target; true for all that are excluded, and for few that are not.
  bool may_be_excluded(NodeId source, NodeId target) const {
    if (filter_ == Filter::kNone) return false;
    return sketches_[source].may_exclude(words_.data(), index(target));
  }

  NodeRange targets() const { return targets_; }
  /// Targets that may be negatives of `source`.
  NodeId allowed(NodeId source) const;
  /// The i-th allowed target in ascending order; O(degree).
  NodeId nth_allowed(NodeId source, NodeId i) const;
  /// Uniform over all targets; spends one number.
  NodeId propose_uniform(Rng& rng) const { return propose_uniform(rng.next()); }
  NodeId propose_uniform(std::uint64_t bits) const {
    return targets_.begin + static_cast<NodeId>(Rng::below(bits, targets_.size()));
  }
  /// Uniform over the allowed targets; there must be one.
  NodeId draw_uniform(NodeId source, Rng& rng) const {
    for (int tries = 0; tries < kTries; ++tries) {
      const NodeId v = propose_uniform(rng);
      if (!excluded(source, v)) return v;
    }
    return nth_allowed(source, static_cast<NodeId>(rng.below(allowed(source))));
  }
  Filter filter() const { return filter_; }
  /// Throws Error(kData) unless there are `count` nodes and each is a target or -1: `nodes` come
  /// from a file.
  void check_saved(const std::string& name, std::span<const NodeId> nodes, std::size_t count) const;
  const Graph& graph() const { return *graph_; }

  static constexpr int kTries = 256;

  /// A source's bits among the words, for code that asks for many sources at once; with
  /// Filter::kNone a sketch that excludes nothing, exactly.
  ExclusionSketch sketch(NodeId source) const {
    return filter_ == Filter::kNone ? ExclusionSketch{0, 1, 31} : sketches_[source];
  }
  std::span<const std::uint32_t> words() const { return words_; }

 private:
  std::uint32_t index(NodeId target) const {
    return static_cast<std::uint32_t>(target - targets_.begin);
  }

  const Graph* graph_;
  Filter filter_;
  NodeRange targets_;
  std::vector<ExclusionSketch> sketches_;
  std::vector<std::uint32_t> words_;
};

}  // namespace mcns
