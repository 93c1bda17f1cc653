// The nodes and arcs that the vectors of a batch depend on, layer by layer, each node once.
//
// Level L is the batch; level l - 1 adds the neighbours that level l draws. All levels share one
// numbering: the nodes of level l are the first of level l - 1, so a node's own row below is its
// row. Neighbours are drawn without replacement: the list, turned by a random amount, is cut into
// `fanout` stretches, and each gives one; every neighbour is equally likely. A node with no more
// neighbours than that takes all. Draws are named by (seed, epoch, batch, node, layer). Every block
// is kept transposed as well, so that a gradient row has one owner that sums in a fixed order.
#pragma once

#include <algorithm>
#include <vector>

#include "mcns/encoders/adjacency.h"
#include "mcns/positives/positive_sampler.h"

namespace mcns {

/// Sparse matrix from the rows below to the rows above.
struct Block {
  std::int32_t outputs = 0, inputs = 0;
  std::vector<EdgeId> offsets;  ///< outputs + 1
  std::vector<NodeId> columns;  ///< rows below
  std::vector<float> values;
  std::vector<EdgeId> transposed_offsets;  ///< inputs + 1
  std::vector<NodeId> transposed_columns;  ///< rows above, ascending
  std::vector<float> transposed_values;

  void transpose();

  /// out += the aggregate of output `i` over `below`.
  void aggregate(std::int64_t i, ConstMatrixRef below, float* out) const {
    sum(offsets[i], offsets[i + 1], columns, values, below, out);
  }
  /// out += what input `j` gets back from the outputs' rows.
  void distribute(std::int64_t j, ConstMatrixRef above, float* out) const {
    sum(transposed_offsets[j], transposed_offsets[j + 1], transposed_columns, transposed_values,
        above, out);
  }

 private:
  static void sum(EdgeId begin, EdgeId end, const std::vector<NodeId>& rows,
                  const std::vector<float>& coefficients, ConstMatrixRef table, float* out) {
    const EdgeId last = std::min(end + kAhead, static_cast<EdgeId>(rows.size()));
    for (EdgeId e = begin + kAhead; e < last; ++e)
      for (int at = 0; at < table.stride; at += kLine)
        __builtin_prefetch(table.data + static_cast<std::size_t>(rows[e]) * table.stride + at);
    kernels().accumulate(out,
                         {table.data, static_cast<std::size_t>(table.stride), rows.data() + begin,
                          static_cast<int>(end - begin)},
                         coefficients.data() + begin, table.stride);
  }
  static constexpr EdgeId kAhead = 24;  ///< rows asked for before they are needed
  static constexpr int kLine = 16;      ///< floats of a cache line
  std::vector<EdgeId> cursor_;
};

class ReceptiveField {
 public:
  /// `fanouts[l - 1]` is of layer l, counted from the inputs; 0 takes all neighbours.
  ReceptiveField(const Adjacency& adjacency, std::vector<int> fanouts);

  /// `nodes` are distinct.
  void build(BatchKey key, std::span<const NodeId> nodes, ThreadPool& pool);

  int layers() const { return static_cast<int>(fanouts_.size()); }
  /// Level 0 are the inputs, level layers() the batch.
  std::span<const NodeId> nodes(int level) const {
    return std::span(nodes_).first(static_cast<std::size_t>(sizes_[level]));
  }
  /// From level l - 1 to level l.
  const Block& block(int layer) const { return blocks_[layer - 1]; }

 private:
  void draw(BatchKey key, int layer, ThreadPool& pool);
  void number(Block& block);

  const Adjacency& adjacency_;
  std::vector<int> fanouts_;
  std::vector<NodeId> nodes_;
  std::vector<std::int64_t> sizes_;
  std::vector<Block> blocks_;
  std::vector<std::int32_t> slot_of_node_;
};

}  // namespace mcns
