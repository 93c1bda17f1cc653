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

struct PlainArc {
  NodeId source, target;
};

struct WeightedArc {
  NodeId source, target;
  float weight;
};

/// Sorts by target, stable, a digit of at most kDigitBits at a time; the result is in `arcs`, or in
/// `spare` if that is returned. Targets are below 2^bits.
template <class Arc>
std::span<Arc> sort_by_target(std::span<Arc> arcs, std::span<Arc> spare, int bits) {
  const int passes = (bits + kDigitBits - 1) / kDigitBits;
  const int digit_bits = passes == 0 ? 0 : (bits + passes - 1) / passes;
  const auto mask = static_cast<std::uint32_t>((1 << digit_bits) - 1);
  std::array<std::uint32_t, std::size_t{1} << kDigitBits> begins;
  for (int pass = 0; pass < passes; ++pass) {
    const auto digit = [&](const Arc& arc) {
      return static_cast<std::uint32_t>(arc.target) >> (pass * digit_bits) & mask;
    };
    begins.fill(0);
    for (const Arc& arc : arcs) ++begins[digit(arc)];
    std::exclusive_scan(begins.begin(), begins.begin() + mask + 1, begins.begin(), 0U);
    for (const Arc& arc : arcs) spare[begins[digit(arc)]++] = arc;
    std::swap(arcs, spare);
  }
  return arcs;
}

template <class Arc>
class Builder {
 public:
  Builder(EdgeList edges, NodeId nodes, const BuildOptions& options, ThreadPool& pool)
      : edges_(std::move(edges)),
        nodes_(nodes),
        options_(options),
        pool_(pool),
        both_(options.kind != GraphKind::kDirected),
        pieces_((num_pairs() + kPiecePairs - 1) / kPiecePairs) {
    const std::int64_t wanted =
        std::clamp((both_ ? 2 : 1) * num_pairs() / kBucketArcs, std::int64_t{1}, kMaxBuckets);
    while ((std::int64_t{nodes} >> shift_) >= wanted) ++shift_;
    buckets_ = (std::int64_t{nodes} >> shift_) + 1;
  }

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
  static constexpr bool kWeighted = std::is_same_v<Arc, WeightedArc>;

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

  /// Arcs per piece and bucket, then where each of these shares begins. Returns dropped loops.
  EdgeId count() {
    shares_.assign(pieces_ * buckets_, 0);
    std::vector<EdgeId> dropped(pieces_);
    pool_.run(pieces_, [&](std::int64_t piece) {
      EdgeId* share = shares_.data() + piece * buckets_;
      dropped[piece] = for_kept(piece, [&](Pair pair, std::int64_t) {
        MCNS_ASSERT(pair.source >= 0 && pair.source < nodes_);
        MCNS_ASSERT(pair.target >= 0 && pair.target < nodes_);
        MCNS_ASSERT(options_.kind != GraphKind::kBipartite ||
                    (pair.source < options_.users && pair.target >= options_.users));
        ++share[pair.source >> shift_];
        if (both_ && pair.source != pair.target) ++share[pair.target >> shift_];
      });
    });
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
    pool_.run(pieces_, [&](std::int64_t piece) {
      EdgeId* cursor = shares_.data() + piece * buckets_;
      const auto place = [&](NodeId from, NodeId to, std::int64_t i) {
        Arc& arc = arcs_.data[cursor[from >> shift_]++];
        arc.source = from;
        arc.target = to;
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

  NodeRange nodes_of(std::int64_t bucket) const {
    const std::int64_t end = (bucket + 1) << shift_;
    return {static_cast<NodeId>(bucket << shift_),
            static_cast<NodeId>(std::min<std::int64_t>(end, nodes_))};
  }

  /// Sorts by target, then by source, both stable: repeated arcs end up in input order.
  void sort_bucket(std::int64_t bucket) {
    const NodeRange range = nodes_of(bucket);
    const EdgeId base = begins_[bucket];
    const std::span<Arc> arcs = arcs_.part(base, begins_[bucket + 1]);
    Buffer<Arc> spare;
    spare.allocate(static_cast<std::int64_t>(arcs.size()));
    // Row r is filled from offsets[r + 1] on, after which that is where row r + 1 begins.
    std::vector<EdgeId> offsets(range.size() + 2, 0);
    for (const Arc& arc : arcs) ++offsets[arc.source - range.begin + 2];
    offsets[1] = base;
    std::partial_sum(offsets.begin() + 1, offsets.end(), offsets.begin() + 1);
    const int bits = std::bit_width(static_cast<std::uint32_t>(nodes_ - 1));
    for (const Arc& arc : sort_by_target(arcs, spare.part(0, spare.size), bits)) {
      const EdgeId at = offsets[arc.source - range.begin + 1]++;
      csr_->neighbors.data[at] = arc.target;
      if constexpr (kWeighted) csr_->weights.data[at] = arc.weight;
    }
    EdgeId end = base;
    EdgeId begin = base;
    for (NodeId v = range.begin; v < range.end; ++v) {
      csr_->offsets[v] = end;
      const EdgeId next = offsets[v - range.begin + 1];
      end = tidy_row(begin, next, end);
      begin = next;
    }
    kept_[bucket] = end - base;
  }

  /// Moves the sorted row [begin, end) to `at`, merging if told; returns where it ends there.
  EdgeId tidy_row(EdgeId begin, EdgeId end, EdgeId at) {
    const EdgeId first = at;
    NodeId* const neighbors = csr_->neighbors.data.get();
    const bool merge = options_.repeated == Repeated::kMerge;
    for (EdgeId i = begin; i < end; ++i) {
      if (merge && at > first && neighbors[at - 1] == neighbors[i]) {
        if constexpr (kWeighted) csr_->weights.data[at - 1] += csr_->weights.data[i];
      } else {
        neighbors[at] = neighbors[i];
        if constexpr (kWeighted) csr_->weights.data[at] = csr_->weights.data[i];
        ++at;
      }
    }
    return at;
  }

  /// Merging left room at the end of buckets.
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
      const NodeRange range = nodes_of(bucket);
      for (NodeId v = range.begin; v < range.end; ++v) csr_->offsets[v] -= moved[bucket];
    });
    csr_->offsets[nodes_] = at;
    csr_->neighbors.size = at;
    if (kWeighted) csr_->weights.size = at;
  }

  EdgeList edges_;
  NodeId nodes_;
  const BuildOptions& options_;
  ThreadPool& pool_;
  bool both_;
  int shift_ = 0;
  std::int64_t pieces_, buckets_ = 1;
  std::vector<EdgeId> shares_;  ///< by piece, then bucket
  std::vector<EdgeId> begins_;  ///< of the buckets in arcs, and one past the last
  std::vector<EdgeId> kept_;    ///< arcs of a bucket after merging
  Buffer<Arc> arcs_;
  std::shared_ptr<Storage> csr_ = std::make_shared<Storage>();
};

}  // namespace

Graph build_graph(EdgeList edges, NodeId nodes, const BuildOptions& options, ThreadPool& pool,
                  BuildCounts* counts) {
  BuildCounts local;
  Graph graph = edges.weights.empty()
                    ? Builder<PlainArc>(std::move(edges), nodes, options, pool).build(local)
                    : Builder<WeightedArc>(std::move(edges), nodes, options, pool).build(local);
  if (counts != nullptr) *counts = local;
  return graph;
}

}  // namespace mcns
