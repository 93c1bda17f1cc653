// How far the chain of Algorithm 2 is from the distribution that it should draw from, exactly: the
// whole distribution of its state is carried from step to step, so nothing is sampled and there is
// no noise.
//
// A step proposes y from q(y|x) = (1 - local) / n + local [y in N(x)] / |N(x)| and accepts by
// Metropolis and Hastings. Pairs of which neither lists the other have the same q in both
// directions: their flow needs only the order of the weights and two running sums, so that a step
// costs O(n log n) and not n^2; listed pairs are added one by one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mcns/model/frozen_model.h"
#include "mcns/samplers/proposals.h"
#include "mcns/samplers/self_contrast.h"

namespace mcns {

/// The kernel of one source over targets 0 .. n - 1. Weights are 0 where a target is not allowed;
/// one at least is positive. `near` of a target are the positions of its list.
class ChainKernel {
 public:
  using Near = std::vector<std::vector<NodeId>>;
  ChainKernel(std::vector<double> weights, const Near& near, double local);

  /// The distribution after a step. `state` has mass on allowed targets only.
  std::vector<double> step(const std::vector<double>& state) const;
  /// Mass on targets that are not allowed is spread over the allowed ones.
  std::vector<double> handed_over(std::vector<double> state) const;
  /// Total variation to the stationary distribution.
  double distance(const std::vector<double>& state) const;
  const std::vector<double>& stationary() const { return weights_; }

 private:
  std::vector<double> weights_;  ///< sum to 1
  std::vector<NodeId> order_;    ///< by rising weight
  const Near& near_;
  double local_;
  NodeId allowed_ = 0;
};

struct MixingOptions {
  SelfContrast target;
  int near = 20;
  int hops = 1;  ///< of the walks that find the nearest; even on a user-item graph
  double local = 0.5;
  int visits = 128;  ///< of the sequence, about a sixth of them before anything is measured
  std::size_t length =
      32;  ///< visits after which a chain of training begins anew (samplers/mcns.h)
  std::vector<int> steps = {1, 2, 5, 10, 20, 50};
  std::uint64_t seed = 1;
};

/// Mean total variation over the visited sources, by steps per visit.
struct MixingCurve {
  std::string order;
  std::vector<double> distances;
};

/// Exponent, floor and proposals as the model was trained with. Throws where its sampler is
/// another.
MixingOptions mixing_options(const FrozenModel& model);

/// Sources in the order of a stretch of the depth-first sequence, from its middle on. As in
/// training (positives/dfs.cpp) a visit of an item is one of a user that is linked to it.
std::vector<NodeId> visited_sources(const Graph& graph, const MixingOptions& options);

/// One chain handed along the depth-first sequence of training, items included, or along the same
/// sources in random order, or along pieces of it as in training; and a chain for each source, at
/// its first and at its tenth visit. Chains begin uniform.
std::vector<MixingCurve> measure_mixing(const FrozenModel& model, const MixingOptions& options,
                                        ThreadPool& pool);

}  // namespace mcns
