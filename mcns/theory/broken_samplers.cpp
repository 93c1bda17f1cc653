#include "mcns/theory/broken_samplers.h"

#include <algorithm>
#include <cmath>

#include "mcns/core/arcs.h"

namespace mcns {
namespace {

class BiasedUniform final : public PairwiseSampler<BiasedUniform> {
 public:
  explicit BiasedUniform(const Exclusion& exclusion) : exclusion_(exclusion) {}
  NodeId draw(Pair pair, const Scorer&, Rng& rng) {
    const NodeRange targets = exclusion_.targets();
    auto v = targets.begin + static_cast<NodeId>(rng.below(targets.size()));
    while (exclusion_.excluded(pair.source, v)) v = v + 1 < targets.end ? v + 1 : targets.begin;
    return v;
  }

 private:
  const Exclusion& exclusion_;
};

class SecondBest final : public PairwiseSampler<SecondBest> {
 public:
  SecondBest(const Exclusion& exclusion, int candidates)
      : exclusion_(exclusion), candidates_(candidates) {}
  NodeId draw(Pair pair, const Scorer& scorer, Rng& rng) {
    std::vector<std::pair<float, NodeId>> drawn(candidates_);
    for (auto& [score, v] : drawn) {
      v = exclusion_.draw_uniform(pair.source, rng);
      score = scorer(pair.source, v);
    }
    std::sort(drawn.rbegin(), drawn.rend());
    return drawn[1].second;
  }

 private:
  const Exclusion& exclusion_;
  int candidates_;
};

class PlainChain final : public PairwiseSampler<PlainChain> {
 public:
  PlainChain(const SamplerContext& context, ChainDefect defect)
      : exclusion_(context.exclusion),
        graph_(context.graph),
        neighbors_(context.graph),
        defect_(defect) {}

  NodeId draw(Pair pair, const Scorer& scorer, Rng& rng) {
    if (state_ < 0) state_ = exclusion_.draw_uniform(pair.source, rng);
    NodeId last = state_;
    for (int step = 0; step < kSteps; ++step) {
      const auto [y, log_ratio] = propose(rng);
      if (exclusion_.excluded(pair.source, y)) continue;
      last = y;
      const float gain = scorer(pair.source, y) - scorer(pair.source, state_);
      if (std::log(1 - rng.uniform()) < gain + log_ratio) state_ = y;
    }
    return defect_ == ChainDefect::kLastProposal ? last : state_;
  }

 private:
  static constexpr int kSteps = 10;
  struct Proposal {
    NodeId node;
    double log_ratio;  ///< log q(x|y) / q(y|x)
  };

  Proposal propose(Rng& rng) const {
    const NodeRange targets = exclusion_.targets();
    if (rng.uniform() < 0.5)
      return {targets.begin + static_cast<NodeId>(rng.below(targets.size())), 0};
    if (graph_.degree(state_) == 0) return {state_, 0};
    const NodeId y = neighbors_.draw(state_, rng);
    if (defect_ == ChainDefect::kNoRatio) return {y, 0};
    return {y, std::log(graph_.weighted_degree(state_) / graph_.weighted_degree(y))};
  }

  const Exclusion& exclusion_;
  const Graph& graph_;
  NeighborSampler neighbors_;
  ChainDefect defect_;
  NodeId state_ = -1;  ///< of one source's chain: the self-test draws for one only
};

}  // namespace

std::unique_ptr<NegativeSampler> make_biased_uniform(const SamplerContext& context) {
  return std::make_unique<BiasedUniform>(context.exclusion);
}

std::unique_ptr<NegativeSampler> make_second_best(const SamplerContext& context, int candidates) {
  return std::make_unique<SecondBest>(context.exclusion, candidates);
}

std::unique_ptr<NegativeSampler> make_plain_chain(const SamplerContext& context,
                                                  ChainDefect defect) {
  return std::make_unique<PlainChain>(context, defect);
}

}  // namespace mcns
