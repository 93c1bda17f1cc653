// The chains of a piece, side by side (mcns_lanes.cpp).
#pragma once

#include <bit>

#include "mcns/samplers/mcns.h"

namespace mcns {

/// One source's chain, on its way through the negatives that its pairs want: slots, k for a pair.
struct McnsSampler::Lane {
  static constexpr int kBlock = 64;  ///< single steps prepared at once

  Chain chain{-1, -1, 0};
  std::size_t index = 0;  ///< of the source in the piece
  std::span<const std::int32_t> members;
  Rng rng{0, Domain::kNegatives};
  std::size_t slot = 0, slots = 0;
  int left = 0;     ///< single steps that the slot still wants after this block
  float phase = 0;  ///< of the choice between uniform and local

  int count = 0, next = 0;                  ///< steps of the block, and where they stand
  int next_uniform = 0;                     ///< among the uniform proposals
  NodeId uniforms[kBlock];                  ///< those of the block, in order
  alignas(64) float energies[kBlock] = {};  ///< and their energies
  alignas(64) float variates[kBlock] = {};  ///< -log r, a step
  bool is_local[kBlock] = {};
};

/// What a call of `sample` works on.
struct McnsSampler::Piece {
  static constexpr int kLanes =
      Proposals::kMany;  ///< hides the loads of a walk, and fills a vector

  /// Kept between calls.
  struct Scratch {
    std::vector<NodeId> pool;                            ///< proposals that sources share
    std::vector<NodeId> sources;                         ///< in the order of the members
    std::vector<std::span<const std::int32_t>> members;  ///< of each source
    std::vector<int> blocks;                             ///< of the pool, that a source takes
    std::vector<std::size_t> first_score;                ///< of a block
    std::vector<float> scores;                           ///< per block: sources that take it x pool
  };

  const SampleRequest& request;
  Negatives& out;
  Scratch& scratch;
  std::size_t next_source = 0;
};

/// The inner loop of Algorithm 2: a proposal y from q(y|x) is accepted with probability
/// min(1, target(y) q(x|y) / (target(x) q(y|x))). With energies E = -log target and T = -log r for
/// r uniform, r < target(y) / target(x) ratio reads E(y) < E(x) + log ratio + T: `slack` is what
/// the energy may rise by, the variate T and the log of the ratio of proposals. Moves without a
/// branch: nothing predicts them.
inline void McnsSampler::step(Chain& chain, NodeId y, float energy_y, float slack) const {
  const bool lower = energy_y < chain.energy + slack;
  bool moves = lower & !exclusion_.may_be_excluded(chain.source, y);
  if (lower & !moves & !exclusion_.knows_exactly(chain.source)) [[unlikely]]
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
