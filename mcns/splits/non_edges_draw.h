// Distinct pairs by rejection, for any kind of non-edges.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_set>
#include <vector>

#include "mcns/core/parallel.h"
#include "mcns/splits/pair_space.h"
#include "mcns/splits/shuffle.h"

namespace mcns {

inline constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint64_t>::max();

/// The first `count` distinct pairs that propose(Rng&) accepts; fewer where `most` candidates do
/// not give as many.
template <class Propose>
std::vector<Pair> draw_by_rejection(const NonEdgeRequest& request, ThreadPool& pool,
                                    std::uint64_t most, const Propose& propose) {
  constexpr std::int64_t kGrain = 4096;
  const auto count = static_cast<std::size_t>(request.count);
  std::vector<Pair> out;
  out.reserve(count);
  std::unordered_set<std::uint64_t> seen;
  seen.reserve(count);
  std::vector<std::optional<Pair>> candidates;
  for (std::uint64_t first = 0; out.size() < count && first < most; first += candidates.size()) {
    candidates.resize(2 * (count - out.size()) + 16);
    pool.for_ranges(static_cast<std::int64_t>(candidates.size()), kGrain,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        Rng rng(request.seed, Domain::kSplit,
                                static_cast<std::uint64_t>(SplitStream::kNonEdges), first + i);
                        candidates[i] = propose(rng);
                      }
                    });
    for (std::size_t i = 0; i < candidates.size() && out.size() < count; ++i)
      if (candidates[i] && seen.insert(key_of(*candidates[i])).second)
        out.push_back(*candidates[i]);
  }
  return out;
}

/// Non-edges of the kinds `degree` and `two-hop`.
std::vector<Pair> draw_by_degree(const PairSpace& space, const NonEdgeRequest& request,
                                 ThreadPool& pool);
std::vector<Pair> draw_two_hop(const PairSpace& space, const NonEdgeRequest& request,
                               ThreadPool& pool);

}  // namespace mcns
