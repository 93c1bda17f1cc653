// The chains of a piece, side by side (mcns_lanes.cpp).
#pragma once

#include <bit>

#include "mcns/core/metropolis.h"
#include "mcns/samplers/mcns.h"

namespace mcns {

/// A chain on its way through the negatives that its source's pairs need: slots, k for a pair.
struct McnsSampler::Lane {
  Chain chain{-1, -1, 0};
  std::size_t index = 0;                ///< of the source in the piece
  std::size_t next_index = 0, end = 0;  ///< with chain=dfs: the sources still to come
  std::span<const std::int32_t> members;
  Rng rng{0, Domain::kNegatives};
  std::size_t slot = 0, slots = 0;
};

/// Some single steps of many chains, in arrays that vectors go over: [lane] or [step][lane]. Lanes
/// are filled up to a multiple of 16 with ones that stay where they are. All of them take a local
/// step at the same time, so that they wait for memory together.
struct McnsSampler::Block {
  static constexpr int kLanes = Proposals::kMany, kSteps = 64, kSize = kLanes * kSteps;

  int lanes = 0, width = 0;  ///< without the filling, and with it
  NodeId sources[kLanes] = {};
  alignas(64) NodeId nodes[kLanes] = {};
  alignas(64) float energies[kLanes] = {};
  alignas(64) float thresholds[kLanes] = {}, scales[kLanes] = {};  ///< of the sources' tails
  alignas(64) std::uint32_t offsets[kLanes] = {}, multipliers[kLanes] = {}, shifts[kLanes] = {};
  alignas(64) std::uint32_t asks[kLanes] = {};

  bool is_local[kSteps] = {};
  alignas(64) std::uint64_t numbers[kSize] = {};  ///< choices of proposals
  alignas(64) NodeId to[kSize] = {};
  alignas(64) float to_energies[kSize] = {};
  alignas(64) float slacks[kSize] = {};
};

/// What a call of `sample` works on.
struct McnsSampler::Piece {
  static constexpr int kLanes = Block::kLanes;
  /// Pairs that a chain is handed along, at least; fewer lanes run where there are not enough.
  static constexpr int kStretch = 32;

  const SampleRequest& request;
  const Negatives& out;
  BlockPool& pool;
  std::size_t next_source = 0;
  StepChoices choices;  ///< of the single steps
};

/// The inner loop of Algorithm 2 for one chain (core/metropolis.h). Moves without a branch: nothing
/// predicts them.
inline void McnsSampler::step(Chain& chain, NodeId y, float energy_y, float slack) const {
  const bool accepts = metropolis_accepts(chain.energy, energy_y, slack);
  const bool excluded = exclusion_.may_be_excluded(chain.source, y);
  bool moves = metropolis_moves(accepts, excluded);
  if (metropolis_asks(accepts, excluded, exclusion_.knows_exactly(chain.source))) [[unlikely]]
    moves = !exclusion_.excluded(chain.source, y);
  const auto mask = static_cast<std::uint32_t>(-static_cast<std::int32_t>(moves));
  const auto choose = [mask](std::uint32_t to, std::uint32_t from) {
    return (to & mask) | (from & ~mask);
  };
  chain.node = static_cast<NodeId>(
      choose(static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(chain.node)));
  chain.energy = std::bit_cast<float>(
      choose(std::bit_cast<std::uint32_t>(energy_y), std::bit_cast<std::uint32_t>(chain.energy)));
}

}  // namespace mcns
