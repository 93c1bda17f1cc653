// What samplers that look at every target share: the list of a source's allowed targets, draws from
// cumulative sums, and the runs of equal sources in a piece, so that a table is made once per
// source.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "mcns/samplers/negative_sampler.h"

namespace mcns {

/// A source's allowed targets, ascending; O(targets).
inline void list_allowed(const Exclusion& exclusion, NodeId source, std::vector<NodeId>& out) {
  out.clear();
  const NodeRange targets = exclusion.targets();
  for (NodeId v = targets.begin; v < targets.end; ++v)
    if (!exclusion.excluded(source, v)) out.push_back(v);
}

/// Calls f for every target that a source excludes, for some perhaps twice; O(degree).
template <class F>
void for_each_excluded(const Exclusion& exclusion, NodeId source, const F& f) {
  if (exclusion.filter() == Filter::kNone) return;
  for (const NodeId v : exclusion.graph().neighbors(source)) f(v);
  if (exclusion.targets().contains(source)) f(source);
}

/// The allowed targets with their scores.
struct ScoredTargets {
  std::vector<NodeId> ids;
  std::vector<float> scores;

  void fill(const Exclusion& exclusion, NodeId source, const Scorer& scorer) {
    list_allowed(exclusion, source, ids);
    scores.resize(ids.size());
    scorer(source, ids.data(), static_cast<int>(ids.size()), scores.data());
  }
  /// Where `target` is; ids.size() if it is not allowed.
  std::size_t find(NodeId target) const {
    const auto at = std::lower_bound(ids.begin(), ids.end(), target);
    return at != ids.end() && *at == target ? at - ids.begin() : ids.size();
  }
};

/// An index with probability proportional to the increments of `cumulative`.
inline std::size_t draw_cumulative(std::span<const double> cumulative, Rng& rng) {
  const double at = rng.uniform() * cumulative.back();
  const auto found = std::upper_bound(cumulative.begin(), cumulative.end(), at);
  return std::min<std::size_t>(found - cumulative.begin(), cumulative.size() - 1);
}

/// Calls body(source, members) for each run of members with one source.
template <class Body>
void for_each_source(const SampleRequest& request, const Body& body) {
  const auto members = request.members;
  for (std::size_t first = 0; first < members.size();) {
    const NodeId source = request.pairs[members[first]].source;
    std::size_t last = first + 1;
    while (last < members.size() && request.pairs[members[last]].source == source) ++last;
    body(source, members.subspan(first, last - first));
    first = last;
  }
}

}  // namespace mcns
