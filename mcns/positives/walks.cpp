// Positives from random walks: DeepWalk's uniform ones and node2vec's second-order ones.
//
// A walk is named by (epoch, number); the pairs of its windows are the positives. node2vec draws by
// rejection (Yang et al. 2019): propose a neighbour by weight, accept by bias / largest bias, so
// memory is O(edges) where tables for every arc would need the sum of squared degrees. On user-item
// graphs only pairs of a user and an item count, written (user, item). The node in the middle of a
// window is the target of its pairs, so that they can share negatives (`share`) of samplers that
// do not look at the source; it is their source where the sampler does: walks of an undirected
// graph are as probable backwards, so the pairs have the same distribution. A batch is a fixed
// number of walks, chosen so that it holds about as many pairs as asked for. With `forward` a
// window has only what precedes its middle, so every pair is (earlier node, later node): in
// directed graphs, where a walk follows arcs, the source of a pair leads to its target.
//
// With `teleport` a step may jump to any node that has edges, as PageRank's do. That mixes a little
// of chance into p_d: pairs that no walk joins, those of different components above all, are then
// taught to score low, but not without bound.
#include <algorithm>
#include <utility>

#include "mcns/core/arcs.h"
#include "mcns/core/error.h"
#include "mcns/positives/breadth.h"
#include "mcns/positives/permutation.h"
#include "mcns/positives/registry.h"

namespace mcns {
namespace {

struct WalkOptions {
  std::int64_t walks, length, window;
  bool shrink, share, forward;
  double teleport;
  double p = 1, q = 1;
  bool second_order = false;
};

class WalkPositives final : public PositiveSampler {
 public:
  WalkPositives(const WalkOptions& options, const PositiveContext& context)
      : options_(options),
        graph_(context.graph),
        neighbors_(context.graph),
        middle_is_source_(context.middle_is_source && options.share) {
    MCNS_ASSERT(!middle_is_source_ || !(graph_.is_bipartite() || graph_.is_directed()));
    for (NodeId v = 0; v < graph_.num_nodes(); ++v)
      if (graph_.degree(v) > 0) starts_.push_back(v);
    if (starts_.empty())
      throw_error(ErrorKind::kData, "the training graph has no edges to walk along");
    walks_ = static_cast<std::int64_t>(starts_.size()) * options_.walks;
    walks_per_batch_ = std::max<std::int64_t>(1, context.batch / std::max(1.0, pairs_per_walk()));
    max_pairs_ = sides() * options_.length * options_.window;
    highest_bias_ = std::max({1.0, 1 / options_.p, 1 / options_.q});
  }

  std::int64_t batches_per_epoch() const override {
    return (walks_ + walks_per_batch_ - 1) / walks_per_batch_;
  }
  std::int64_t most_pairs() const override {
    return std::min(walks_per_batch_, walks_) * options_.length * others_in_window();
  }

  int pairs_per_window() const override {
    return options_.share ? static_cast<int>(others_in_window()) : 0;
  }

  std::int64_t pieces(std::int64_t batch) const override {
    return std::min(walks_per_batch_, walks_ - batch * walks_per_batch_);
  }

  void fill_slice(BatchKey key, Slice slice, ThreadPool& pool, PairBuffer& out) const override {
    const std::int64_t first = key.batch * walks_per_batch_ + slice.first;
    const std::int64_t count = slice.last - slice.first;
    std::vector<PairBuffer> parts(count);
    const KeyedPermutation order(
        walks_, Rng(key.seed, Domain::kShuffle, static_cast<std::uint64_t>(key.epoch)));
    pool.run((count + kTogether - 1) / kTogether, [&](std::int64_t group) {
      const std::int64_t begin = group * kTogether, end = std::min(begin + kTogether, count);
      walk_together(key, first + begin, order, {parts.data() + begin, std::size_t(end - begin)});
    });
    join(parts, pool, out);
  }

 private:
  /// Of the middle of a window, that it looks to.
  std::int64_t sides() const { return options_.forward ? 1 : 2; }
  std::int64_t others_in_window() const {
    return std::min(sides() * options_.window, options_.length - 1);
  }

  /// Expected pairs of a full-length walk.
  double pairs_per_walk() const {
    double pairs = 0;
    for (std::int64_t distance = 1; distance <= options_.window; ++distance) {
      const double reach =
          options_.shrink ? static_cast<double>(options_.window - distance + 1) / options_.window
                          : 1.0;
      const bool crosses = !graph_.is_bipartite() || distance % 2 == 1;
      if (crosses && distance < options_.length)
        pairs +=
            static_cast<double>(sides()) * reach * static_cast<double>(options_.length - distance);
    }
    return pairs;
  }

  /// A walk on its way.
  struct Walk {
    std::vector<NodeId> nodes;
    Rng rng;
    std::size_t landed = 0;  ///< place of the last jump's end, or of the start
    EdgeId arc = 0;          ///< to look at next
    std::uint64_t bits = 0;

    bool at_start() const { return nodes.size() - landed == 1; }
  };

  /// A step of a walk waits for two loads, the place of a row and an entry of it; walks that follow
  /// each other wait together.
  void walk_together(BatchKey key, std::int64_t number, const KeyedPermutation& order,
                     std::span<PairBuffer> out) const {
    std::vector<Walk> walks;
    for (std::size_t i = 0; i < out.size(); ++i) {
      walks.push_back({{},
                       Rng(key.seed, Domain::kWalk, static_cast<std::uint64_t>(key.epoch),
                           static_cast<std::uint64_t>(number) + i)});
      walks[i].nodes.reserve(options_.length);
      walks[i].nodes.push_back(
          starts_[order(number + static_cast<std::int64_t>(i)) % starts_.size()]);
    }
    for (std::int64_t length = 1; length < options_.length; ++length)
      options_.second_order ? step_alone(walks) : step_together(walks);
    for (std::size_t i = 0; i < out.size(); ++i)
      add_pairs(walks[i].nodes,
                (static_cast<std::uint64_t>(number) + i) * static_cast<std::uint64_t>(max_pairs_),
                walks[i].rng, out[i]);
  }

  /// Whether the step was a jump, which is done then.
  bool jumps(Walk& walk) const {
    if (options_.teleport == 0 || walk.rng.uniform() >= options_.teleport) return false;
    walk.landed = walk.nodes.size();
    walk.nodes.push_back(starts_[walk.rng.below(starts_.size())]);
    return true;
  }

  void step_together(std::span<Walk> walks) const {
    constexpr EdgeId kNone = -1;
    for (Walk& walk : walks) {
      walk.arc = kNone;
      if (graph_.degree(walk.nodes.back()) == 0 || jumps(walk)) continue;
      walk.bits = walk.rng.next();
      walk.arc = neighbors_.arc(walk.nodes.back(), walk.bits);
      neighbors_.prefetch(walk.arc);
    }
    for (Walk& walk : walks) {
      if (walk.arc == kNone) continue;
      walk.nodes.push_back(neighbors_.end(walk.arc, walk.bits));
      __builtin_prefetch(graph_.arrays().offsets.data() + walk.nodes.back());
    }
  }

  void step_alone(std::span<Walk> walks) const {
    for (Walk& walk : walks)
      if (graph_.degree(walk.nodes.back()) > 0 && !jumps(walk)) walk.nodes.push_back(next(walk));
  }

  /// The pairs of the walk's windows; in place of their places in a batch, those in the walk.
  void add_pairs(const std::vector<NodeId>& walk, std::uint64_t name, Rng& rng,
                 PairBuffer& out) const {
    const auto length = static_cast<std::int32_t>(walk.size());
    out.resize(length * sides() * options_.window);
    out.windows.other.resize(out.pairs.size());
    std::int32_t pairs = 0;
    const auto window = static_cast<std::int32_t>(options_.window);
    std::vector<std::int32_t> place(length);  // among the nodes that are sources
    for (std::int32_t i = 0; i < length && length > 1; ++i) {
      place[i] = static_cast<std::int32_t>(out.windows.nodes.size());
      if (graph_.sources().contains(walk[i])) out.windows.nodes.push_back(walk[i]);
    }
    for (std::int32_t i = 0; i < length; ++i) {
      const std::int32_t reach =
          options_.shrink ? 1 + static_cast<std::int32_t>(rng.below(window)) : window;
      const std::int32_t low = std::max(0, i - reach);
      const std::int32_t high = options_.forward ? i - 1 : std::min(length - 1, i + reach);
      NodeId middle = -1;  // of the last pair
      for (std::int32_t j = low; j <= high; ++j) {
        Pair pair{walk[j], walk[i]};
        if (j == i || !orient(pair)) continue;
        if (pair.target != std::exchange(middle, pair.target))
          out.windows.first_pair.push_back(pairs);
        out.windows.other[pairs] = place[pair.target == walk[i] ? j : i];
        if (middle_is_source_) std::swap(pair.source, pair.target);
        out.pairs[pairs] = pair;
        out.serials[pairs] = name + pairs;
        ++pairs;
      }
    }
    out.resize(pairs);
    out.windows.other.resize(pairs);
  }

  /// Puts the walks one after the other.
  void join(const std::vector<PairBuffer>& parts, ThreadPool& pool, PairBuffer& out) const {
    auto& all = out.windows;
    all.middle_is_source = middle_is_source_;
    std::vector<std::int32_t> first_pair(1, 0);
    all.first_window.assign(1, 0);
    all.first_node.assign(1, 0);
    for (const PairBuffer& part : parts) {
      const auto add = [](std::vector<std::int32_t>& sums, std::size_t size) {
        sums.push_back(sums.back() + static_cast<std::int32_t>(size));
      };
      add(first_pair, part.pairs.size());
      add(all.first_window, part.windows.first_pair.size());
      add(all.first_node, part.windows.nodes.size());
    }
    out.resize(first_pair.back());
    all.other.resize(first_pair.back());
    all.first_pair.resize(all.first_window.back() + 1);
    all.first_pair.back() = first_pair.back();
    all.nodes.resize(all.first_node.back());
    pool.run(static_cast<std::int64_t>(parts.size()), [&](std::int64_t i) {
      const PairBuffer& part = parts[i];
      const auto moved = [](const std::vector<std::int32_t>& from, std::int32_t by,
                            std::int32_t* to) {
        for (const std::int32_t x : from) *to++ = x + by;
      };
      std::copy(part.pairs.begin(), part.pairs.end(), out.pairs.begin() + first_pair[i]);
      std::copy(part.serials.begin(), part.serials.end(), out.serials.begin() + first_pair[i]);
      moved(part.windows.other, all.first_node[i], all.other.data() + first_pair[i]);
      moved(part.windows.first_pair, first_pair[i], all.first_pair.data() + all.first_window[i]);
      std::copy(part.windows.nodes.begin(), part.windows.nodes.end(),
                all.nodes.begin() + all.first_node[i]);
    });
  }

  /// Whether the pair may be a positive; puts the user first.
  bool orient(Pair& pair) const {
    if (pair.source == pair.target) return false;  // a walk came back: nothing to learn from
    if (!graph_.is_bipartite()) return true;
    const bool source_is_user = graph_.sources().contains(pair.source);
    if (source_is_user == graph_.sources().contains(pair.target)) return false;
    if (!source_is_user) std::swap(pair.source, pair.target);
    return true;
  }

  NodeId next(Walk& walk) const {
    const NodeId current = walk.nodes.back();
    if (walk.at_start()) return neighbors_.draw(current, walk.rng);
    const NodeId previous = walk.nodes[walk.nodes.size() - 2];
    for (int tries = 0; tries < kTries; ++tries) {
      const NodeId candidate = neighbors_.draw(current, walk.rng);
      if (walk.rng.uniform() * highest_bias_ < bias(previous, candidate)) return candidate;
    }
    return enumerate(previous, current, walk.rng);
  }

  double bias(NodeId previous, NodeId candidate) const {
    if (candidate == previous) return 1 / options_.p;
    return graph_.has_edge(previous, candidate) ? 1.0 : 1 / options_.q;
  }

  /// The same distribution in O(degree), for nodes where no neighbour comes near the highest bias.
  NodeId enumerate(NodeId previous, NodeId current, Rng& rng) const {
    const auto row = graph_.neighbors(current);
    const auto weights = graph_.weights(current);
    const bool weighted = !weights.empty() && graph_.weighted_degree(current) > 0;
    std::vector<double> sums(row.size());
    double total = 0;
    for (std::size_t i = 0; i < row.size(); ++i)
      sums[i] = total += (weighted ? weights[i] : 1.0) * bias(previous, row[i]);
    const auto at = std::upper_bound(sums.begin(), sums.end(), rng.uniform() * total);
    return row[std::min<std::size_t>(at - sums.begin(), row.size() - 1)];
  }

  static constexpr int kTries = 64;
  static constexpr std::int64_t kTogether = 8;  ///< walks

  WalkOptions options_;
  const Graph& graph_;
  NeighborSampler neighbors_;
  std::vector<NodeId> starts_;
  std::int64_t walks_ = 0, walks_per_batch_ = 1, max_pairs_ = 0;
  double highest_bias_ = 1;
  bool middle_is_source_;  ///< of the pairs of a window; else it is their target
};

WalkOptions read_options(const Parameters& p) {
  WalkOptions o{};
  o.walks = p.small("walks");
  o.length = p.small("length");
  o.window = p.small("window");
  o.shrink = p.flag("shrink");
  o.share = p.flag("share");
  o.forward = p.flag("forward");
  o.teleport = p.number("teleport");
  return o;
}

std::vector<ParameterInfo> walk_parameters() {
  return {
      integer_parameter("walks", "10", {1, 1 << 20}, "walks from each node in an epoch"),
      integer_parameter("length", "40", {2, 1 << 20}, "nodes of a walk"),
      integer_parameter("window", "10", {1, 1 << 16},
                        "largest distance of a context from its centre"),
      flag_parameter("shrink", true, "draw each centre's window from 1..window, as word2vec does"),
      flag_parameter("share", true,
                     "a window's pairs share negatives where the sampler has one distribution "
                     "for all pairs, or for all of a source"),
      flag_parameter("forward", false,
                     "pairs of an earlier and a later node of a walk only: keeps the direction of "
                     "edges"),
      number_parameter("teleport", "0", {0, 1},
                       "probability that a step jumps to any node: keeps far pairs' scores "
                       "bounded")};
}

/// What first-order and second-order walks have in common.
PositiveEntry walk_entry(std::string name, std::string help) {
  PositiveEntry entry{{std::move(name), std::move(help), walk_parameters()}};
  entry.make = [](const Parameters& p, const PositiveContext& context) {
    return std::make_unique<WalkPositives>(read_options(p), context);
  };
  entry.weighted_arcs = [](const Graph& graph) { return graph.num_arcs(); };
  entry.breadth = [](const Parameters& p, const Graph& graph, bool without_links) {
    return walk_breadth(graph, {p.small("window"), p.flag("shrink")}, without_links);
  };
  entry.window = [](const Parameters& p) {
    const int window = p.small("window");
    return !p.flag("share") ? 0 : p.flag("forward") ? (window + 1) / 2 : window;
  };
  return entry;
}

}  // namespace

PositiveEntry walk_positives() {
  return walk_entry("walks", "DeepWalk: pairs within a window of random walks");
}

PositiveEntry node2vec_positives() {
  PositiveEntry entry = walk_entry("node2vec", "second-order walks by rejection, O(edges) memory");
  entry.parameters.push_back(
      number_parameter("p", "1", {1e-6, 1e6}, "return parameter: large values avoid going back"));
  entry.parameters.push_back(
      number_parameter("q", "1", {1e-6, 1e6}, "in-out parameter: large values stay near"));
  entry.make = [](const Parameters& p, const PositiveContext& context) {
    WalkOptions options = read_options(p);
    options.p = p.number("p");
    options.q = p.number("q");
    options.second_order = true;
    return std::make_unique<WalkPositives>(options, context);
  };
  return entry;
}

}  // namespace mcns
