#include "mcns/encoders/receptive_field.h"

#include "mcns/core/rng.h"

namespace mcns {
namespace {

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

void Block::transpose() {
  transposed_offsets.assign(static_cast<std::size_t>(inputs) + 1, 0);
  transposed_columns.resize(columns.size());
  transposed_values.resize(columns.size());
  for (const NodeId column : columns) ++transposed_offsets[column + 1];
  for (std::int32_t j = 0; j < inputs; ++j) transposed_offsets[j + 1] += transposed_offsets[j];
  cursor_.assign(transposed_offsets.begin(), transposed_offsets.end() - 1);
  const EdgeId last = static_cast<EdgeId>(columns.size()) - 1;
  for (std::int32_t i = 0; i < outputs; ++i)
    for (EdgeId e = offsets[i]; e < offsets[i + 1]; ++e) {
      const EdgeId soon = cursor_[columns[std::min(e + kAhead, last)]];
      __builtin_prefetch(&transposed_columns[soon], 1);
      __builtin_prefetch(&transposed_values[soon], 1);
      const EdgeId at = cursor_[columns[e]]++;
      transposed_columns[at] = i;
      transposed_values[at] = values[e];
    }
}

ReceptiveField::ReceptiveField(const Adjacency& adjacency, std::vector<int> fanouts)
    : adjacency_(adjacency),
      fanouts_(std::move(fanouts)),
      sizes_(fanouts_.size() + 1),
      blocks_(fanouts_.size()),
      slot_of_node_(adjacency.nodes(), -1) {}

void ReceptiveField::build(BatchKey key, std::span<const NodeId> nodes, ThreadPool& pool) {
  nodes_.assign(nodes.begin(), nodes.end());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    slot_of_node_[nodes[i]] = static_cast<std::int32_t>(i);
  for (int layer = layers(); layer >= 1; --layer) {
    sizes_[layer] = static_cast<std::int64_t>(nodes_.size());
    draw(key, layer, pool);
    number(blocks_[layer - 1]);
  }
  sizes_[0] = static_cast<std::int64_t>(nodes_.size());
  for (const NodeId v : nodes_) slot_of_node_[v] = -1;
  pool.run(layers(), [&](std::int64_t i) { blocks_[i].transpose(); });
}

/// Fills the block's columns with nodes, not yet with rows.
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
        std::copy(coefficients.begin(), coefficients.end(), value);
        continue;
      }
      float* const first = value;
      float total = 0;
      draw_positions(neighbors.size(), count,
                     streams.at(static_cast<std::uint64_t>(v) * 64 + static_cast<unsigned>(layer)),
                     [&](std::uint64_t at) {
                       *column++ = neighbors[at];
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

void ReceptiveField::number(Block& block) {
  for (NodeId& column : block.columns) {
    std::int32_t& slot = slot_of_node_[column];
    if (slot < 0) {
      slot = static_cast<std::int32_t>(nodes_.size());
      nodes_.push_back(column);
    }
    column = slot;
  }
  block.inputs = static_cast<std::int32_t>(nodes_.size());
}

}  // namespace mcns
