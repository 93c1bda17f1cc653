// MCNS by the ensemble step: the target is that of mcns.cpp, form=exp or form=paper, and a step
// weighs all proposals at once.
//
// A source has K chains with states x_1 ... x_K. It shares a pool of N independent proposals with
// the other sources of its block. With w = target / density of a proposal, up to a factor, W the
// sum of w over the pool's allowed members and Z_i = W + w(x_i), chain i moves to a member of {x_i}
// and the pool with probability w / Z_i. That leaves the target as it is (a Gibbs step over which
// of N + 1 draws is the one from the target; with N = 1 it is Barker's rule). A pair's negatives
// are drawn independently with these probabilities, by turns for the chains, and the first draw
// for a chain is its new state. One product of scores and one scan, no step that waits for another.
//
// Where all pairs of a batch share one pool (--negatives shared:N), all candidates count with their
// probabilities instead of the drawn ones: the mean over the chains of w / Z_i is the slope of
// -mean log Z_i (train/pool_softmax.h), an estimate of the gradient of the whole softmax. Chains of
// one source share their pool, so they depend on each other; a common sum over all states would be
// biased for K > 1.
#include "mcns/samplers/mcns_ensemble.h"

#include <algorithm>
#include <cmath>

#include "mcns/core/error.h"
#include "mcns/core/thread_scratch.h"
#include "mcns/samplers/enumerate.h"

namespace mcns {

/// What a source's negatives are drawn from.
struct McnsEnsemble::Candidates {
  std::vector<NodeId> pool;
  std::vector<float> scores;       ///< of the pool: sources of the block x pool
  std::vector<double> cumulative;  ///< weights of the pool, 0 for what is excluded
  std::vector<double> state_weights;
  std::vector<NodeId> sources;
  std::span<const float> row;  ///< scores of the source at hand
  std::span<const NodeId> states;
};

McnsEnsemble::McnsEnsemble(const EnsembleOptions& options, const SamplerContext& context)
    : options_(options),
      exclusion_(context.exclusion),
      states_(static_cast<std::size_t>(context.graph.sources().end) * options.chains, -1) {
  if (options_.power != 0) base_.emplace(exclusion_, degree_weights(context.graph, options_.power));
}

std::span<NodeId> McnsEnsemble::states_of(NodeId source) {
  return std::span(states_).subspan(static_cast<std::size_t>(source) * options_.chains,
                                    options_.chains);
}

/// States of a source that comes for the first time.
void McnsEnsemble::start(NodeId source) {
  const std::span<NodeId> states = states_of(source);
  if (states[0] >= 0) return;
  Rng rng(options_.seed, Domain::kState, static_cast<std::uint64_t>(source));
  for (NodeId& x : states) x = draw_base(source, rng);
}

/// Weights of the pool and the states, over the highest one.
void McnsEnsemble::weigh(NodeId source, const Scorer& scorer, Candidates& c) const {
  c.cumulative.resize(c.row.size());
  c.state_weights.resize(c.states.size());
  double top = -std::numeric_limits<double>::infinity();
  const auto weight = [&](float score) {
    const double w = options_.target.log_weight(score);
    top = std::max(top, w);
    return w;
  };
  for (std::size_t i = 0; i < c.states.size(); ++i)
    c.state_weights[i] = weight(scorer(source, c.states[i]));
  constexpr double kExcluded = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < c.row.size(); ++j)
    c.cumulative[j] = exclusion_.excluded(source, c.pool[j]) ? kExcluded : weight(c.row[j]);
  for (double& w : c.state_weights) w = std::exp(w - top);
  double total = 0;
  for (double& w : c.cumulative) w = total += std::exp(w - top);
}

void McnsEnsemble::sample(const SampleRequest& request, const Negatives& out) {
  auto& c = thread_scratch<Candidates>();
  c.pool.resize(options_.pool);
  Rng pool_rng(request.key.seed, Domain::kPool, static_cast<std::uint64_t>(request.key.epoch),
               request.serials[request.members[0]]);
  for (NodeId& v : c.pool) v = propose(pool_rng);
  c.sources.clear();
  for_each_source(request, [&](NodeId source, auto) { c.sources.push_back(source); });
  c.scores.resize(c.sources.size() * c.pool.size());
  request.scorer.products(c.sources.data(), static_cast<int>(c.sources.size()), c.pool.data(),
                          options_.pool, c.scores.data());
  const Streams streams = request.streams();
  std::size_t index = 0;
  std::vector<NodeId> next;
  for_each_source(request, [&](NodeId source, std::span<const std::int32_t> members) {
    start(source);
    const std::span<NodeId> states = states_of(source);
    c.states = states;
    c.row = std::span(c.scores).subspan(c.pool.size() * index++, c.pool.size());
    weigh(source, request.scorer, c);
    next.assign(states.begin(), states.end());
    std::size_t slot = 0;
    for (const std::int32_t i : members) {
      Rng rng = streams.at(request.serials[i]);
      for (int j = 0; j < out.k; ++j, ++slot) {
        const std::size_t chain = slot % states.size();
        const double own = c.state_weights[chain], total = own + c.cumulative.back();
        const double at = rng.uniform() * total - own;
        NodeId drawn = states[chain];
        if (at >= 0) {
          const auto found = std::upper_bound(c.cumulative.begin(), c.cumulative.end(), at);
          if (found != c.cumulative.end()) drawn = c.pool[found - c.cumulative.begin()];
        }
        out.ids[static_cast<std::size_t>(i) * out.k + j] = drawn;
        if (slot < states.size()) next[chain] = drawn;
      }
    }
    std::copy(next.begin(), next.end(), states.begin());
  });
}

/// The weighted pool estimates the softmax: the weights must be exp(score) over uniform proposals.
PoolSource* McnsEnsemble::pool_source() {
  require(options_.target.form == Form::kExp && options_.target.alpha == 0.5 && options_.power == 0,
          "mcns: a pool that the batch shares estimates the softmax over all targets; it needs "
          "form=exp, alpha=0.5 and power=0");
  return this;
}

void McnsEnsemble::draw_pool(BatchKey key, std::span<NodeId> out) const {
  Rng rng(key.seed, Domain::kPool, static_cast<std::uint64_t>(key.epoch),
          static_cast<std::uint64_t>(key.batch));
  for (NodeId& v : out) v = propose(rng);
}

double McnsEnsemble::pool_log_q(NodeId) const {
  return -std::log(static_cast<double>(exclusion_.targets().size()));
}

void McnsEnsemble::states(BatchKey, NodeId source, std::span<NodeId> out) {
  start(source);
  std::ranges::copy(states_of(source), out.begin());
}

void McnsEnsemble::move(BatchKey key, NodeId source, const PoolWeights& weights) {
  const auto sources = static_cast<std::uint64_t>(exclusion_.graph().num_nodes());
  Rng rng(key.seed, Domain::kNegatives, static_cast<std::uint64_t>(key.epoch),
          static_cast<std::uint64_t>(key.batch) * sources + static_cast<std::uint64_t>(source));
  for (int i = 0; i < options_.chains; ++i) {
    const double own = weights.state_weights[i];
    double at = rng.uniform() * (own + weights.pool_total) - own;
    if (at < 0) continue;
    std::size_t chunk = 0;
    while (chunk + 1 < weights.chunk_totals.size() && at >= weights.chunk_totals[chunk])
      at -= weights.chunk_totals[chunk++];
    const std::size_t first = chunk * weights.chunk;
    const std::size_t count = std::min<std::size_t>(weights.chunk, weights.pool.size() - first);
    const float* const w = weights.weights[chunk];
    for (std::size_t j = 0; j < count; ++j) {
      at -= w[j];
      if (at >= 0 || w[j] == 0) continue;  // rounding must not choose what weighs nothing
      states_of(source)[i] = weights.pool[first + j];
      break;
    }
  }
}

/// Of the target, normalised over draws: an estimate.
std::optional<LogProbability> McnsEnsemble::log_q(NodeId source, NodeId target,
                                                  const Scorer& scorer) const {
  const LogProbability base =
      base_ ? base_->log_q(source, target) : uniform_log_q(exclusion_, source, target);
  if (std::isinf(base.value)) return LogProbability{base.value, false};
  return LogProbability{
      base.value - log_mean_ratio(
                       options_.target, scorer(source, target),
                       [&](Rng& rng) { return scorer(source, draw_base(source, rng)); },
                       Rng(options_.seed, Domain::kState, static_cast<std::uint64_t>(source))),
      false};
}

void McnsEnsemble::visit_state(Archive& archive) {
  const std::size_t count = states_.size();
  archive("mcns.states", states_);
  if (archive.is_loading()) exclusion_.check_saved("mcns.states", states_, count);
}

}  // namespace mcns
