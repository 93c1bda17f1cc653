// Graphs so small that every distribution over their nodes can be written out, with a model of
// random vectors that never changes. Each has what goes wrong first: a source that may have one
// target alone, a target without links, two targets with the same vector (a tie).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mcns/core/matrix.h"
#include "mcns/samplers/negative_sampler.h"
#include "mcns/samplers/selftest/distribution.h"

namespace mcns {

enum class WorldKind {
  kUserItem,    ///< 8 users, 20 items; user 0 has all items but the last
  kUndirected,  ///< 24 nodes; node 0 is linked to all but the last, which has no link
};

class SelftestWorld {
 public:
  /// The pool must outlive the object.
  SelftestWorld(WorldKind kind, bool weighted, Filter filter, ThreadPool& pool);

  SamplerContext context() { return {graph_, exclusion_, table_.dim(), 1, 7, pool_, &names_}; }
  const Graph& graph() const { return graph_; }
  Filter filter() const { return exclusion_.filter(); }
  Scorer scorer() const { return {table_.view(), table_.view()}; }
  float score(NodeId u, NodeId v) const;
  /// Targets that may be negatives of `source`, from the edges and not from an Exclusion.
  std::vector<NodeId> allowed(NodeId source) const;
  /// "user-item", "undirected", with ", weighted" where it is.
  std::string name() const;

 private:
  ThreadPool& pool_;
  Graph graph_;
  Exclusion exclusion_;
  Matrix table_;
  Names names_;
};

}  // namespace mcns
