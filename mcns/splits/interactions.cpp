#include "mcns/splits/interactions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "mcns/core/error.h"
#include "mcns/splits/part.h"
#include "mcns/splits/shuffle.h"

namespace mcns {
namespace {

std::vector<Pair> distinct(std::span<const Pair> pairs) {
  std::vector<Pair> units(pairs.begin(), pairs.end());
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  return units;
}

/// Assigns every line to the part of its distinct pair.
InteractionSplit assign_to_parts(std::span<const Pair> pairs, std::span<const float> weights,
                                 std::span<const Pair> units, std::span<const Part> part_of) {
  InteractionSplit out;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto unit = std::lower_bound(units.begin(), units.end(), pairs[i]) - units.begin();
    if (part_of[unit] == Part::kTrain) {
      out.train.pairs.push_back(pairs[i]);
      if (!weights.empty()) out.train.weights.push_back(weights[i]);
    } else {
      (part_of[unit] == Part::kValid ? out.valid : out.test).push_back(pairs[i]);
    }
  }
  return out;
}

void require_weights(std::span<const Pair> pairs, std::span<const float> weights) {
  require(weights.empty() || weights.size() == pairs.size(),
          "as many weights as pairs are needed, got {} for {} pairs", weights.size(), pairs.size());
}

/// Distinct pairs in ascending order, each with the latest of its times.
struct TimedUnits {
  std::vector<Pair> pairs;
  std::vector<double> times;  ///< all 0 where there are none

  explicit TimedUnits(const Interactions& all) : pairs(distinct(all.pairs)) {
    require_weights(all.pairs, all.weights);
    require(all.times.empty() || all.times.size() == all.pairs.size(),
            "as many times as pairs are needed, got {} for {} pairs", all.times.size(),
            all.pairs.size());
    times.assign(pairs.size(), all.times.empty() ? 0 : -std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < all.times.size(); ++i) {
      double& time = times[std::ranges::lower_bound(pairs, all.pairs[i]) - pairs.begin()];
      time = std::max(time, all.times[i]);
    }
  }
};

/// How many of each source's pairs are held out.
struct Taken {
  std::int64_t tests, valids;
};

/// Holds out the latest pairs of each source, as many as `take` says for a source with d pairs.
template <class Take>
InteractionSplit hold_out_latest(const Interactions& all, std::uint64_t seed, const Take& take) {
  const TimedUnits units(all);
  const auto n = static_cast<std::int64_t>(units.pairs.size());
  const auto shuffled = shuffled_order(n, seed, SplitStream::kInteractions);
  std::vector<std::int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::int64_t a, std::int64_t b) {
    const auto key = [&](std::int64_t i) {
      return std::tuple(units.pairs[i].source, -units.times[i], shuffled[i]);
    };
    return key(a) < key(b);
  });
  std::vector<Part> part_of(n, Part::kTrain);
  for (std::int64_t begin = 0, end = 0; begin < n; begin = end) {
    const NodeId source = units.pairs[order[begin]].source;
    while (end < n && units.pairs[order[end]].source == source) ++end;
    auto [tests, valids] = take(end - begin);
    tests = std::min(tests, end - begin - 1);  // something stays in train
    valids = std::min(valids, end - begin - 1 - tests);
    for (std::int64_t i = 0; i < tests + valids; ++i)
      part_of[order[begin + i]] = i < tests ? Part::kTest : Part::kValid;
  }
  return assign_to_parts(all.pairs, all.weights, units.pairs, part_of);
}

/// The place nearest to `wanted` in (0, end) where ascending times change.
std::int64_t nearest_change(std::span<const double> times, std::int64_t wanted, std::int64_t end) {
  for (std::int64_t away = 0; away < end; ++away)
    for (const std::int64_t at : {wanted - away, wanted + away})
      if (at > 0 && at < end && times[at - 1] < times[at]) return at;
  throw_error(ErrorKind::kData,
              "no cut by time is possible: {} pairs have the same time; valid: --time-cut user, or "
              "another --split",
              end);
}

}  // namespace

InteractionSplit split_interactions(const Interactions& all, const SplitRequest& r) {
  switch (r.kind) {
    case SplitKind::kTime:
      return r.time_cut == TimeCut::kGlobal ? split_at_time(all, r.valid, r.test)
                                            : split_users_by_time(all, r.valid, r.test, r.seed);
    case SplitKind::kLeaveOneOut:
      return leave_one_out(all, {r.valid > 0, r.test > 0}, r.seed);
    case SplitKind::kPaper:
      return fold_interactions(all.pairs, r.parts, r.fold, r.seed, all.weights);
    default:
      return split_interactions(all.pairs, r.valid, r.test, r.seed, all.weights);
  }
}

InteractionSplit split_at_time(const Interactions& all, double valid, double test) {
  require_fractions(valid, test);
  const TimedUnits units(all);
  const auto n = static_cast<std::int64_t>(units.pairs.size());
  std::vector<double> times = units.times;
  std::ranges::sort(times);
  const auto cut = [&](double share, std::int64_t end) {
    return share == 0 ? end : nearest_change(times, end - std::llround(share * n), end);
  };
  const std::int64_t first_test = cut(test, n), first_valid = cut(valid, first_test);
  std::vector<Part> part_of(n, Part::kTrain);
  for (std::int64_t i = 0; i < n; ++i) {
    if (first_test < n && units.times[i] >= times[first_test])
      part_of[i] = Part::kTest;
    else if (first_valid < first_test && units.times[i] >= times[first_valid])
      part_of[i] = Part::kValid;
  }
  return assign_to_parts(all.pairs, all.weights, units.pairs, part_of);
}

InteractionSplit split_users_by_time(const Interactions& all, double valid, double test,
                                     std::uint64_t seed) {
  require_fractions(valid, test);
  return hold_out_latest(all, seed, [&](std::int64_t pairs) {
    const auto d = static_cast<double>(pairs);
    return Taken{std::llround(test * d), std::llround(valid * d)};
  });
}

InteractionSplit leave_one_out(const Interactions& all, LeaveOneOut parts, std::uint64_t seed) {
  return hold_out_latest(all, seed, [&](std::int64_t) {
    return Taken{parts.test ? 1 : 0, parts.valid ? 1 : 0};
  });
}

InteractionSplit split_interactions(std::span<const Pair> pairs, double valid, double test,
                                    std::uint64_t seed, std::span<const float> weights) {
  require_fractions(valid, test);
  require_weights(pairs, weights);
  const auto units = distinct(pairs);
  const auto order = shuffled_order(units.size(), seed, SplitStream::kInteractions);
  const auto tests = std::min<std::size_t>(std::llround(test * units.size()), units.size());
  const auto valids =
      std::min<std::size_t>(std::llround(valid * units.size()), units.size() - tests);
  std::vector<Part> part_of(units.size(), Part::kTrain);
  for (std::size_t i = 0; i < tests + valids; ++i)
    part_of[order[i]] = i < tests ? Part::kTest : Part::kValid;
  return assign_to_parts(pairs, weights, units, part_of);
}

InteractionSplit fold_interactions(std::span<const Pair> pairs, int parts, int fold,
                                   std::uint64_t seed, std::span<const float> weights) {
  require(parts >= 3, "parts must be at least 3 (train, valid, test), got {}", parts);
  require(fold >= 1 && fold < parts, "fold must be between 1 and {} (part {} is valid), got {}",
          parts - 1, parts, fold);
  require_weights(pairs, weights);
  const auto units = distinct(pairs);
  const auto order = shuffled_order(units.size(), seed, SplitStream::kInteractions);
  const auto begin_of = [&](int part) { return units.size() * part / parts; };
  std::vector<Part> part_of(units.size(), Part::kTrain);
  for (std::size_t i = begin_of(fold - 1); i < begin_of(fold); ++i) part_of[order[i]] = Part::kTest;
  for (std::size_t i = begin_of(parts - 1); i < units.size(); ++i) part_of[order[i]] = Part::kValid;
  return assign_to_parts(pairs, weights, units, part_of);
}

InteractionSplit hold_out_interactions(std::span<const Pair> pairs, double fraction,
                                       std::uint64_t seed, std::span<const float> weights) {
  require_fractions(fraction, 0.0);
  require_weights(pairs, weights);
  const auto units = distinct(pairs);
  NodeId nodes = 0;
  for (const auto [u, v] : units) nodes = std::max({nodes, u + 1, v + 1});
  std::vector<EdgeId> degree(nodes, 0);
  for (const auto [u, v] : units) {
    ++degree[u];
    if (u != v) ++degree[v];
  }

  std::vector<Part> part_of(units.size(), Part::kTrain);
  for (std::size_t begin = 0, end = 0; begin < units.size(); begin = end) {
    const NodeId source = units[begin].source;
    while (end < units.size() && units[end].source == source) ++end;
    Rng rng(seed, Domain::kSplit, static_cast<std::uint64_t>(SplitStream::kHoldOut), source);
    auto wanted = static_cast<std::size_t>(fraction * (end - begin) + rng.uniform());
    const auto order = shuffled_order(end - begin, rng);
    for (std::size_t i = 0; i < order.size() && wanted > 0; ++i) {
      const auto [u, v] = units[begin + order[i]];
      if (degree[u] < 2 || degree[v] < 2) continue;
      --degree[u];
      if (u != v) --degree[v];
      part_of[begin + order[i]] = Part::kValid;
      --wanted;
    }
  }
  return assign_to_parts(pairs, weights, units, part_of);
}

}  // namespace mcns
