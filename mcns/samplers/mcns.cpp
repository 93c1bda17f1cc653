// MCNS: negatives by Metropolis-Hastings from the self-contrast distribution of the current model.
//
// Target over the allowed negatives u of a node v, s = score of (v, u):
//   form=paper     (u . v)^alpha, scores below `floor` count as `floor` (Section 4.1 of the paper)
//   form=exp       exp(alpha / (1 - alpha) s): Theorem 1 with p_n ~ p_d^alpha
//   form=quantile  F_v(s)^(M-1), the distribution of the best of M uniform draws; F_v in tail.h.
//                  Here where single steps are asked for; without them see mcns_quantile.cpp
// `power` lets the distribution start from degree^power instead of uniform: all three times
// deg(u)^power, F_v over draws from that, and pools drawn from it, so that a step's ratio stays
// that of the forms. Proposals: `pool` uniform ones that all nodes of a piece share, so that their
// scores are one small matrix product (a chain step then costs a comparison), more of them for
// nodes with many pairs in the batch, up to eight pools, so that a negative of form=quantile has M;
// then `steps` single ones, uniform or local (proposals.h). A proposal that is a training positive
// has target 0: rejected. Chains: chain=node keeps one per node, continued when the node comes
// again (4 bytes a node). chain=dfs is the paper's: the state is handed on from a node to the next
// one of the piece, which is its neighbour where positives come in depth-first order. It starts
// from another node's distribution, so it is biased by construction unless steps are many.
// form=paper takes Algorithm 2 as it stands: one single step per negative, uniform or nearest by
// halves, chains handed over. Cost per negative: its share of the pool's scores, at matrix-product
// speed, and `steps` + 1 more.
#include "mcns/samplers/mcns.h"

#include <algorithm>
#include <cmath>

#include "mcns/core/error.h"
#include "mcns/core/thread_scratch.h"
#include "mcns/samplers/enumerate.h"
#include "mcns/samplers/mcns_lanes.h"

namespace mcns {
McnsSampler::McnsSampler(const McnsOptions& options, const SamplerContext& context)
    : options_(options),
      exclusion_(context.exclusion),
      tail_distribution_(options.target.candidates),
      chains_(context.graph.sources().end, -1) {
  if (options_.power != 0) base_.emplace(exclusion_, degree_weights(context.graph, options_.power));
  if (options_.steps > 0) proposals_.emplace(options_.proposal, context.graph, context.pool);
  if (options_.target.form == Form::kQuantile) tails_.resize(context.graph.sources().end);
  moves_seldom_ = options_.target.form == Form::kQuantile && options_.target.candidates >= 16;
  slope_ = static_cast<float>(options_.target.alpha / (1 - options_.target.alpha));
}

/// What form=quantile keeps of the source's scores. Of a source that was never visited it is what
/// the first visit would find: nothing is kept here. Other forms have no tails.
Tail McnsSampler::tail_of(NodeId source, const Scorer& scorer) const {
  if (tails_.empty()) return {};
  return tails_[source].excess > 0 ? tails_[source] : first_tail(source, scorer);
}

Tail McnsSampler::first_tail(NodeId source, const Scorer& scorer) const {
  constexpr int kDraws = 64;
  float scores[kDraws];
  Rng rng(options_.seed, Domain::kState, static_cast<std::uint64_t>(source));
  for (float& score : scores) score = scorer(source, draw_base(source, rng));
  return tail_distribution_.first(scores);
}

float McnsSampler::energy(Tail tail, float score) const {
  switch (options_.target.form) {
    case Form::kPaper:
      return -static_cast<float>(options_.target.alpha) *
             std::log(std::max(score, static_cast<float>(options_.target.floor)));
    case Form::kExp:
      return -slope_ * score;
    case Form::kQuantile:
      return tail_distribution_.energy(tail, score);
  }
  return 0;
}

void McnsSampler::sample(const SampleRequest& request, const Negatives& out) {
  auto& pool = thread_scratch<BlockPool>();
  Piece piece{request,
              out,
              pool,
              0,
              {options_.proposal, Rng(request.key.seed, Domain::kStepChoice,
                                      static_cast<std::uint64_t>(request.key.epoch),
                                      static_cast<std::uint64_t>(request.key.batch))}};
  score_pool(piece);
  run(piece);
}

/// Draws the proposals that the piece shares, and scores them for its sources.
void McnsSampler::score_pool(Piece& piece) const {
  piece.pool.draw(
      piece.request, options_.pool, options_.handed_over,
      [&](std::size_t pairs) { return parts_for(pairs * piece.out.k); },
      [&](Rng& rng) {
        return base_ ? base_->propose(rng.next()) : exclusion_.propose_uniform(rng);
      });
}

/// A chain that aims at the best of M needs about as many proposals to forget where it was.
int McnsSampler::parts_for(std::size_t negatives) const {
  if (options_.pool == 0) return 0;
  if (options_.target.form != Form::kQuantile || options_.handed_over) return 1;
  const std::size_t wanted = options_.per_negative * negatives;
  return static_cast<int>(std::clamp<std::size_t>((wanted + options_.pool - 1) / options_.pool, 1,
                                                  BlockPool::kMostParts));
}

/// The chain's node must be allowed; its energy is that of the current parameters.
void McnsSampler::start(Chain& chain, const Scorer& scorer, Rng& rng) const {
  if (chain.node < 0 || exclusion_.excluded(chain.source, chain.node))
    chain.node = draw_base(chain.source, rng);
  chain.energy = energy(tail_of(chain.source, scorer), scorer(chain.source, chain.node));
}

/// The shape matters to form=quantile alone.
void McnsSampler::energies(TailShape shape, std::span<const float> scores, const Kernels& kernel,
                           float* out) const {
  const int count = static_cast<int>(scores.size());
  switch (options_.target.form) {
    case Form::kPaper:
      return kernel.log_energies(scores.data(), static_cast<float>(options_.target.floor),
                                 static_cast<float>(options_.target.alpha), count, out);
    case Form::kExp:
      for (int i = 0; i < count; ++i) out[i] = -slope_ * scores[i];
      return;
    case Form::kQuantile:
      return kernel.tail_energies(scores.data(), shape, count, out);
  }
}

/// Steps with the pool's uniform proposals, whose scores are there already: energies and variates
/// in vectors, then a scan of comparisons.
void McnsSampler::scan_pool(Chain& chain, Pool pool, const Kernels& kernel, Rng& rng) const {
  constexpr std::size_t kChunk = 64;
  alignas(64) float pool_energies[kChunk], variates[kChunk];
  const TailShape shape =
      tails_.empty() ? TailShape{} : tail_distribution_.shape(tails_[chain.source]);
  for (std::size_t first = 0; first < pool.nodes.size(); first += kChunk) {
    const int count = static_cast<int>(std::min(kChunk, pool.nodes.size() - first));
    energies(shape, pool.scores.subspan(first, count), kernel, pool_energies);
    kernel.exponentials(rng.state(), count, variates);
    rng.skip(count);
    for (int i = 0; i < count; ++i) {
      if (moves_seldom_ && !metropolis_accepts(chain.energy, pool_energies[i], variates[i]))
        continue;
      step(chain, pool.nodes[first + i], pool_energies[i], variates[i]);
    }
  }
}

/// Uniform proposals of the piece teach the tail of the source's scores, positives left out.
void McnsSampler::learn_tail(NodeId source, const Scorer& scorer, Pool pool) {
  Tail& tail = tails_[source];
  if (tail.excess == 0) {
    tail = first_tail(source, scorer);
    return;
  }
  // Without a branch on the scores, then one on what is seldom.
  struct HighScores {
    std::vector<int> places;
  };
  std::vector<int>& high = thread_scratch<HighScores>().places;
  high.resize(pool.nodes.size() + 1);
  int count = static_cast<int>(pool.nodes.size()), above = 0, candidates = 0;
  for (int i = 0; i < count; ++i) {
    high[candidates] = i;
    candidates += pool.scores[i] > tail.threshold ? 1 : 0;
  }
  float excess = 0;
  for (int c = 0; c < candidates; ++c) {
    const int i = high[c];
    if (exclusion_.excluded(source, pool.nodes[i])) {
      --count;
      continue;
    }
    ++above;
    excess += pool.scores[i] - tail.threshold;
  }
  if (tail_distribution_.is_lost(tail, count, above, excess))
    tail = first_tail(source, scorer);
  else if (count > 0)
    tail_distribution_.update(tail, count, above, excess);
}

/// Of the target distribution, which the chain reaches in the long run: an estimate. The quantile
/// form has density M F^(M-1) over the allowed targets; the others are normalised over uniform
/// draws.
std::optional<LogProbability> McnsSampler::log_q(NodeId source, NodeId target,
                                                 const Scorer& scorer) const {
  const LogProbability base =
      base_ ? base_->log_q(source, target) : uniform_log_q(exclusion_, source, target);
  if (std::isinf(base.value)) return LogProbability{base.value, false};
  if (options_.target.form == Form::kQuantile) {
    const double weight = -energy(tail_of(source, scorer), scorer(source, target));
    return LogProbability{base.value + std::log(options_.target.candidates) + weight, false};
  }
  return LogProbability{
      base.value - log_mean_ratio(
                       options_.target, scorer(source, target),
                       [&](Rng& rng) { return scorer(source, draw_base(source, rng)); },
                       Rng(options_.seed, Domain::kState, static_cast<std::uint64_t>(source))),
      false};
}

PoolSource* McnsSampler::pool_source() {
  throw_error(ErrorKind::kUsage,
              "mcns: a pool that the batch shares needs step=ensemble and form=exp");
}

void McnsSampler::visit_state(Archive& archive) {
  const std::size_t chains = chains_.size(), tails = tails_.size();
  archive("mcns.chains", chains_);
  archive("mcns.tails", tails_);
  if (!archive.is_loading()) return;
  exclusion_.check_saved("mcns.chains", chains_, chains);
  if (tails_.size() != tails)
    throw_error(ErrorKind::kData, "'mcns.tails' of the saved state has {} entries, expected {}",
                tails_.size(), tails);
  for (const Tail& tail : tails_)
    if (!std::isfinite(tail.threshold) || !std::isfinite(tail.excess) || tail.excess < 0)
      throw_error(ErrorKind::kData, "'mcns.tails' of the saved state holds {} and {}",
                  tail.threshold, tail.excess);
}

}  // namespace mcns
