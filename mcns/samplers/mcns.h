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
  int per_negative = 0;      ///< proposals of the pool that a negative gets at least, form=quantile
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
  struct Pool {
    std::span<const NodeId> nodes;
    std::span<const float> scores;
  };
  struct Chain {
    NodeId source, node;
    float energy;
  };
  struct Lane;
  struct Piece;

  static constexpr std::size_t kMostBlocks = 8;

  float energy(NodeId source, float score) const;
  void energies(NodeId source, std::span<const float> scores, const Kernels& kernel,
                float* out) const;
  void score_pool(Piece& piece) const;
  int blocks_for(std::size_t negatives) const;
  void learn_tail(NodeId source, const Scorer& scorer, Pool pool);
  void start(Chain& chain, const Scorer& scorer, Rng& rng) const;
  void step(Chain& chain, NodeId y, float energy_y, float slack) const;
  void scan_pool(Chain& chain, Pool pool, const Kernels& kernel, Rng& rng) const;

  // Many chains side by side: mcns_lanes.cpp.
  void run(Piece& piece);
  bool run_to_local(Piece& piece, Lane& lane);
  Pool part_of_pool(const Piece& piece, std::size_t index, std::size_t from, std::size_t to) const;
  bool open_source(Piece& piece, Lane& lane);
  void open_slot(const Piece& piece, Lane& lane) const;
  void draw_block(const Scorer& scorer, Lane& lane) const;
  void local_steps(const Scorer& scorer, std::span<Lane*> lanes) const;
  void local_energies(std::span<Lane*> lanes, const Kernels& kernel, float* scores,
                      float* out) const;
  void single_step(Lane& lane, NodeId y, float energy_y, bool local) const;

  McnsOptions options_;
  const Exclusion& exclusion_;
  std::optional<Proposals> proposals_;
  TailLaw tail_law_;
  float slope_ = 1;
  bool moves_seldom_ = false;  ///< so seldom that a branch is guessed right
  std::vector<NodeId> chains_;
  std::vector<Tail> tails_;
};

}  // namespace mcns
