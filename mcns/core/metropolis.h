// The decision of a Metropolis-Hastings step, for one chain and for the kernels that step many
// chains. A proposal y from q(y|x) is accepted with probability
// min(1, target(y) q(x|y) / (target(x) q(y|x))). With energies E = -log target and T = -log r for
// r uniform, r < target(y) / target(x) ratio reads E(y) < E(x) + slack: the slack is T and the log
// of the ratio of proposals, together what the energy may rise by. An excluded target has
// probability 0. Always inlined: each instruction set compiles a copy of its own.
#pragma once

namespace mcns {

[[gnu::always_inline]] inline bool metropolis_accepts(float energy, float to_energy, float slack) {
  return to_energy < energy + slack;
}

/// What to do with an accepted proposal, without a branch: nothing predicts the moves. The last two
/// arguments as of an ExclusionSketch.
[[gnu::always_inline]] inline bool metropolis_moves(bool accepts, bool may_be_excluded) {
  return accepts & !may_be_excluded;
}
/// Whether the exact set of excluded targets has to decide.
[[gnu::always_inline]] inline bool metropolis_asks(bool accepts, bool may_be_excluded,
                                                   bool is_exact) {
  return accepts & may_be_excluded & !is_exact;
}

}  // namespace mcns
