#include "mcns/eval/top_k.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "mcns/core/error.h"
#include "mcns/eval/score_kernels.h"

namespace mcns {
namespace {

constexpr int kTileItems = 192;  // scores of a tile: 48 KiB
constexpr float kInfinity = std::numeric_limits<float>::infinity();

bool better(const ScoredNode& a, const ScoredNode& b) {
  return a.score != b.score ? a.score > b.score : a.node < b.node;
}

bool holds(std::span<const NodeId> ascending, NodeId node) {
  return std::binary_search(ascending.begin(), ascending.end(), node);
}

/// One thread's working memory, and the work on one block of sources at a time.
class Worker {
 public:
  explicit Worker(const TopKRequest& request)
      : request_(request),
        packed_(request.source.dim, kLaneBlock),
        tile_(kTileItems, kLaneBlock),
        thresholds_(1, kLaneBlock),
        heaps_(kLaneBlock) {}

  /// Sources [first, first + count) of the request, at most kLaneBlock.
  void run(std::size_t first, std::size_t count, std::span<ScoredNode> out) {
    sources_ = request_.sources.subspan(first, count);
    pack();
    const NodeRange among = request_.among;
    for (NodeId row = among.begin; row < among.end; row += kTileItems) {
      const int items = std::min(kTileItems, among.end - row);
      kernels_.tile(packed_.data(), request_.target.row(row), request_.target.stride, items,
                    request_.source.dim, tile_.data());
      kernels_.above(tile_.data(), items, thresholds_.data(), above_.data());
      for (int i = 0; i < items; ++i)
        for (std::uint64_t bits = above_[i]; bits != 0; bits &= bits - 1) {
          const int lane = std::countr_zero(bits);
          offer(lane, {row + i, tile_.row(i)[lane]});
        }
    }
    for (std::size_t lane = 0; lane < count; ++lane) {
      auto& heap = heaps_[lane];
      std::ranges::sort(heap, better);
      heap.resize(request_.k, kNoNode);
      std::ranges::copy(heap,
                        out.begin() + static_cast<std::ptrdiff_t>((first + lane) * heap.size()));
    }
  }

 private:
  void pack() {
    std::ranges::fill(packed_.flat(), 0.0F);
    std::ranges::fill(thresholds_.flat(),
                      kInfinity);  // nothing is above that in a lane without one
    for (std::size_t lane = 0; lane < sources_.size(); ++lane) {
      const float* row = request_.source.row(sources_[lane]);
      for (int d = 0; d < request_.source.dim; ++d) packed_.row(d)[lane] = row[d];
      heaps_[lane].clear();
      thresholds_.data()[lane] = -kInfinity;
    }
  }

  bool is_candidate(int lane, NodeId node) const {
    const NodeId source = sources_[lane];
    if (node == source && !request_.itself) return false;
    if (holds(request_.left_out, node)) return false;
    return request_.known == nullptr || !holds(request_.known->neighbors(source), node);
  }

  /// Rows come in ascending order, so a tie with the k-th best is behind it: only what is greater
  /// is taken. Thresholds in the kernel are those at the start of a tile.
  void offer(int lane, ScoredNode entry) {
    float& threshold = thresholds_.data()[lane];
    if (!(entry.score > threshold) || !is_candidate(lane, entry.node)) return;
    auto& heap = heaps_[lane];
    if (heap.size() == request_.k) {
      std::ranges::pop_heap(heap, better);
      heap.back() = entry;
    } else {
      heap.push_back(entry);
    }
    std::ranges::push_heap(heap, better);  // the worst on top
    if (heap.size() == request_.k) threshold = heap.front().score;
  }

  const TopKRequest& request_;
  const ScoreKernels& kernels_ = score_kernels();
  std::span<const NodeId> sources_;
  Matrix packed_, tile_, thresholds_;  ///< [dim][lanes], [kTileItems][lanes], [1][lanes]
  std::array<std::uint64_t, kTileItems> above_{};
  std::vector<std::vector<ScoredNode>> heaps_;
};

}  // namespace

void best_targets(const TopKRequest& request, ThreadPool& pool, std::span<ScoredNode> out) {
  require(request.k > 0, "the number of results must be positive, got {}", request.k);
  MCNS_ASSERT(out.size() == request.sources.size() * request.k);
  MCNS_ASSERT(request.source.dim == request.target.dim);
  const auto sources = static_cast<std::int64_t>(request.sources.size());
  const std::int64_t blocks = (sources + kLaneBlock - 1) / kLaneBlock;
  // Threads take blocks one by one so that each keeps its working memory for the whole call.
  std::atomic<std::int64_t> next{0};
  pool.run(std::min<std::int64_t>(pool.threads(), blocks), [&](std::int64_t) {
    Worker worker(request);
    for (std::int64_t block; (block = next.fetch_add(1)) < blocks;) {
      const std::int64_t first = block * kLaneBlock;
      worker.run(first, std::min<std::int64_t>(kLaneBlock, sources - first), out);
    }
  });
}

std::vector<ScoredNode> best_targets_of_one(const TopKRequest& request, ThreadPool& pool) {
  MCNS_ASSERT(request.sources.size() == 1);
  TopKRequest bounded = request;
  bounded.k = std::min<std::size_t>(request.k, std::max<NodeId>(request.among.size(), 1));
  std::vector<ScoredNode> out(bounded.k);
  best_targets(bounded, pool, out);
  std::erase(out, kNoNode);
  return out;
}

Matrix unit_rows(ConstMatrixRef table) {
  Matrix out(table.rows, table.dim);
  for (std::int64_t i = 0; i < table.rows; ++i) {
    double squares = 0;
    for (const float x : table[i]) squares += double{x} * x;
    const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
    for (int d = 0; d < table.dim; ++d) out.row(i)[d] = static_cast<float>(table.row(i)[d] * scale);
  }
  return out;
}

}  // namespace mcns
