// The MCNS sampler; the distribution, the proposals and the cost are described in mcns.cpp.
#pragma once

#include "mcns/samplers/block_pool.h"
#include "mcns/samplers/proposals.h"
#include "mcns/samplers/registry.h"
#include "mcns/samplers/self_contrast.h"
#include "mcns/samplers/static_distribution.h"
#include "mcns/samplers/tail.h"

namespace mcns {

struct McnsOptions {
  SelfContrast target;
  int pool = 64, steps = 0;
  int per_negative = 0;      ///< proposals of the pool that a negative gets at least, form=quantile
  ProposalOptions proposal;  ///< of the single steps
  bool handed_over = false;  ///< chain=dfs
  double power = 0;          ///< of the degree, in the distribution that the target starts from
  std::uint64_t seed = 1;
};

class McnsSampler final : public NegativeSampler {
 public:
  McnsSampler(const McnsOptions& options, const SamplerContext& context);
  void sample(const SampleRequest& request, const Negatives& out) override;
  std::optional<LogProbability> log_q(NodeId source, NodeId target,
                                      const Scorer& scorer) const override;
  int pairs_per_block() const override;
  bool can_share_source() const override { return !options_.handed_over; }
  PoolSource* pool_source() override;
  void visit_state(Archive& archive) override;

 private:
  struct Pool {
    std::span<const NodeId> nodes;
    std::span<const float> scores;
  };
  struct Chain {
    NodeId source, node;
    float energy;
  };
  struct Lane;
  struct Block;
  struct Piece;

  NodeId draw_base(NodeId source, Rng& rng) const {
    return base_ ? base_->draw(source, rng) : exclusion_.draw_uniform(source, rng);
  }
  Tail tail_of(NodeId source, const Scorer& scorer) const;
  Tail first_tail(NodeId source, const Scorer& scorer) const;
  float energy(Tail tail, float score) const;
  void energies(TailShape shape, std::span<const float> scores, const Kernels& kernel,
                float* out) const;
  void score_pool(Piece& piece) const;
  int parts_for(std::size_t negatives) const;
  void learn_tail(NodeId source, const Scorer& scorer, Pool pool);
  void start(Chain& chain, const Scorer& scorer, Rng& rng) const;
  void step(Chain& chain, NodeId y, float energy_y, float slack) const;
  void scan_pool(Chain& chain, Pool pool, const Kernels& kernel, Rng& rng) const;

  // Many chains side by side: mcns_lanes.cpp.
  void run(Piece& piece);
  int lanes_for(const Piece& piece) const;
  Pool part_of_pool(const Piece& piece, std::size_t index, std::size_t from, std::size_t to) const;
  bool open_source(Piece& piece, Lane& lane);
  void open_slot(const Piece& piece, Lane& lane) const;
  bool close_slot(Piece& piece, Lane& lane);
  void single_steps(Piece& piece, std::span<Lane*> lanes) const;
  void open_block(std::span<Lane*> lanes, Block& block) const;
  void draw_block(const Scorer& scorer, std::span<Lane*> lanes, int count, Block& block) const;
  void step_all(const Scorer& scorer, int t, Block& block) const;
  void to_energies(int row, const Kernels& kernel, Block& block) const;

  McnsOptions options_;
  const Exclusion& exclusion_;
  std::optional<StaticDistribution> base_;  ///< unless it is uniform
  std::optional<Proposals> proposals_;
  TailDistribution tail_distribution_;
  float slope_ = 1;
  bool moves_seldom_ = false;  ///< so seldom that a branch is guessed right
  std::vector<NodeId> chains_;
  std::vector<Tail> tails_;
};

}  // namespace mcns
