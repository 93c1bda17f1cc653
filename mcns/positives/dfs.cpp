// Positives in the order of the paper's Algorithm 2: the depth-first sequence of its appendix, in
// which neighbours in the sequence are neighbours in the graph, with one positive per visit. A
// component of m nodes contributes 2m - 1 visits. On user-item graphs a visit of an item gives
// (user, item) too. The positive of a visit is a neighbour, or the node that a walk of d steps
// reaches, with p(d) ~ window + 1 - d: the pairs that DeepWalk's shrinking windows have. An epoch
// is one pass along the sequence, or several.
#include "mcns/core/arcs.h"
#include "mcns/core/error.h"
#include "mcns/positives/depth_first.h"
#include "mcns/positives/registry.h"

namespace mcns {
namespace {

class DfsPositives final : public PositiveSampler {
 public:
  struct Options {
    int window = 0;  ///< 0: neighbours
    std::int64_t passes = 1;
  };

  DfsPositives(const Options& options, const PositiveContext& context)
      : options_(options),
        graph_(context.graph),
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
        const NodeId v = sequence_[(first + i) % static_cast<std::int64_t>(sequence_.size())];
        Pair pair{v, options_.window > 0 ? draw_far(v, rng) : neighbors_.draw(v, rng)};
        if (!graph_.sources().contains(v)) std::swap(pair.source, pair.target);
        out.pairs[i] = pair;
        out.serials[i] = name;
      }
    });
  }

 private:
  std::int64_t visits() const {
    return options_.passes * static_cast<std::int64_t>(sequence_.size());
  }

  /// A walk that ends where it began, on the wrong side of a user-item graph or at a node without
  /// arcs is drawn anew, as walks have no such pairs; after some tries a neighbour is taken.
  NodeId draw_far(NodeId v, Rng& rng) const {
    constexpr int kTries = 64;
    const bool sides = graph_.is_bipartite();
    for (int t = 0; t < kTries; ++t) {
      const int window = 1 + static_cast<int>(rng.below(options_.window));
      // Of a window of r the distances 1 to r count alike, so one of them is kept by chance r / w.
      const int steps = 1 + static_cast<int>(rng.below(options_.window));
      if (steps > window || (sides && steps % 2 == 0)) continue;
      NodeId u = v;
      int i = 0;
      for (; i < steps && graph_.degree(u) > 0; ++i) u = neighbors_.draw(u, rng);
      if (i == steps && u != v) return u;
    }
    return neighbors_.draw(v, rng);
  }

  Options options_;
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
  PositiveEntry entry{
      {"dfs",
       "the depth-first sequence of Algorithm 2, one positive a visit",
       {choice_parameter("draw", {"edge", "walk"}, "edge",
                         "the positive of a visit: a neighbour, or a node that a "
                         "walk within the window reaches"),
        integer_parameter("window", "10", {1, 1 << 16},
                          "walk: largest distance from the visited node"),
        integer_parameter("passes", "1", {1, 1 << 20}, "passes along the sequence in an epoch")}}};
  entry.make = [](const Parameters& p, const PositiveContext& context) {
    DfsPositives::Options options;
    if (p.text("draw") == "walk") options.window = p.small("window");
    options.passes = p.integer("passes");
    return std::make_unique<DfsPositives>(options, context);
  };
  entry.weighted_arcs = [](const Graph& graph) { return graph.num_arcs(); };
  return entry;
}

}  // namespace mcns
