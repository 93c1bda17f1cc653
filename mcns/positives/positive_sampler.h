// Positives: which true pairs a batch holds. Const and keyed: the same key gives the same pairs on
// any thread. Every pair has a name, unique within the epoch, that its negatives' random numbers
// use.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mcns/core/component.h"
#include "mcns/core/graph.h"
#include "mcns/core/parallel.h"

namespace mcns {

struct BatchKey {
  std::uint64_t seed = 1;
  std::int64_t epoch = 0, batch = 0;
};

/// How the pairs of a batch of walks lie: a window is a stretch of pairs with one target, whose
/// sources are nodes of the walk. Its pairs may share their negatives. `first_*` end with a count.
struct WalkWindows {
  std::vector<std::int32_t> first_pair;    ///< of a window
  std::vector<std::int32_t> first_window;  ///< of a walk
  std::vector<std::int32_t> first_node;    ///< of a walk
  std::vector<NodeId> nodes;               ///< of the walks that are sources
  std::vector<std::int32_t> source;        ///< of a pair, in `nodes`

  std::int64_t walks() const { return static_cast<std::int64_t>(first_window.size()) - 1; }
  std::int64_t windows() const { return static_cast<std::int64_t>(first_pair.size()) - 1; }
};

struct PairBatch {
  std::vector<Pair> pairs;
  std::vector<std::uint64_t> names;
  WalkWindows windows;  ///< empty where positives have none
  void resize(std::size_t n) {
    pairs.resize(n);
    names.resize(n);
  }
};

class PositiveSampler {
 public:
  virtual ~PositiveSampler() = default;
  virtual std::int64_t batches_per_epoch() const = 0;
  /// Expected pairs of an epoch, for progress and memory.
  virtual std::int64_t pairs_per_epoch() const = 0;
  virtual void fill(BatchKey key, ThreadPool& pool, PairBatch& out) const = 0;
  /// Of a window, at most; 0 where batches have no windows whose pairs may share negatives.
  virtual int sources_per_window() const { return 0; }
};

struct PositiveContext {
  const Graph& graph;
  int batch;  ///< pairs per batch, about
  ThreadPool& pool;
};

/// `edges`, `walks:length=40,window=5`, ... The graph must outlive the sampler.
std::unique_ptr<PositiveSampler> make_positives(const std::string& spec,
                                                const PositiveContext& context);
std::vector<ComponentInfo> list_positives();

}  // namespace mcns
