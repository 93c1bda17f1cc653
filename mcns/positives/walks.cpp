// Positives from random walks: DeepWalk's uniform ones and node2vec's second-order ones.
//
// A walk is named by (epoch, number); the pairs of its windows are the positives. node2vec draws by
// rejection (Yang et al. 2019): propose a neighbour by weight, accept by bias / largest bias, so
// memory is O(edges) where tables for every arc would need the sum of squared degrees. On user-item
// graphs only pairs of a user and an item count, written (user, item). A batch is a fixed number of
// walks, chosen so that it holds about as many pairs as asked for.
#include <algorithm>

#include "mcns/core/error.h"
#include "mcns/positives/arcs.h"
#include "mcns/positives/permutation.h"
#include "mcns/positives/registry.h"

namespace mcns {
namespace {

struct WalkOptions {
  std::int64_t walks, length, window;
  bool shrink;
  double p = 1, q = 1;
  bool second_order = false;
};

class WalkPositives final : public PositiveSampler {
 public:
  WalkPositives(const WalkOptions& options, const PositiveContext& context)
      : options_(options), graph_(context.graph), neighbors_(context.graph) {
    for (NodeId v = 0; v < graph_.num_nodes(); ++v)
      if (graph_.degree(v) > 0) starts_.push_back(v);
    if (starts_.empty())
      throw_error(ErrorKind::kData, "the training graph has no edges to walk along");
    walks_ = static_cast<std::int64_t>(starts_.size()) * options_.walks;
    walks_per_batch_ = std::max<std::int64_t>(1, context.batch / std::max(1.0, pairs_per_walk()));
    max_pairs_ = 2 * options_.length * options_.window;
    highest_bias_ = std::max({1.0, 1 / options_.p, 1 / options_.q});
  }

  std::int64_t batches_per_epoch() const override {
    return (walks_ + walks_per_batch_ - 1) / walks_per_batch_;
  }
  std::int64_t pairs_per_epoch() const override {
    return static_cast<std::int64_t>(static_cast<double>(walks_) * pairs_per_walk());
  }

  void fill(BatchKey key, ThreadPool& pool, PairBatch& out) const override {
    const std::int64_t first = key.batch * walks_per_batch_;
    const std::int64_t count = std::min(walks_per_batch_, walks_ - first);
    std::vector<PairBatch> parts(count);
    const KeyedPermutation order(
        walks_, Rng(key.seed, Domain::kShuffle, static_cast<std::uint64_t>(key.epoch)));
    pool.run(count, [&](std::int64_t i) { one_walk(key, first + i, order, parts[i]); });
    std::size_t total = 0;
    for (const auto& part : parts) total += part.pairs.size();
    out.resize(total);
    std::size_t at = 0;
    for (const auto& part : parts) {
      std::copy(part.pairs.begin(), part.pairs.end(), out.pairs.begin() + at);
      std::copy(part.names.begin(), part.names.end(), out.names.begin() + at);
      at += part.pairs.size();
    }
  }

 private:
  /// Expected pairs of a full-length walk.
  double pairs_per_walk() const {
    double pairs = 0;
    for (std::int64_t distance = 1; distance <= options_.window; ++distance) {
      const double reach =
          options_.shrink ? static_cast<double>(options_.window - distance + 1) / options_.window
                          : 1.0;
      const bool crosses = !graph_.is_bipartite() || distance % 2 == 1;
      if (crosses && distance < options_.length)
        pairs += 2 * reach * static_cast<double>(options_.length - distance);
    }
    return pairs;
  }

  void one_walk(BatchKey key, std::int64_t number, const KeyedPermutation& order,
                PairBatch& out) const {
    Rng rng(key.seed, Domain::kWalk, static_cast<std::uint64_t>(key.epoch),
            static_cast<std::uint64_t>(number));
    const std::size_t start = order(number) % starts_.size();
    std::vector<NodeId> walk;
    walk.reserve(options_.length);
    walk.push_back(starts_[start]);
    while (static_cast<std::int64_t>(walk.size()) < options_.length &&
           graph_.degree(walk.back()) > 0)
      walk.push_back(next(walk, rng));
    const auto length = static_cast<std::int64_t>(walk.size());
    auto name = static_cast<std::uint64_t>(number * max_pairs_);
    for (std::int64_t i = 0; i < length; ++i) {
      const auto reach = options_.shrink ? 1 + static_cast<std::int64_t>(rng.below(options_.window))
                                         : options_.window;
      const std::int64_t low = std::max<std::int64_t>(0, i - reach);
      const std::int64_t high = std::min(length - 1, i + reach);
      for (std::int64_t j = low; j <= high; ++j) {
        Pair pair{walk[i], walk[j]};
        if (j == i || !orient(pair)) continue;
        out.pairs.push_back(pair);
        out.names.push_back(name++);
      }
    }
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

  NodeId next(const std::vector<NodeId>& walk, Rng& rng) const {
    const NodeId current = walk.back();
    if (!options_.second_order || walk.size() < 2) return neighbors_.draw(current, rng);
    const NodeId previous = walk[walk.size() - 2];
    for (int tries = 0; tries < kTries; ++tries) {
      const NodeId candidate = neighbors_.draw(current, rng);
      if (rng.uniform() * highest_bias_ < bias(previous, candidate)) return candidate;
    }
    return enumerate(previous, current, rng);
  }

  double bias(NodeId previous, NodeId candidate) const {
    if (candidate == previous) return 1 / options_.p;
    return graph_.has_edge(previous, candidate) ? 1.0 : 1 / options_.q;
  }

  /// The same law in O(degree), for nodes where no neighbour comes near the highest bias.
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

  WalkOptions options_;
  const Graph& graph_;
  NeighborSampler neighbors_;
  std::vector<NodeId> starts_;
  std::int64_t walks_ = 0, walks_per_batch_ = 1, max_pairs_ = 0;
  double highest_bias_ = 1;
};

WalkOptions read_options(Spec& spec) {
  WalkOptions o{};
  o.walks = spec.integer("walks", 10, 1, 1 << 20);
  o.length = spec.integer("length", 40, 2, 1 << 20);
  o.window = spec.integer("window", 10, 1, 1 << 16);
  o.shrink = spec.flag("shrink", true);
  return o;
}

}  // namespace

std::unique_ptr<PositiveSampler> make_walk_positives(Spec& spec, const PositiveContext& context) {
  const WalkOptions options = read_options(spec);
  spec.finish();
  return std::make_unique<WalkPositives>(options, context);
}

std::unique_ptr<PositiveSampler> make_node2vec_positives(Spec& spec,
                                                         const PositiveContext& context) {
  WalkOptions options = read_options(spec);
  options.p = spec.number("p", 1, 1e-6, 1e6);
  options.q = spec.number("q", 1, 1e-6, 1e6);
  options.second_order = true;
  spec.finish();
  return std::make_unique<WalkPositives>(options, context);
}

}  // namespace mcns
