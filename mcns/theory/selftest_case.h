// One row of the self-test: a sampler, a graph, a source, and the law that its negatives follow.
#pragma once

#include <functional>

#include "mcns/theory/sampler_laws.h"
#include "mcns/theory/selftest.h"

namespace mcns {

enum class Draws {
  kOneBatch,  ///< all pairs of one batch: independent draws
  kBatches,   ///< a batch each, for what the pairs of a batch share
  kChain,     ///< a batch each; a few at the start are left out, then every eighth counts
  kHanded,    ///< the same, and the chain passes the other pairs of the piece before it comes
};

struct SelftestCase {
  using Make = std::function<std::unique_ptr<NegativeSampler>(const SamplerContext&)>;
  using LawOf = std::function<Law(const SelftestWorld&, Pair, NegativeSampler&)>;

  std::string spec;
  LawOf law;
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

SelftestRow run_case(const SelftestCase& test, std::uint64_t seed, ThreadPool& pool);

}  // namespace mcns
