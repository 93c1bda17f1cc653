// MCNS of form=quantile: negatives as hard as the best of M draws, by the current scores alone.
//
// The target over the allowed negatives u of a node v is the distribution of the best of M draws,
// F_v(s)^M - F_v(s-)^M, with F_v the distribution function of v's scores over draws from uniform,
// or from degree^power. M may be any number from 1: of M = 2.3, three draws in ten are the best of
// 3, the others the best of 2.
//
// The sources of a block share a pool of independent proposals, scored by one matrix product.
// Proposals that are training positives of the source are left out. A negative's candidates are the
// next c of the source's proposals, and its proposal y is the best of them, of density c F^(c-1).
// With c = M that is the target itself: y is the negative. With fewer (`least` below M, or a pool
// that is smaller), the node's chain takes a Metropolis step from its state x,
//   to y with probability min(1, (F(y) / F(x))^(M - c)),
// F being counted among the source's proposals; a model that moves fast leaves such a chain some
// steps behind. Nothing is remembered but the state, and with c = M not even that counts.
// Candidates are used once where the pool has enough of them, up to 16 parts; then they are
// taken in other runs, each of which has the right distribution while different ones depend on each
// other.
//
// With a pool that sources share, a few high scorers are the negatives of many pairs. Where sources
// have few pairs in a batch that costs nothing that one could measure. On walks they have many, and
// it does: 0.1 points of Micro-F1 on Wikipedia. There every pair, or window that shares negatives,
// has candidates of its own; a whole M then draws what DNS draws, to the bit.
//
// Cost per negative: c scores at the speed of matrix products, and as many comparisons.
#include "mcns/samplers/mcns_quantile.h"

#include <cmath>
#include <limits>

#include "mcns/core/error.h"
#include "mcns/core/thread_scratch.h"
#include "mcns/samplers/enumerate.h"

namespace mcns {
namespace {

/// Of the pool, for a source: enough for 25 pairs of five negatives as hard as the best of 8.
constexpr int kMostParts = 16;
/// Candidates of pairs of walks that are scored at once.
constexpr std::size_t kAtOnce = 2048;

}  // namespace

/// Allowed proposals of a source, and where its next negative takes its candidates.
struct McnsQuantile::Candidates {
  std::span<const NodeId> ids;
  std::span<const float> scores;
  std::size_t next = 0, unused = 0;

  /// The best of the next `count`, which must not be more than there are; of equals the first.
  std::size_t best_of_next(std::size_t count, Rng& rng) {
    const std::size_t size = ids.size();
    if (unused < count) {  // another run through them, cut in other places
      next = rng.below(size);
      unused = size;
    }
    unused -= count;
    std::size_t best = next;
    float most = scores[next];
    const auto look_at = [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {  // without a branch: nothing predicts it
        const bool is_better = scores[i] > most;
        best = is_better ? i : best;
        most = is_better ? scores[i] : most;
      }
    };
    const std::size_t end = next + count;
    look_at(next, std::min(end, size));
    if (end > size) look_at(0, end - size);
    next = end < size ? end : end - size;
    return best;
  }
  /// The share of scores at or below.
  double share_below(float score) const {
    int below = 0;
    for (const float s : scores) below += s <= score ? 1 : 0;
    return (below + 1.0) / (static_cast<double>(scores.size()) + 1);
  }
};

/// Memory of candidates.
struct McnsQuantile::CandidatesBuffer {
  std::vector<NodeId> ids;
  std::vector<float> scores;

  void resize(std::size_t count) {
    ids.resize(count);
    scores.resize(count);
  }
};

McnsQuantile::McnsQuantile(const QuantileOptions& options, const SamplerContext& context)
    : options_(options),
      target_{.form = Form::kQuantile, .candidates = options.hardness},
      exclusion_(context.exclusion),
      whole_(static_cast<int>(options.hardness)),
      fraction_(options.hardness - whole_),
      chains_(context.graph.sources().end, -1) {
  if (options_.power != 0) base_.emplace(exclusion_, degree_weights(context.graph, options_.power));
}

/// Parts of the pool for a source that needs so many negatives.
int McnsQuantile::parts_for(std::size_t negatives) const {
  const double wanted = static_cast<double>(candidates_of_draw() * negatives);
  return static_cast<int>(
      std::clamp(std::ceil(wanted / options_.pool), 1.0, static_cast<double>(kMostParts)));
}

void McnsQuantile::list_candidates(const BlockPool& pool, std::size_t index,
                                   CandidatesBuffer& out) const {
  const NodeId source = pool.sources[index];
  const std::size_t size = pool.part_size, all = pool.parts[index] * size;
  out.resize(all);
  std::size_t count = 0;
  for (std::size_t first = 0; first < all; first += size) {
    const auto nodes = pool.nodes(first, first + size);
    const auto scores = pool.scores_of(index, first, first + size);
    for (std::size_t i = 0; i < size; ++i) {  // without a branch: nothing predicts it
      out.ids[count] = nodes[i];
      out.scores[count] = scores[i];
      count += exclusion_.excluded(source, nodes[i]) ? 0 : 1;
    }
  }
  out.resize(count);
}

/// Nearly all targets are excluded: the pool of a source is filled up one by one. Whether it was.
bool McnsQuantile::add_candidates(NodeId source, const Scorer& scorer, Rng& rng,
                                  CandidatesBuffer& out) const {
  const std::size_t before = out.ids.size();
  const std::size_t enough =
      std::max<std::size_t>(1, std::min<std::size_t>(candidates_of_draw(), options_.pool));
  while (out.ids.size() < enough) {
    out.ids.push_back(draw_base(source, rng));
    out.scores.push_back(scorer(source, out.ids.back()));
  }
  return out.ids.size() != before;
}

/// At most.
std::size_t McnsQuantile::candidates_of_draw() const {
  return static_cast<std::size_t>(
      std::min<double>(options_.per_negative, std::ceil(options_.hardness)));
}

int McnsQuantile::hardness_of_draw(Rng& rng) const {
  if (fraction_ == 0) return whole_;
  return whole_ + (rng.uniform() < fraction_ ? 1 : 0);
}

/// Moves the chain of the source, or lets it stay.
void McnsQuantile::step(NodeId source, int hardness, const Scorer& scorer, Rng& rng,
                        Candidates& c) {
  NodeId& x = chains_[source];
  const bool starts = x < 0 || exclusion_.excluded(source, x);  // on the target, if the pool allows
  const std::size_t count = std::min<std::size_t>(
      starts ? hardness : std::min(options_.per_negative, hardness), c.ids.size());
  const std::size_t y = c.best_of_next(count, rng);
  const int missing = hardness - static_cast<int>(count);
  if (missing > 0 && !starts) {
    const float score = scorer(source, x);
    if (c.scores[y] < score) {
      const double ratio = c.share_below(c.scores[y]) / c.share_below(score);
      if (rng.uniform() >= std::pow(ratio, missing)) return;
    }
  }
  x = c.ids[y];
}

/// Negatives of a pair, by candidates that its source allows.
void McnsQuantile::take(const SampleRequest& request, std::int32_t pair, Rng& rng,
                        Candidates& candidates, const Negatives& out) {
  const NodeId source = request.pairs[pair].source;
  for (int j = 0; j < out.k; ++j) {
    step(source, hardness_of_draw(rng), request.scorer, rng, candidates);
    out.ids[static_cast<std::size_t>(pair) * out.k + j] = chains_[source];
  }
}

/// Pairs of one source, each with candidates of its own: no more than a source has in a pool.
void McnsQuantile::sample_apart(const SampleRequest& request, const Negatives& out) {
  struct Scratch {
    CandidatesBuffer buffer;
    std::vector<Rng> streams;
  };
  auto& [buffer, streams] = thread_scratch<Scratch>();
  const NodeId source = request.pairs[request.members[0]].source;
  const std::size_t each = std::min(candidates_of_draw() * static_cast<std::size_t>(out.k),
                                    static_cast<std::size_t>(kMostParts) * options_.pool);
  const std::size_t at_once = std::max<std::size_t>(1, kAtOnce / each);
  for (std::size_t first = 0; first < request.members.size(); first += at_once) {
    const auto members =
        request.members.subspan(first, std::min(at_once, request.members.size() - first));
    buffer.resize(members.size() * each);
    streams.clear();
    NodeId* next = buffer.ids.data();
    for (const std::int32_t i : members) {
      Rng rng = request.streams().at(request.serials[i]);
      for (std::size_t c = 0; c < each; ++c) *next++ = draw_base(source, rng);
      streams.push_back(rng);
    }
    request.scorer(source, buffer.ids.data(), static_cast<int>(buffer.ids.size()),
                   buffer.scores.data());
    for (std::size_t m = 0; m < members.size(); ++m) {
      Candidates own{std::span(buffer.ids).subspan(m * each, each),
                     std::span(buffer.scores).subspan(m * each, each), 0, each};
      take(request, members[m], streams[m], own, out);
    }
  }
}

/// The sources of the request share a pool.
void McnsQuantile::sample_together(const SampleRequest& request, const Negatives& out) {
  struct Scratch {
    BlockPool pool;
    CandidatesBuffer candidates;
  };
  auto& [pool, buffer] = thread_scratch<Scratch>();
  pool.draw(
      request, options_.pool, false, [&](std::size_t pairs) { return parts_for(pairs * out.k); },
      [&](Rng& rng) { return propose(rng); });
  const Streams streams = request.streams();
  for (std::size_t index = 0; index < pool.sources.size(); ++index) {
    list_candidates(pool, index, buffer);
    Candidates candidates{buffer.ids, buffer.scores};
    for (const std::int32_t i : pool.members[index]) {
      Rng rng = streams.at(request.serials[i]);
      if (add_candidates(pool.sources[index], request.scorer, rng, buffer))
        candidates = {buffer.ids, buffer.scores};
      take(request, i, rng, candidates, out);
    }
  }
}

void McnsQuantile::sample(const SampleRequest& request, const Negatives& out) {
  if (!request.of_walks) return sample_together(request, out);
  SampleRequest part = request;
  for_each_source(request, [&](NodeId, auto of_source) {
    part.members = of_source;
    sample_apart(part, out);
  });
}

/// By all allowed targets where they are few, else an estimate by draws.
std::optional<LogProbability> McnsQuantile::log_q(NodeId source, NodeId target,
                                                  const Scorer& scorer) const {
  constexpr int kDraws = 256;
  constexpr NodeId kFew = 1024;
  const LogProbability base =
      base_ ? base_->log_q(source, target) : uniform_log_q(exclusion_, source, target);
  if (std::isinf(base.value)) return LogProbability{base.value, false};
  auto& all = thread_scratch<ScoredTargets>();
  const bool exact = !base_ && exclusion_.targets().size() <= kFew;
  if (exact) {
    all.fill(exclusion_, source, scorer);
  } else {
    Rng rng(options_.seed, Domain::kState, static_cast<std::uint64_t>(source));
    all.ids.resize(kDraws);
    all.scores.resize(kDraws);
    for (NodeId& v : all.ids) v = draw_base(source, rng);
    scorer(source, all.ids.data(), kDraws, all.scores.data());
    all.ids.push_back(target);
    all.scores.push_back(scorer(source, target));
  }
  // As it is among the others: a score on its own may differ in its last bits, and equal none.
  const auto at = std::ranges::find(all.ids, target) - all.ids.begin();
  const float score = all.scores[static_cast<std::size_t>(at)];
  double below = 0, ties = 0;
  for (const float s : all.scores) {
    below += s < score;
    ties += s == score;
  }
  const auto n = static_cast<double>(all.scores.size());
  const double mass = target_.quantile_mass(below / n, (below + ties) / n) / (ties / n);
  return LogProbability{base.value + std::log(mass), exact};
}

PoolSource* McnsQuantile::pool_source() {
  throw_error(ErrorKind::kUsage,
              "mcns: a pool that the batch shares needs step=ensemble and form=exp");
}

void McnsQuantile::visit_state(Archive& archive) {
  const std::size_t count = chains_.size();
  archive("mcns.chains", chains_);
  if (archive.is_loading()) exclusion_.check_saved("mcns.chains", chains_, count);
}

}  // namespace mcns
