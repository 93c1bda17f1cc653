#include "mcns/io/id_set.h"

#include <algorithm>
#include <atomic>
#include <bit>

namespace mcns {
namespace {

constexpr std::int64_t kGrain = 1 << 16;
constexpr std::size_t kSmallBitmap = std::size_t{1} << 20;  ///< bytes that are always fine

// Ids are not negative; unsigned arithmetic spares the compiler the sign.
std::size_t word_of(NodeId id) { return static_cast<std::uint32_t>(id) / 64; }
std::uint64_t bit(NodeId id) { return std::uint64_t{1} << (static_cast<std::uint32_t>(id) % 64); }

/// As IdSet::insert, with other threads at it too.
inline void insert_shared(std::uint64_t* words, NodeId id) {
  const std::atomic_ref word(words[word_of(id)]);
  // Most ids were seen before, and a look is cheaper than a write.
  if ((word.load(std::memory_order_relaxed) & bit(id)) == 0)
    word.fetch_or(bit(id), std::memory_order_relaxed);
}

}  // namespace

IdSet::IdSet(NodeId max_id, std::size_t expected) : max_id_(max_id) {
  const std::size_t words = static_cast<std::size_t>(max_id) / 64 + 1;
  if (words * 8 <= std::max(kSmallBitmap, expected * sizeof(NodeId))) words_.assign(words, 0);
}

void IdSet::insert(NodeId id) {
  if (words_.empty())
    sorted_.push_back(id);
  else
    words_[word_of(id)] |= bit(id);
}

void IdSet::insert(std::span<const Pair> pairs, Columns columns, ThreadPool& pool) {
  const bool sources = columns != Columns::kTarget, targets = columns != Columns::kSource;
  if (words_.empty()) {
    for (const Pair& pair : pairs) {
      if (sources) sorted_.push_back(pair.source);
      if (targets) sorted_.push_back(pair.target);
    }
    return;
  }
  std::uint64_t* const words = words_.data();
  const auto size = static_cast<std::int64_t>(pairs.size());
  pool.for_ranges(size, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (sources) insert_shared(words, pairs[i].source);
      if (targets) insert_shared(words, pairs[i].target);
    }
  });
}

void IdSet::freeze() {
  if (words_.empty()) {
    std::sort(sorted_.begin(), sorted_.end());
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
    sorted_.shrink_to_fit();
    size_ = static_cast<NodeId>(sorted_.size());
    return;
  }
  ranks_.resize(words_.size());
  for (std::size_t w = 0; w < words_.size(); ++w) {
    ranks_[w] = size_;
    size_ += std::popcount(words_[w]);
  }
}

bool IdSet::contains(NodeId id) const {
  if (id > max_id_) return false;
  if (words_.empty()) return std::binary_search(sorted_.begin(), sorted_.end(), id);
  return (words_[word_of(id)] & bit(id)) != 0;
}

NodeId IdSet::rank(NodeId id) const {
  if (words_.empty())
    return static_cast<NodeId>(std::lower_bound(sorted_.begin(), sorted_.end(), id) -
                               sorted_.begin());
  return ranks_[word_of(id)] + std::popcount(words_[word_of(id)] & (bit(id) - 1));
}

std::vector<NodeId> IdSet::ids() const {
  if (words_.empty()) return sorted_;
  std::vector<NodeId> out;
  out.reserve(size_);
  for (std::size_t w = 0; w < words_.size(); ++w)
    for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
      out.push_back(static_cast<NodeId>(w * 64 + std::countr_zero(left)));
  return out;
}

}  // namespace mcns
