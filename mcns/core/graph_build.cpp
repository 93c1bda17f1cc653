// Building a graph: a parallel counting sort in two levels, O(arcs).
//
// Arcs are first partitioned by buckets of consecutive sources (at most kMaxBuckets, so that every
// write front stays in cache), then each bucket is sorted on its own. The input is cut into pieces
// of a fixed size and piece c writes its share of bucket b behind those of the pieces before, so
// arcs keep their input order in a bucket whatever the number of threads. Pages of the input are
// given back as they are consumed, those of the buckets likewise: the peak is the larger of list
// and arcs, plus the graph's share that is already done.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>

#include "mcns/core/error.h"
#include "mcns/core/graph.h"
#include "mcns/core/pages.h"

namespace mcns {
namespace {

constexpr std::int64_t kPiecePairs = std::int64_t{1} << 18;
constexpr std::int64_t kMaxBuckets = 1024;
constexpr std::int64_t kNone = -1;
constexpr int kDigitBits = 11;
constexpr std::int64_t kBucketArcs = 4096;  ///< buckets of fewer arcs are not worth their overhead

/// Memory that is not touched before it is used.
template <class T>
struct Buffer {
  std::unique_ptr<T[]> data;
  std::int64_t size = 0;

  void allocate(std::int64_t count) {
    data = std::make_unique_for_overwrite<T[]>(count);
    size = count;
  }
  std::span<T> part(std::int64_t begin, std::int64_t end) {
    return {data.get() + begin, static_cast<std::size_t>(end - begin)};
  }
};

struct Storage {
  std::vector<EdgeId> offsets;
  Buffer<NodeId> neighbors;
  Buffer<float> weights;  ///< empty where there are none
};

/// An arc of a bucket: the source, counted from the bucket's first node, above the target. Sorted
/// keys are sorted rows.
template <class Key>
struct PlainArc {
  Key key;
};

template <class Key>
struct WeightedArc {
  Key key;
  float weight;
};

/// Radix sort by key, stable, a digit of at most kDigitBits at a time. The result is where the
/// returned span says: in `arcs` or in `spare`, which is as long. Keys are below 2^bits.
template <class Arc>
std::span<Arc> sort_arcs(std::span<Arc> arcs, std::span<Arc> spare, int bits) {
  const int passes = (bits + kDigitBits - 1) / kDigitBits;
  const int digit_bits = passes == 0 ? 0 : (bits + passes - 1) / passes;
  const std::size_t mask = (std::size_t{1} << digit_bits) - 1;
  std::array<EdgeId, std::size_t{1} << kDigitBits> begins;
  for (int pass = 0; pass < passes; ++pass) {
    const auto digit = [&](const Arc& arc) { return arc.key >> (pass * digit_bits) & mask; };
    begins.fill(0);
    for (const Arc& arc : arcs) ++begins[digit(arc)];
    std::exclusive_scan(begins.begin(), begins.begin() + mask + 1, begins.begin(), EdgeId{0});
    for (const Arc& arc : arcs) spare[begins[digit(arc)]++] = arc;
    std::swap(arcs, spare);
  }
  return arcs;
}

/// How nodes are cut into buckets: at most kMaxBuckets of a power of two each.
struct Buckets {
  int shift = 0;        ///< node >> shift is its bucket
  int target_bits = 0;  ///< of a key

  Buckets(NodeId nodes, std::int64_t arcs) : nodes_(nodes) {
    const std::int64_t wanted = std::clamp(arcs / kBucketArcs, std::int64_t{1}, kMaxBuckets);
    while ((std::int64_t{nodes} >> shift) >= wanted) ++shift;
    target_bits = std::bit_width(static_cast<std::uint32_t>(std::max(nodes, 1) - 1));
  }
  std::int64_t count() const { return (std::int64_t{nodes_} >> shift) + 1; }
  int key_bits() const { return shift + target_bits; }
  NodeRange nodes(std::int64_t bucket) const {
    const std::int64_t end = std::min<std::int64_t>((bucket + 1) << shift, nodes_);
    return {static_cast<NodeId>(bucket << shift), static_cast<NodeId>(end)};
  }

 private:
  NodeId nodes_;
};

template <class Key, bool kWeighted>
class Builder {
  using Arc = std::conditional_t<kWeighted, WeightedArc<Key>, PlainArc<Key>>;

 public:
  Builder(EdgeList edges, NodeId nodes, const BuildOptions& options, const Buckets& cut,
          ThreadPool& pool)
      : edges_(std::move(edges)),
        nodes_(nodes),
        options_(options),
        cut_(cut),
        pool_(pool),
        both_(options.kind != GraphKind::kDirected),
        sources_{0, options.kind == GraphKind::kBipartite ? options.users : nodes},
        targets_{options.kind == GraphKind::kBipartite ? options.users : 0, nodes},
        pieces_((num_pairs() + kPiecePairs - 1) / kPiecePairs),
        buckets_(cut.count()) {}

  Graph build(BuildCounts& counts) {
    counts.read = num_pairs();
    counts.self_loops = count();
    partition();
    sort_buckets();
    close_gaps();
    const Graph::Arrays arrays{csr_->offsets, csr_->neighbors.part(0, csr_->neighbors.size),
                               csr_->weights.part(0, csr_->weights.size)};
    Graph graph(arrays, options_.kind, options_.users, csr_);
    counts.merged = counts.read - counts.self_loops - graph.num_edges();
    return graph;
  }

 private:
  std::int64_t num_pairs() const { return static_cast<std::int64_t>(edges_.pairs.size()); }

  /// Calls body(pair, its index) for the pairs of a piece that are kept; returns the others.
  template <class Body>
  std::int64_t for_kept(std::int64_t piece, const Body& body) const {
    const bool drop = options_.self_loops == SelfLoops::kDrop;
    const std::int64_t end = std::min(num_pairs(), (piece + 1) * kPiecePairs);
    std::int64_t dropped = 0;
    for (std::int64_t i = piece * kPiecePairs; i < end; ++i) {
      const Pair pair = edges_.pairs[i];
      if (pair.source == pair.target && drop)
        ++dropped;
      else
        body(pair, i);
    }
    return dropped;
  }

  bool is_sound(std::int64_t i) const {
    const auto [source, target] = edges_.pairs[i];
    if constexpr (kWeighted)
      if (!(edges_.weights[i] >= 0 && edges_.weights[i] <= std::numeric_limits<float>::max()))
        return false;
    return sources_.contains(source) && targets_.contains(target);
  }

  [[noreturn]] void throw_unsound(std::int64_t i) const {
    const auto [source, target] = edges_.pairs[i];
    if (!sources_.contains(source) || !targets_.contains(target))
      throw_error(ErrorKind::kData,
                  "edge {} is ({}, {}); sources must be in [{}, {}) and targets in [{}, {})", i,
                  source, target, sources_.begin, sources_.end, targets_.begin, targets_.end);
    throw_error(ErrorKind::kData, "edge {} weighs {}; weights must be finite and not negative", i,
                edges_.weights[i]);
  }

  /// The first edge of a piece that no graph can have, or kNone. A pass over a piece that is then
  /// in the cache for the next one.
  std::int64_t find_unsound(std::int64_t piece) const {
    const std::int64_t end = std::min(num_pairs(), (piece + 1) * kPiecePairs);
    for (std::int64_t i = piece * kPiecePairs; i < end; ++i)
      if (!is_sound(i)) return i;
    return kNone;
  }

  /// Arcs per piece and bucket, then where each of these shares begins. Returns dropped loops.
  EdgeId count() {
    shares_.assign(pieces_ * buckets_, 0);
    std::vector<EdgeId> dropped(pieces_);
    std::vector<std::int64_t> unsound(pieces_, kNone);
    pool_.run(pieces_, [&](std::int64_t piece) {
      unsound[piece] = find_unsound(piece);
      if (unsound[piece] != kNone) return;
      EdgeId* share = shares_.data() + piece * buckets_;
      dropped[piece] = for_kept(piece, [&](Pair pair, std::int64_t) {
        ++share[pair.source >> cut_.shift];
        if (both_ && pair.source != pair.target) ++share[pair.target >> cut_.shift];
      });
    });
    for (const std::int64_t i : unsound)
      if (i != kNone) throw_unsound(i);
    begins_.assign(buckets_ + 1, 0);
    EdgeId at = 0;
    for (std::int64_t bucket = 0; bucket < buckets_; ++bucket) {
      begins_[bucket] = at;
      for (std::int64_t piece = 0; piece < pieces_; ++piece)
        at += std::exchange(shares_[piece * buckets_ + bucket], at);
    }
    begins_[buckets_] = at;
    EdgeId all = 0;
    for (const EdgeId loops : dropped) all += loops;
    return all;
  }

  void partition() {
    arcs_.allocate(begins_.back());
    const auto local = static_cast<NodeId>((std::int64_t{1} << cut_.shift) - 1);
    pool_.run(pieces_, [&](std::int64_t piece) {
      EdgeId* cursor = shares_.data() + piece * buckets_;
      const auto place = [&](NodeId from, NodeId to, std::int64_t i) {
        Arc& arc = arcs_.data[cursor[from >> cut_.shift]++];
        arc.key = static_cast<Key>(from & local) << cut_.target_bits | static_cast<Key>(to);
        if constexpr (kWeighted) arc.weight = edges_.weights[i];
      };
      for_kept(piece, [&](Pair pair, std::int64_t i) {
        place(pair.source, pair.target, i);
        if (both_ && pair.source != pair.target) place(pair.target, pair.source, i);
      });
      const std::int64_t begin = piece * kPiecePairs;
      const std::int64_t end = std::min(begin + kPiecePairs, num_pairs());
      discard_pages(edges_.pairs.data() + begin, edges_.pairs.data() + end);
      if (kWeighted) discard_pages(edges_.weights.data() + begin, edges_.weights.data() + end);
    });
    edges_ = {};
  }

  void sort_buckets() {
    csr_->offsets.resize(static_cast<std::size_t>(nodes_) + 1);
    csr_->neighbors.allocate(begins_.back());
    if (kWeighted) csr_->weights.allocate(begins_.back());
    kept_.resize(buckets_);
    pool_.run(buckets_, [&](std::int64_t bucket) {
      sort_bucket(bucket);
      discard_pages(arcs_.data.get() + begins_[bucket], arcs_.data.get() + begins_[bucket + 1]);
    });
    arcs_ = {};
  }

  void add_weight(EdgeId arc, float weight) {
    const float sum = csr_->weights.data[arc] += weight;
    if (sum > std::numeric_limits<float>::max())
      throw_error(ErrorKind::kData,
                  "the weights of a repeated edge add up to more than {}, the largest that is "
                  "kept; scale them down, or use --duplicates keep",
                  std::numeric_limits<float>::max());
  }

  /// Sorts a bucket and writes its rows; the weights of a repeated arc add up in input order.
  void sort_bucket(std::int64_t bucket) {
    const EdgeId begin = begins_[bucket];
    Buffer<Arc> spare;
    spare.allocate(begins_[bucket + 1] - begin);
    const auto sorted = sort_arcs(arcs_.part(begin, begins_[bucket + 1]), spare.part(0, spare.size),
                                  cut_.key_bits());
    const bool merge = options_.repeated == Repeated::kMerge;
    const Key target_mask = (Key{1} << cut_.target_bits) - 1;
    const NodeRange range = cut_.nodes(bucket);
    NodeId* const neighbors = csr_->neighbors.data.get();
    NodeId row = range.begin;
    EdgeId at = begin;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const Key key = sorted[i].key;
      if (merge && i > 0 && key == sorted[i - 1].key) {
        if constexpr (kWeighted) add_weight(at - 1, sorted[i].weight);
        continue;
      }
      const auto source = static_cast<NodeId>(range.begin + (key >> cut_.target_bits));
      while (row <= source) csr_->offsets[row++] = at;
      neighbors[at] = static_cast<NodeId>(key & target_mask);
      if constexpr (kWeighted) csr_->weights.data[at] = sorted[i].weight;
      ++at;
    }
    while (row < range.end) csr_->offsets[row++] = at;
    kept_[bucket] = at - begin;
  }

  /// Merging leaves gaps at the end of buckets.
  void close_gaps() {
    std::vector<EdgeId> moved(buckets_);
    EdgeId at = 0;
    for (std::int64_t bucket = 0; bucket < buckets_; ++bucket) {
      moved[bucket] = begins_[bucket] - at;
      if (moved[bucket] > 0) {
        const auto move = [&](auto& buffer) {
          const auto from = buffer.data.get() + begins_[bucket];
          std::copy(from, from + kept_[bucket], buffer.data.get() + at);
        };
        move(csr_->neighbors);
        if (kWeighted) move(csr_->weights);
      }
      at += kept_[bucket];
    }
    pool_.run(buckets_, [&](std::int64_t bucket) {
      const NodeRange range = cut_.nodes(bucket);
      for (NodeId v = range.begin; v < range.end; ++v) csr_->offsets[v] -= moved[bucket];
    });
    csr_->offsets[nodes_] = at;
    csr_->neighbors.size = at;
    if (kWeighted) csr_->weights.size = at;
  }

  EdgeList edges_;
  NodeId nodes_;
  const BuildOptions& options_;
  Buckets cut_;
  ThreadPool& pool_;
  bool both_;
  NodeRange sources_, targets_;
  std::int64_t pieces_, buckets_;
  std::vector<EdgeId> shares_;  ///< by piece, then bucket
  std::vector<EdgeId> begins_;  ///< of the buckets in arcs, and one past the last
  std::vector<EdgeId> kept_;    ///< arcs of a bucket after merging
  Buffer<Arc> arcs_;
  std::shared_ptr<Storage> csr_ = std::make_shared<Storage>();
};

template <class Key>
Graph build_with(EdgeList edges, NodeId nodes, const BuildOptions& options, const Buckets& cut,
                 ThreadPool& pool, BuildCounts& counts) {
  if (edges.weights.empty())
    return Builder<Key, false>(std::move(edges), nodes, options, cut, pool).build(counts);
  return Builder<Key, true>(std::move(edges), nodes, options, cut, pool).build(counts);
}

}  // namespace

Graph build_graph(EdgeList edges, NodeId nodes, const BuildOptions& options, ThreadPool& pool,
                  BuildCounts* counts) {
  require(nodes >= 0, "a graph of {} nodes; there must be 0 or more", nodes);
  require(options.users >= 0 && options.users <= nodes,
          "{} users among {} nodes; users must be between 0 and the nodes", options.users, nodes);
  require(edges.weights.empty() || edges.weights.size() == edges.pairs.size(),
          "{} weights for {} edges; there must be one for each, or none", edges.weights.size(),
          edges.pairs.size());
  BuildCounts local;
  const auto pairs = static_cast<std::int64_t>(edges.pairs.size());
  const Buckets cut(nodes, options.kind == GraphKind::kDirected ? pairs : 2 * pairs);
  // Half the memory traffic for graphs of up to some millions of nodes.
  const auto build = cut.key_bits() <= 32 ? &build_with<std::uint32_t> : &build_with<std::uint64_t>;
  Graph graph = build(std::move(edges), nodes, options, cut, pool, local);
  if (counts != nullptr) *counts = local;
  return graph;
}

}  // namespace mcns
