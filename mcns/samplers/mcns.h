// The MCNS sampler; the law, the proposals and the cost are described in mcns.cpp.
#pragma once

#include "mcns/samplers/proposals.h"
#include "mcns/samplers/registry.h"
#include "mcns/samplers/self_contrast.h"
#include "mcns/samplers/tail.h"

namespace mcns {

struct McnsOptions {
  SelfContrast target;
  int pool = 64, steps = 0;
  ProposalOptions proposal;  ///< of the single steps
  bool handed_over = false;  ///< chain=dfs
  std::uint64_t seed = 1;
};

class McnsSampler final : public NegativeSampler {
 public:
  McnsSampler(const McnsOptions& options, const SamplerContext& context);
  void sample(const SampleRequest& request, Negatives& out) override;
  std::optional<LogProbability> log_q(NodeId source, NodeId target,
                                      const Scorer& scorer) const override;
  bool is_adaptive() const override { return true; }
  void visit_state(Archive& archive) override;

 private:
  struct Scratch {
    std::vector<NodeId> sources, pool;
    std::vector<float> scores;
  };
  struct Pool {
    std::span<const NodeId> nodes;
    std::span<const float> scores;
  };
  struct Chain {
    NodeId source, node;
    float energy;
  };

  static constexpr int kChunk = 64;  ///< proposals handled at once

  float energy(NodeId source, float score) const;
  void energies(NodeId source, std::span<const float> scores, const Kernels& kernel,
                float* out) const;
  void score_pool(const SampleRequest& request, Scratch& scratch) const;
  void sample_source(const SampleRequest& request, Chain& chain,
                     std::span<const std::int32_t> members, Pool pool, Negatives& out);
  void start(Chain& chain, const Scorer& scorer, Rng& rng) const;
  void advance(Chain& chain, Pool pool, const Scorer& scorer, Rng& rng) const;
  void step(Chain& chain, NodeId y, float energy_y, float slack) const;
  void single_steps(Chain& chain, int count, const Scorer& scorer, Rng& rng) const;
  void scan_pool(Chain& chain, Pool pool, const Kernels& kernel, Rng& rng) const;
  void learn_tail(NodeId source, const Scorer& scorer, Pool pool);

  McnsOptions options_;
  const Exclusion& exclusion_;
  std::optional<Proposals> proposals_;
  TailLaw tail_law_;
  float slope_ = 1;
  std::vector<NodeId> chains_;
  std::vector<Tail> tails_;
};

}  // namespace mcns
