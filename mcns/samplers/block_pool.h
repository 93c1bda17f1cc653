// Proposals that the sources of a block share, and their scores for each source: one small matrix
// product. A source whose pairs need more gets further parts of the pool.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "mcns/samplers/enumerate.h"

namespace mcns {

struct BlockPool {
  /// The most parts of a source.
  static constexpr std::size_t kMostParts = 8;

  int part_size = 0;
  std::vector<NodeId> pool;                            ///< proposals, part after part
  std::vector<NodeId> sources;                         ///< in the order of the members
  std::vector<std::span<const std::int32_t>> members;  ///< pairs of each source
  std::vector<int> parts;                              ///< of the pool, that a source takes
  std::vector<std::size_t> first_score;                ///< of a part
  std::vector<float> scores;                           ///< per part: sources that take it x size

  /// A source of n pairs takes parts_for(n) parts of `size` proposals. Keeps the order of the
  /// sources, or puts those with many pairs first: then the sources of a part are a prefix.
  template <class PartsFor, class Propose>
  void draw(const SampleRequest& request, int size, bool keep_order, const PartsFor& parts_for,
            const Propose& propose) {
    part_size = size;
    members.clear();
    for_each_source(request, [&](NodeId, auto of_source) { members.push_back(of_source); });
    if (!keep_order)
      std::stable_sort(members.begin(), members.end(),
                       [](const auto& a, const auto& b) { return a.size() > b.size(); });
    sources.clear();
    parts.clear();
    for (const auto& of_source : members) {
      sources.push_back(request.pairs[of_source[0]].source);
      parts.push_back(parts_for(of_source.size()));
    }
    Rng rng(request.key.seed, Domain::kPool, static_cast<std::uint64_t>(request.key.epoch),
            request.serials[request.members[0]]);
    const int most = *std::max_element(parts.begin(), parts.end());
    pool.resize(static_cast<std::size_t>(most) * part_size);
    for (NodeId& v : pool) v = propose(rng);
    score(request.scorer, most);
  }

  /// Proposals [from, to) of a source, which lie in one part.
  std::span<const NodeId> nodes(std::size_t from, std::size_t to) const {
    return std::span(pool).subspan(from, to - from);
  }
  std::span<const float> scores_of(std::size_t source, std::size_t from, std::size_t to) const {
    const std::size_t part = from / part_size;
    return {scores.data() + first_score[part] + source * part_size + from % part_size, to - from};
  }

 private:
  void score(const Scorer& scorer, int most) {
    first_score.assign(1, 0);
    for (int part = 0; part < most; ++part) {
      const auto wanted =
          std::count_if(parts.begin(), parts.end(), [&](int n) { return n > part; });
      const std::size_t first = first_score.back();
      first_score.push_back(first + wanted * part_size);
      scores.resize(first_score.back());
      scorer.products(sources.data(), static_cast<int>(wanted),
                      pool.data() + static_cast<std::size_t>(part) * part_size, part_size,
                      scores.data() + first);
    }
  }
};

}  // namespace mcns
