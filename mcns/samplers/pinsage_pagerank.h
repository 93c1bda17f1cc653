// The hard negatives of PinSAGE: per source the targets with the highest personalised PageRank.
#pragma once

#include <span>
#include <vector>

#include "mcns/core/parallel.h"
#include "mcns/samplers/exclusion.h"

namespace mcns {

struct PageRankOptions {
  int top = 100;            ///< targets kept per source
  double restart = 0.15;    ///< probability of going back to the source
  double precision = 1e-4;  ///< a node's residual that is left, per unit of its degree
};

/// Up to `top` allowed targets per source, best first; ties by id. 4 bytes each.
class HardTargets {
 public:
  HardTargets(const Exclusion& exclusion, const PageRankOptions& options, ThreadPool& pool);

  std::span<const NodeId> of(NodeId source) const {
    const Piece& piece = pieces_[source / kSources];
    const int i = source % kSources;
    const std::int32_t begin = i == 0 ? 0 : piece.ends[i - 1];
    return std::span(piece.ids).subspan(begin, piece.ends[i] - begin);
  }
  std::size_t bytes() const;

 private:
  static constexpr int kSources = 256;  ///< of a piece
  struct Piece {
    std::vector<NodeId> ids;  ///< list after list
    std::int32_t ends[kSources] = {};
  };
  std::vector<Piece> pieces_;
};

/// p[v] = sum over t of restart (1 - restart)^t P(walk from `source` is at v after t steps), from
/// below. Work arrays are kept between calls.
class ForwardPush {
 public:
  ForwardPush(const Graph& graph, const PageRankOptions& options)
      : graph_(graph), options_(options), nodes_(graph.num_nodes()) {}

  void run(NodeId source);
  /// Nodes that hold any mass, in order of first touch.
  const std::vector<NodeId>& touched() const { return touched_; }
  double value(NodeId v) const { return nodes_[v].settled + options_.restart * nodes_[v].residual; }

 private:
  struct State {
    double settled = 0, residual = 0;
    bool queued = false, touched = false;
  };
  void add(NodeId v, double mass);
  void spread(NodeId v);

  const Graph& graph_;
  PageRankOptions options_;
  std::vector<State> nodes_;
  std::vector<NodeId> touched_, queue_;
};

}  // namespace mcns
