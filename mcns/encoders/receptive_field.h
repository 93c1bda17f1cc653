// The nodes and arcs that the vectors of a batch depend on, layer by layer, each node once.
//
// Level L is the batch; level l - 1 adds the neighbours that level l draws. All levels share one
// numbering: the nodes of level l are the first of level l - 1, so a node's own row below is its
// row. Neighbours are drawn without replacement: the list, turned by a random amount, is cut into
// `fanout` stretches, and each gives one; every neighbour is equally likely. A node with no more
// neighbours than that takes all. Draws are named by (seed, epoch, batch, node, layer). What a
// level adds is in ascending order, so that whoever goes through its rows streams.
#pragma once

#include <span>
#include <vector>

#include "mcns/core/batch.h"
#include "mcns/core/node_set.h"
#include "mcns/encoders/adjacency.h"
#include "mcns/encoders/block.h"

namespace mcns {

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
  Block& block(int layer) { return blocks_[layer - 1]; }

 private:
  void draw(BatchKey key, int layer, ThreadPool& pool);
  void number(Block& block, ThreadPool& pool);

  const Adjacency& adjacency_;
  std::vector<int> fanouts_;
  std::vector<NodeId> nodes_;
  std::vector<std::int64_t> sizes_;
  std::vector<Block> blocks_;
  std::vector<std::int32_t> slot_of_node_;
  NodeSet drawn_;
};

}  // namespace mcns
