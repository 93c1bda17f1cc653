#include "mcns/splits/interactions.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

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
