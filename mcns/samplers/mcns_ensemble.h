// MCNS by the ensemble step, `mcns:step=ensemble`; described in mcns_ensemble.cpp.
#pragma once

#include <optional>
#include <vector>

#include "mcns/samplers/negative_sampler.h"
#include "mcns/samplers/self_contrast.h"
#include "mcns/samplers/static_distribution.h"

namespace mcns {

struct EnsembleOptions {
  SelfContrast target;  ///< form=exp or form=paper
  int pool = 64, chains = 1;
  double power = 0;  ///< of the degree, in the distribution of proposals
  std::uint64_t seed = 1;
};

class McnsEnsemble final : public NegativeSampler, public PoolSource {
 public:
  McnsEnsemble(const EnsembleOptions& options, const SamplerContext& context);
  void sample(const SampleRequest& request, const Negatives& out) override;
  std::optional<LogProbability> log_q(NodeId source, NodeId target,
                                      const Scorer& scorer) const override;
  bool can_share_source() const override { return true; }
  void visit_state(Archive& archive) override;

  PoolSource* pool_source() override;
  void draw_pool(BatchKey key, std::span<NodeId> out) const override;
  double pool_log_q(NodeId target) const override;
  int chains() const override { return options_.chains; }
  void states(BatchKey key, NodeId source, std::span<NodeId> out) override;
  void move(BatchKey key, NodeId source, const PoolWeights& weights) override;

 private:
  struct Candidates;

  NodeId propose(Rng& rng) const {
    return base_ ? base_->propose(rng.next()) : exclusion_.propose_uniform(rng);
  }
  NodeId draw_base(NodeId source, Rng& rng) const {
    return base_ ? base_->draw(source, rng) : exclusion_.draw_uniform(source, rng);
  }
  std::span<NodeId> states_of(NodeId source);
  void start(NodeId source);
  void weigh(NodeId source, const Scorer& scorer, Candidates& candidates) const;

  EnsembleOptions options_;
  const Exclusion& exclusion_;
  std::optional<StaticDistribution> base_;  ///< unless it is uniform
  std::vector<NodeId> states_;              ///< of a source: `chains` of them; -1 before the first
};

}  // namespace mcns
