// Positives in the order of the paper's Algorithm 2: the depth-first sequence of its appendix, in
// which neighbours in the sequence are neighbours in the graph, with one positive per visit. A
// component of m nodes contributes 2m - 1 visits. On user-item graphs a visit of an item gives
// (user, item) too.
#include "mcns/core/arcs.h"
#include "mcns/core/error.h"
#include "mcns/positives/depth_first.h"
#include "mcns/positives/registry.h"

namespace mcns {
namespace {

class DfsPositives final : public PositiveSampler {
 public:
  explicit DfsPositives(const PositiveContext& context)
      : graph_(context.graph),
        neighbors_(context.graph),
        batch_(context.batch),
        sequence_(depth_first_sequence(context.graph)) {
    std::erase_if(sequence_, [&](NodeId v) { return graph_.degree(v) == 0; });
    if (sequence_.empty())
      throw_error(ErrorKind::kData, "the training graph has no edges to learn from");
  }

  std::int64_t batches_per_epoch() const override { return (visits() + batch_ - 1) / batch_; }
  std::int64_t most_pairs() const override { return std::min(batch_, visits()); }

  std::int64_t pieces(std::int64_t batch) const override {
    return std::min(batch_, visits() - batch * batch_);
  }

  void fill_slice(BatchKey key, Slice slice, ThreadPool& pool, PairBuffer& out) const override {
    const std::int64_t first = key.batch * batch_ + slice.first, count = slice.last - slice.first;
    out.resize(count);
    pool.for_ranges(count, 4096, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto name = static_cast<std::uint64_t>(first + i);
        Rng rng(key.seed, Domain::kPositives, static_cast<std::uint64_t>(key.epoch), name);
        const NodeId v = sequence_[first + i];
        Pair pair{v, neighbors_.draw(v, rng)};
        if (!graph_.sources().contains(v)) std::swap(pair.source, pair.target);
        out.pairs[i] = pair;
        out.serials[i] = name;
      }
    });
  }

 private:
  std::int64_t visits() const { return static_cast<std::int64_t>(sequence_.size()); }

  const Graph& graph_;
  NeighborSampler neighbors_;
  std::int64_t batch_;
  std::vector<NodeId> sequence_;
};

}  // namespace

std::vector<NodeId> depth_first_sequence(const Graph& graph) {
  std::vector<NodeId> sequence;
  std::vector<bool> visited(graph.num_nodes());
  struct Frame {
    NodeId node;
    std::size_t next;
  };
  std::vector<Frame> stack;
  for (NodeId root = 0; root < graph.num_nodes(); ++root) {
    if (visited[root]) continue;
    visited[root] = true;
    sequence.push_back(root);
    stack.push_back({root, 0});
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      const auto row = graph.neighbors(node);
      while (next < row.size() && visited[row[next]]) ++next;
      if (next == row.size()) {
        stack.pop_back();
        if (!stack.empty()) sequence.push_back(stack.back().node);
        continue;
      }
      const NodeId child = row[next++];
      visited[child] = true;
      sequence.push_back(child);
      stack.push_back({child, 0});
    }
  }
  return sequence;
}

PositiveEntry dfs_positives() {
  PositiveEntry entry{{"dfs", "the depth-first sequence of Algorithm 2, one positive a visit"}};
  entry.make = [](const Parameters&, const PositiveContext& context) {
    return std::make_unique<DfsPositives>(context);
  };
  entry.weighted_arcs = [](const Graph& graph) { return graph.num_arcs(); };
  return entry;
}

}  // namespace mcns
