#include "mcns/samplers/selftest/world.h"

#include <algorithm>

#include <fmt/format.h>

namespace mcns {
namespace {

constexpr NodeId kUsers = 8, kNodesWithUsers = 28, kNodes = 24;
constexpr int kDim = 8;
constexpr NodeId kTied = 20;  ///< and the next one

NodeId nodes_of(WorldKind kind) { return kind == WorldKind::kUserItem ? kNodesWithUsers : kNodes; }

Graph make_graph(WorldKind kind, bool weighted, ThreadPool& pool) {
  const NodeId nodes = nodes_of(kind);
  EdgeList edges;
  Rng rng(3, Domain::kTest);
  BuildOptions options;
  if (kind == WorldKind::kUserItem) {
    options.kind = GraphKind::kBipartite;
    options.users = kUsers;
    for (NodeId v = kUsers; v < nodes - 1; ++v) edges.pairs.push_back({0, v});
    for (NodeId u = 1; u < kUsers; ++u)
      for (int i = 0; i < 5; ++i)
        edges.pairs.push_back({u, static_cast<NodeId>(kUsers + rng.below(12))});
  } else {
    const auto linked = static_cast<NodeId>(nodes - 2);  // all but the first and the last
    for (NodeId v = 1; v <= linked; ++v) edges.pairs.push_back({0, v});
    for (int i = 0; i < 30; ++i)
      edges.pairs.push_back(
          {static_cast<NodeId>(1 + rng.below(linked)), static_cast<NodeId>(1 + rng.below(linked))});
  }
  for (std::size_t i = 0; weighted && i < edges.pairs.size(); ++i)
    edges.weights.push_back(0.5F + static_cast<float>(i % 4));
  return build_graph(std::move(edges), nodes, options, pool);
}

std::vector<std::string> make_names(NodeId nodes) {
  std::vector<std::string> out;
  for (NodeId v = 0; v < nodes; ++v) out.push_back(fmt::format("n{}", v));
  return out;
}

}  // namespace

SelftestWorld::SelftestWorld(WorldKind kind, bool weighted, Filter filter, ThreadPool& pool)
    : pool_(pool),
      graph_(make_graph(kind, weighted, pool)),
      exclusion_(graph_, filter),
      table_(nodes_of(kind), kDim),
      names_(make_names(nodes_of(kind))) {
  Rng rng(5, Domain::kTest);
  for (NodeId v = 0; v < graph_.num_nodes(); ++v)
    for (int d = 0; d < kDim; ++d) table_.row(v)[d] = static_cast<float>(rng.normal() * 0.6);
  std::copy_n(table_.row(kTied), table_.stride(), table_.row(kTied + 1));
}

float SelftestWorld::score(NodeId u, NodeId v) const {
  float out = 0;
  scorer()(u, &v, 1, &out);
  return out;
}

std::vector<NodeId> SelftestWorld::allowed(NodeId source) const {
  std::vector<NodeId> out;
  const auto linked = graph_.neighbors(source);
  for (NodeId v = graph_.targets().begin; v < graph_.targets().end; ++v)
    if (filter() == Filter::kNone ||
        (v != source && std::find(linked.begin(), linked.end(), v) == linked.end()))
      out.push_back(v);
  return out;
}

std::string SelftestWorld::name() const {
  const std::string kind = graph_.is_bipartite() ? "user-item" : "undirected";
  return graph_.is_weighted() ? kind + ", weighted" : kind;
}

}  // namespace mcns
