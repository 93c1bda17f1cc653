// Runs the chains of a piece side by side. A local proposal starts where its chain stands, so it
// cannot be drawn or scored before the step in front of it is decided; the walk and the row that it
// leads to are loads that wait for one another. Sixteen chains of different sources wait together.
// A chain draws from the streams of its own pairs, so what it does is the same alone or in company.
// chain=dfs hands its state from source to source and has no company: one lane.
#include "mcns/samplers/mcns_lanes.h"

namespace mcns {

inline void McnsSampler::single_step(Lane& lane, NodeId y, float energy_y, bool local) const {
  const float slack = lane.variates[lane.next++];
  if (proposals_->searches() &&
      energy_y >= lane.chain.energy + slack + proposals_->largest_log_ratio())
    return;
  step(lane.chain, y, energy_y, slack + proposals_->log_ratio(lane.chain.node, y, local));
}

void McnsSampler::run(Piece& piece) {
  thread_local std::vector<Lane> storage(Piece::kLanes);
  Lane* lanes[Piece::kLanes];
  int running = 0;
  for (int i = 0; i < (options_.handed_over ? 1 : Piece::kLanes); ++i) {
    storage[i].chain.node = -1;
    if (open_source(piece, storage[i])) lanes[running++] = &storage[i];
  }
  for (;;) {
    for (int i = 0; i < running;) {
      if (run_to_local(piece, *lanes[i]))
        ++i;
      else
        std::swap(lanes[i], lanes[--running]);
    }
    if (running == 0) return;
    local_steps(piece.request.scorer, {lanes, std::size_t(running)});
  }
}

/// Proposals [from, to) of the source's pool, which lie in one block.
McnsSampler::Pool McnsSampler::part_of_pool(const Piece& piece, std::size_t index, std::size_t from,
                                            std::size_t to) const {
  const std::size_t size = options_.pool, block = from / size;
  const float* scores = piece.scratch.scores.data() + piece.scratch.first_score[block];
  return {std::span(piece.scratch.pool).subspan(from, to - from),
          {scores + index * size + from % size, to - from}};
}

/// The next source of the piece takes the lane; false if there is none.
bool McnsSampler::open_source(Piece& piece, Lane& lane) {
  const Piece::Scratch& all = piece.scratch;
  if (piece.next_source == all.sources.size()) return false;
  lane.index = piece.next_source++;
  lane.chain.source = all.sources[lane.index];
  if (!options_.handed_over || lane.chain.node < 0) lane.chain.node = chains_[lane.chain.source];
  lane.members = all.members[lane.index];
  lane.slot = 0;
  lane.slots = lane.members.size() * piece.out.k;
  if (options_.target.form == Form::kQuantile)
    learn_tail(lane.chain.source, piece.request.scorer,
               part_of_pool(piece, lane.index, 0, options_.pool));
  open_slot(piece, lane);
  return true;
}

/// Pairs of one source continue its chain one after the other; each slot gets its share of the
/// pool.
void McnsSampler::open_slot(const Piece& piece, Lane& lane) const {
  const std::size_t k = piece.out.k;
  if (lane.slot % k == 0)
    lane.rng = piece.request.streams().at(piece.request.names[lane.members[lane.slot / k]]);
  if (lane.slot == 0) start(lane.chain, piece.request.scorer, lane.rng);
  const std::size_t block = options_.pool, size = piece.scratch.blocks[lane.index] * block;
  const std::size_t end = size * (lane.slot + 1) / lane.slots;
  for (std::size_t from = size * lane.slot / lane.slots; from < end;) {
    const std::size_t to = std::min(end, (from / block + 1) * block);
    scan_pool(lane.chain, part_of_pool(piece, lane.index, from, to), *piece.request.scorer.kernel,
              lane.rng);
    from = to;
  }
  lane.count = lane.next = 0;
  lane.left = options_.steps;
  if (options_.steps > 0) lane.phase = lane.rng.uniformf();
}

/// Goes on through the uniform proposals, whose energies are there, until a local one is due. False
/// when the piece has nothing left to do.
bool McnsSampler::run_to_local(Piece& piece, Lane& lane) {
  for (;;) {
    if (lane.next == lane.count) {
      if (lane.left > 0) {
        draw_block(piece.request.scorer, lane);
        continue;
      }
      const std::size_t k = piece.out.k, pair = lane.members[lane.slot / k];
      piece.out.ids[pair * k + lane.slot % k] = lane.chain.node;
      if (++lane.slot < lane.slots) {
        open_slot(piece, lane);
        continue;
      }
      chains_[lane.chain.source] = lane.chain.node;
      if (!open_source(piece, lane)) return false;
      continue;
    }
    if (lane.is_local[lane.next]) return true;
    single_step(lane, lane.uniforms[lane.next_uniform], lane.energies[lane.next_uniform], false);
    ++lane.next_uniform;
  }
}

/// Neither the kinds of the steps nor the uniform proposals nor the variates look at the state.
void McnsSampler::draw_block(const Scorer& scorer, Lane& lane) const {
  lane.count = std::min(Lane::kBlock, lane.left);
  lane.left -= lane.count;
  lane.next = lane.next_uniform = 0;
  int uniforms = 0;
  for (int i = 0; i < lane.count; ++i) {
    const std::uint64_t bits = lane.rng.next();
    lane.is_local[i] = proposals_->is_local(bits, lane.phase);
    lane.uniforms[uniforms] = exclusion_.propose_uniform(bits);
    uniforms += lane.is_local[i] ? 0 : 1;
  }
  alignas(64) float scores[Lane::kBlock] = {};
  scorer(lane.chain.source, lane.uniforms, uniforms, scores);
  const std::size_t whole = (uniforms + 15) / 16 * 16;  // vectors
  energies(lane.chain.source, {scores, whole}, *scorer.kernel, lane.energies);
  scorer.kernel->exponentials(lane.rng.state(), (lane.count + 15) / 16 * 16, lane.variates);
  lane.rng.skip(lane.count);
}

/// Each lane is due a local step: all are walked, then all scored, then all decided.
void McnsSampler::local_steps(const Scorer& scorer, std::span<Lane*> lanes) const {
  NodeId ys[Piece::kLanes];
  Rng* rngs[Piece::kLanes];
  alignas(64) float scores[Piece::kLanes] = {}, energies[Piece::kLanes];
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    ys[i] = lanes[i]->chain.node;
    rngs[i] = &lanes[i]->rng;
  }
  proposals_->local({ys, lanes.size()}, {rngs, lanes.size()});
  for (std::size_t i = 0; i < lanes.size(); ++i)
    for (int c = 0; c < scorer.target.stride; c += 16)
      __builtin_prefetch(scorer.target.row(ys[i]) + c);
  for (std::size_t i = 0; i < lanes.size(); ++i) scores[i] = scorer(lanes[i]->chain.source, ys[i]);
  local_energies(lanes, *scorer.kernel, scores, energies);
  for (std::size_t i = 0; i < lanes.size(); ++i) single_step(*lanes[i], ys[i], energies[i], true);
}

/// Sources differ in the place and the width of their tails, which are divided out first.
void McnsSampler::local_energies(std::span<Lane*> lanes, const Kernels& kernel, float* scores,
                                 float* out) const {
  if (options_.target.form != Form::kQuantile)  // the same for all sources
    return energies(lanes[0]->chain.source, {scores, Piece::kLanes}, kernel, out);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const Tail& tail = tails_[lanes[i]->chain.source];
    scores[i] = (scores[i] - tail.threshold) * (1 / tail.excess);
  }
  kernel.tail_energies(scores, tail_law_.shape({0, 1}), Piece::kLanes, out);
}

}  // namespace mcns
