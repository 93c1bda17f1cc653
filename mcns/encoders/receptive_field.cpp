#include "mcns/encoders/receptive_field.h"

#include <algorithm>

#include "mcns/core/rng.h"

namespace mcns {
namespace {

constexpr std::int64_t kArcsPerPiece = 8192, kAhead = 24;

/// `count` distinct positions of [0, size), each position equally likely; count < size.
template <class Emit>
void draw_positions(std::uint64_t size, std::uint64_t count, Rng rng, Emit&& emit) {
  const std::uint64_t turn = rng.below(size), step = (size << 32) / count;
  std::uint64_t low = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t high = i + 1 == count ? size : ((i + 1) * step) >> 32;
    const std::uint64_t position = low + rng.below(high - low) + turn;
    emit(position >= size ? position - size : position);
    low = high;
  }
}

}  // namespace

ReceptiveField::ReceptiveField(const Adjacency& adjacency, std::vector<int> fanouts)
    : adjacency_(adjacency),
      fanouts_(std::move(fanouts)),
      sizes_(fanouts_.size() + 1),
      blocks_(fanouts_.size()),
      slot_of_node_(adjacency.nodes(), -1),
      drawn_(adjacency.nodes()) {}

void ReceptiveField::build(BatchKey key, std::span<const NodeId> nodes, ThreadPool& pool) {
  nodes_.assign(nodes.begin(), nodes.end());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    slot_of_node_[nodes[i]] = static_cast<std::int32_t>(i);
  for (int layer = layers(); layer >= 1; --layer) {
    sizes_[layer] = static_cast<std::int64_t>(nodes_.size());
    draw(key, layer, pool);
    number(blocks_[layer - 1], pool);
  }
  sizes_[0] = static_cast<std::int64_t>(nodes_.size());
  for (const NodeId v : nodes_) slot_of_node_[v] = -1;
}

/// Fills the block's columns with nodes, not yet with rows, and notes those drawn.
void ReceptiveField::draw(BatchKey key, int layer, ThreadPool& pool) {
  Block& block = blocks_[layer - 1];
  const std::span<const NodeId> outputs = nodes(layer);
  const bool loops = adjacency_.weighting() == Weighting::kSelfLoops;
  const auto fanout = static_cast<std::size_t>(fanouts_[layer - 1]);
  const auto drawn = [&](std::size_t degree) {
    return fanout == 0 ? degree : std::min(degree, fanout);
  };
  block.outputs = static_cast<std::int32_t>(outputs.size());
  block.offsets.resize(outputs.size() + 1);
  block.offsets[0] = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    block.offsets[i + 1] = block.offsets[i] + (loops ? 1 : 0) +
                           static_cast<EdgeId>(drawn(adjacency_.neighbors(outputs[i]).size()));
  block.columns.resize(block.offsets.back());
  block.values.resize(block.offsets.back());
  const Streams streams(
      key.seed, Domain::kNeighbors,
      (static_cast<std::uint64_t>(key.epoch) << 32) + static_cast<std::uint64_t>(key.batch));
  pool.for_ranges(block.outputs, 128, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const NodeId v = outputs[i];
      const auto neighbors = adjacency_.neighbors(v);
      const auto coefficients = adjacency_.coefficients(v);
      NodeId* column = block.columns.data() + block.offsets[i];
      float* value = block.values.data() + block.offsets[i];
      if (loops) {
        *column++ = v;
        *value++ = adjacency_.self(v);
      }
      const std::size_t count = drawn(neighbors.size());
      if (count == neighbors.size()) {
        std::copy(neighbors.begin(), neighbors.end(), column);
        for (const NodeId u : neighbors) drawn_.add(u);
        std::copy(coefficients.begin(), coefficients.end(), value);
        continue;
      }
      float* const first = value;
      float total = 0;
      draw_positions(neighbors.size(), count,
                     streams.at(static_cast<std::uint64_t>(v) * 64 + static_cast<unsigned>(layer)),
                     [&](std::uint64_t at) {
                       *column++ = neighbors[at];
                       drawn_.add(neighbors[at]);
                       *value++ = coefficients[at];
                       total += coefficients[at];
                     });
      // A mean stays a mean; a sum keeps its expectation.
      const float scale = adjacency_.weighting() == Weighting::kMean
                              ? 1.0F / total
                              : static_cast<float>(neighbors.size()) / static_cast<float>(count);
      for (float* p = first; p < value; ++p) *p *= scale;
    }
  });
}

/// From nodes to rows; nodes without a row yet get the next ones.
void ReceptiveField::number(Block& block, ThreadPool& pool) {
  drawn_.drain([&](NodeId v) {
    if (slot_of_node_[v] >= 0) return;
    slot_of_node_[v] = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back(v);
  });
  block.inputs = static_cast<std::int32_t>(nodes_.size());
  const auto arcs = static_cast<std::int64_t>(block.columns.size());
  pool.for_ranges(arcs, kArcsPerPiece, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t e = begin; e < end; ++e) {
      __builtin_prefetch(&slot_of_node_[block.columns[std::min(e + kAhead, end - 1)]]);
      block.columns[e] = slot_of_node_[block.columns[e]];
    }
  });
}

}  // namespace mcns
