// MCNS of form=quantile without single steps; described in mcns_quantile.cpp.
#pragma once

#include <optional>
#include <vector>

#include "mcns/samplers/block_pool.h"
#include "mcns/samplers/self_contrast.h"
#include "mcns/samplers/static_distribution.h"

namespace mcns {

struct QuantileOptions {
  double hardness = 5;   ///< M, at least 1
  int pool = 64;         ///< proposals in a part of the pool
  int per_negative = 5;  ///< proposals that a negative gets; a chain where they are fewer than M
  double power = 0;      ///< of the degree, in the distribution of proposals
  std::uint64_t seed = 1;
};

class McnsQuantile final : public NegativeSampler {
 public:
  McnsQuantile(const QuantileOptions& options, const SamplerContext& context);
  void sample(const SampleRequest& request, const Negatives& out) override;
  std::optional<LogProbability> log_q(NodeId source, NodeId target,
                                      const Scorer& scorer) const override;
  bool can_share_source() const override { return true; }
  PoolSource* pool_source() override;
  void visit_state(Archive& archive) override;

 private:
  struct Candidates;
  struct CandidatesBuffer;

  void sample_together(const SampleRequest& request, const Negatives& out);
  void sample_apart(const SampleRequest& request, const Negatives& out);
  NodeId propose(Rng& rng) const {
    return base_ ? base_->propose(rng.next()) : exclusion_.propose_uniform(rng);
  }
  NodeId draw_base(NodeId source, Rng& rng) const {
    return base_ ? base_->draw(source, rng) : exclusion_.draw_uniform(source, rng);
  }
  int parts_for(std::size_t negatives) const;
  void list_candidates(const BlockPool& pool, std::size_t index, CandidatesBuffer& out) const;
  bool add_candidates(NodeId source, const Scorer& scorer, Rng& rng, CandidatesBuffer& out) const;
  std::size_t candidates_of_draw() const;
  int hardness_of_draw(Rng& rng) const;
  void take(const SampleRequest& request, std::int32_t pair, Rng& rng, Candidates& candidates,
            const Negatives& out);
  void step(NodeId source, int hardness, const Scorer& scorer, Rng& rng, Candidates& c);

  QuantileOptions options_;
  SelfContrast target_;
  const Exclusion& exclusion_;
  int whole_;                               ///< of the hardness
  double fraction_;                         ///< the rest of it
  std::optional<StaticDistribution> base_;  ///< unless it is uniform
  std::vector<NodeId> chains_;              ///< state of each source; -1 before the first
};

}  // namespace mcns
