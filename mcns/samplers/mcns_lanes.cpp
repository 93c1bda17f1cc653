// Runs the chains of a piece side by side, step by step. A local proposal starts where its chain
// stands, so it cannot be drawn or scored before the step in front of it is decided; the walk and
// the row that it leads to are loads that wait for one another. Chains of different sources wait
// together: which steps are local is the same for all of them. The rest of what a chain draws comes
// from the streams of its own pairs. chain=dfs hands its state from source to source: each lane
// goes along a stretch of the sources.
#include "mcns/samplers/mcns_lanes.h"

#include <limits>

#include "mcns/core/thread_scratch.h"

namespace mcns {

void McnsSampler::run(Piece& piece) {
  struct Lanes {
    Lane all[Piece::kLanes];
  };
  Lane* const storage = thread_scratch<Lanes>().all;
  Lane* lanes[Piece::kLanes];
  int running = 0;
  const int wanted = lanes_for(piece);
  for (int i = 0; i < wanted; ++i) {
    Lane& lane = storage[i];
    lane.chain.node = -1;
    lane.next_index = piece.pool.sources.size() * i / wanted;
    lane.end = piece.pool.sources.size() * (i + 1) / wanted;
    if (open_source(piece, lane)) lanes[running++] = &lane;
  }
  while (running > 0) {
    single_steps(piece, {lanes, std::size_t(running)});
    for (int i = 0; i < running;) {
      if (close_slot(piece, *lanes[i]))
        ++i;
      else
        std::swap(lanes[i], lanes[--running]);
    }
  }
}

/// Without single steps there is nothing to wait for.
int McnsSampler::lanes_for(const Piece& piece) const {
  if (options_.steps == 0) return 1;
  if (!options_.handed_over) return Piece::kLanes;
  const std::size_t stretches = piece.request.members.size() / Piece::kStretch;
  return static_cast<int>(std::clamp<std::size_t>(stretches, 1, Piece::kLanes));
}

int McnsSampler::pairs_per_block() const {
  if (options_.steps == 0) return NegativeSampler::pairs_per_block();
  return options_.handed_over ? Piece::kLanes * Piece::kStretch : 512;
}

/// Proposals [from, to) of the source's pool, which lie in one part.
McnsSampler::Pool McnsSampler::part_of_pool(const Piece& piece, std::size_t index, std::size_t from,
                                            std::size_t to) const {
  return {piece.pool.nodes(from, to), piece.pool.scores_of(index, from, to)};
}

/// The next source of the piece, or of the lane's stretch, takes the lane; false if there is none.
bool McnsSampler::open_source(Piece& piece, Lane& lane) {
  const BlockPool& all = piece.pool;
  std::size_t& next = options_.handed_over ? lane.next_index : piece.next_source;
  if (next == (options_.handed_over ? lane.end : all.sources.size())) return false;
  lane.index = next++;
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
    lane.rng = piece.request.streams().at(piece.request.serials[lane.members[lane.slot / k]]);
  if (lane.slot == 0) start(lane.chain, piece.request.scorer, lane.rng);
  const std::size_t block = options_.pool, size = piece.pool.parts[lane.index] * block;
  const std::size_t end = size * (lane.slot + 1) / lane.slots;
  for (std::size_t from = size * lane.slot / lane.slots; from < end;) {
    const std::size_t to = std::min(end, (from / block + 1) * block);
    scan_pool(lane.chain, part_of_pool(piece, lane.index, from, to), *piece.request.scorer.kernel,
              lane.rng);
    from = to;
  }
}

/// Where the chain stands is the slot's negative. False when the lane has nothing left to do.
bool McnsSampler::close_slot(Piece& piece, Lane& lane) {
  const std::size_t k = piece.out.k, pair = lane.members[lane.slot / k];
  piece.out.ids[pair * k + lane.slot % k] = lane.chain.node;
  if (++lane.slot < lane.slots) {
    open_slot(piece, lane);
    return true;
  }
  chains_[lane.chain.source] = lane.chain.node;
  return open_source(piece, lane);
}

/// The single steps of a slot of each lane.
void McnsSampler::single_steps(Piece& piece, std::span<Lane*> lanes) const {
  if (options_.steps == 0) return;
  auto& block = thread_scratch<Block>();
  const Scorer& scorer = piece.request.scorer;
  open_block(lanes, block);
  for (int left = options_.steps, blocks = (left + Block::kSteps - 1) / Block::kSteps; left > 0;
       --blocks) {
    const int count = (left + blocks - 1) / blocks;
    left -= count;
    for (int t = 0; t < count; ++t) block.is_local[t] = piece.choices.next_is_local();
    draw_block(scorer, lanes, count, block);
    for (int t = 0; t < count; ++t) step_all(scorer, t, block);
  }
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    lanes[i]->chain.node = block.nodes[i];
    lanes[i]->chain.energy = block.energies[i];
  }
}

void McnsSampler::open_block(std::span<Lane*> lanes, Block& block) const {
  block.lanes = static_cast<int>(lanes.size());
  block.width = (block.lanes + 15) / 16 * 16;
  for (int i = 0; i < block.lanes; ++i) {
    const Chain& chain = lanes[i]->chain;
    block.sources[i] = chain.source;
    block.nodes[i] = chain.node;
    block.energies[i] = chain.energy;
    const Tail tail = tails_.empty() ? Tail{0, 1} : tails_[chain.source];
    block.thresholds[i] = tail.threshold;
    block.scales[i] = 1 / tail.excess;
    const ExclusionSketch sketch = exclusion_.sketch(chain.source);
    block.offsets[i] = sketch.offset;
    block.multipliers[i] = sketch.multiplier;
    block.shifts[i] = sketch.shift;
  }
  for (int i = block.lanes; i < block.width; ++i) {
    block.energies[i] = -std::numeric_limits<float>::infinity();  // nothing is lower
    block.offsets[i] = block.multipliers[i] = block.shifts[i] = 0;
    for (int t = 0; t < Block::kSteps; ++t)
      block.to[t * block.width + i] = exclusion_.targets().begin;
  }
}

/// The next steps of every lane, as far as they do not look at its state: the uniform proposals
/// with their energies, and the variates.
void McnsSampler::draw_block(const Scorer& scorer, std::span<Lane*> lanes, int count,
                             Block& block) const {
  const int width = block.width;
  std::uint64_t choices[Block::kLanes] = {}, variates[Block::kLanes] = {};
  for (int i = 0; i < block.lanes; ++i) {
    Rng& rng = lanes[i]->rng;
    choices[i] = rng.state();
    rng.skip(count);
    variates[i] = rng.state();
    rng.skip(count);
  }
  scorer.kernel->next_numbers(choices, width, count, block.numbers);
  scorer.kernel->next_exponentials(variates, width, count, block.slacks);
  int uniform[Block::kSteps], uniforms = 0;
  for (int t = 0; t < count; ++t) {
    if (block.is_local[t]) continue;
    uniform[uniforms++] = t * width;
    for (int at = t * width; at < t * width + block.lanes; ++at)
      block.to[at] = exclusion_.propose_uniform(block.numbers[at]);
  }
  NodeId list[Block::kSteps];
  float scores[Block::kSteps];
  for (int i = 0; i < block.lanes; ++i) {
    for (int n = 0; n < uniforms; ++n) list[n] = block.to[uniform[n] + i];
    scorer(block.sources[i], list, uniforms, scores);
    for (int n = 0; n < uniforms; ++n) block.to_energies[uniform[n] + i] = scores[n];
  }
  for (int n = 0; n < uniforms; ++n) to_energies(uniform[n], *scorer.kernel, block);
}

/// The inner loop of Algorithm 2, for every lane at once. A proposal y is local, drawn from where
/// the chain stands and scored here, or uniform, drawn and scored before. The log of q(x|y) /
/// q(y|x) is added to the slack; then the chains that accept move (core/metropolis.h).
void McnsSampler::step_all(const Scorer& scorer, int t, Block& block) const {
  const int row = t * block.width;
  NodeId* to = block.to + row;
  if (block.is_local[t]) {
    proposals_->local({block.lanes, block.nodes, block.numbers + row, to, block.slacks + row});
    scorer.paired(block.sources, to, block.lanes, block.to_energies + row);
    to_energies(row, *scorer.kernel, block);
  } else {
    proposals_->add_log_ratios(block.lanes, block.nodes, to, block.slacks + row);
  }
  const bool some_ask = scorer.kernel->metropolis(
      {block.width, block.nodes, block.energies, to, block.to_energies + row, block.slacks + row,
       exclusion_.words().data(), block.offsets, block.multipliers, block.shifts,
       exclusion_.targets().begin, block.asks});
  if (!some_ask) return;
  for (int i = 0; i < block.lanes; ++i)
    if (block.asks[i] != 0 && !exclusion_.excluded(block.sources[i], to[i])) {
      block.nodes[i] = to[i];
      block.energies[i] = block.to_energies[row + i];
    }
}

/// From a row of scores. Sources differ in the place and the width of their tails, which are
/// divided out first.
void McnsSampler::to_energies(int row, const Kernels& kernel, Block& block) const {
  float* scores = block.to_energies + row;
  if (options_.target.form == Form::kQuantile)
    for (int i = 0; i < block.lanes; ++i)
      scores[i] = (scores[i] - block.thresholds[i]) * block.scales[i];
  energies(tail_distribution_.shape({0, 1}), {scores, std::size_t(block.lanes)}, kernel, scores);
}

}  // namespace mcns
