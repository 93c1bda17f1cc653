// One row of the self-test: a sampler, a graph, a source, and the distribution that its negatives
// follow. A sampler's registry entry lists its cases; `mcns selftest samplers` runs them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mcns/samplers/selftest/world.h"

namespace mcns {

enum class Draws {
  kOneBatch,  ///< all pairs of one batch: independent draws
  kBatches,   ///< a batch each, for what the pairs of a batch share
  kChain,     ///< a batch each; a few at the start are left out, then every eighth counts
  kHanded,    ///< the same, and the chain passes the other pairs of the piece before it comes
};

struct SelftestCase {
  using Make = std::function<std::unique_ptr<NegativeSampler>(const SamplerContext&)>;
  using Expected = std::function<Distribution(const SelftestWorld&, Pair, const NegativeSampler&)>;

  std::string spec;
  Expected expected;
  NodeId source = 3;
  WorldKind kind = WorldKind::kUserItem;
  bool weighted = false;
  Filter filter = Filter::kTrain;
  Draws draws = Draws::kOneBatch;
  bool exact = true;  ///< else by total variation
  std::vector<Pair> others =
      {};               ///< pairs that stand before ours in its batch, in its piece for kHanded
  Make make = nullptr;  ///< from the registry where empty
};

/// An expectation that asks neither for the positive nor for the sampler: a closed form with its
/// arguments after the world and the source.
template <class Function, class... Args>
SelftestCase::Expected expect(Function function, Args... args) {
  return [=](const SelftestWorld& world, Pair pair, const NegativeSampler&) {
    return function(world, pair.source, args...);
  };
}

}  // namespace mcns
