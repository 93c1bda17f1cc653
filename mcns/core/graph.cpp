#include "mcns/core/graph.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "mcns/core/error.h"

namespace mcns {
namespace {

struct Storage {
  std::vector<EdgeId> offsets;
  std::vector<NodeId> neighbors;
  std::vector<float> weights;
};

/// Places both arcs (one if directed) of every pair into its source's row, in input order.
void scatter(const EdgeList& edges, bool both, Storage& out) {
  std::vector<EdgeId> cursor(out.offsets.begin(), out.offsets.end() - 1);
  const bool weighted = !edges.weights.empty();
  const auto place = [&](NodeId from, NodeId to, std::size_t i) {
    const EdgeId at = cursor[from]++;
    out.neighbors[at] = to;
    if (weighted) out.weights[at] = edges.weights[i];
  };
  for (std::size_t i = 0; i < edges.pairs.size(); ++i) {
    const auto [u, v] = edges.pairs[i];
    place(u, v, i);
    if (both && u != v) place(v, u, i);
  }
}

/// Sorts one row by neighbour (stable, so that equal neighbours keep input order) and, if asked,
/// merges equal neighbours. Returns the arcs that remain.
EdgeId tidy_row(std::span<NodeId> row, std::span<float> weights, bool merge) {
  if (weights.empty()) {
    std::sort(row.begin(), row.end());
    if (!merge) return static_cast<EdgeId>(row.size());
    return std::unique(row.begin(), row.end()) - row.begin();
  }
  std::vector<std::pair<NodeId, float>> arcs(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) arcs[i] = {row[i], weights[i]};
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (const auto& [node, weight] : arcs) {
    if (merge && kept > 0 && row[kept - 1] == node) {
      weights[kept - 1] += weight;
    } else {
      row[kept] = node;
      weights[kept++] = weight;
    }
  }
  return static_cast<EdgeId>(kept);
}

/// Closes the gaps that merging left.
void compact(Storage& csr, const std::vector<EdgeId>& kept) {
  EdgeId at = 0;
  const auto nodes = static_cast<NodeId>(kept.size());
  for (NodeId v = 0; v < nodes; ++v) {
    const EdgeId begin = csr.offsets[v];
    csr.offsets[v] = at;
    if (at != begin) {
      std::copy_n(csr.neighbors.begin() + begin, kept[v], csr.neighbors.begin() + at);
      if (!csr.weights.empty())
        std::copy_n(csr.weights.begin() + begin, kept[v], csr.weights.begin() + at);
    }
    at += kept[v];
  }
  csr.offsets[nodes] = at;
  csr.neighbors.resize(at);
  if (!csr.weights.empty()) csr.weights.resize(at);
}

EdgeId count_edges(const Graph::Arrays& arrays, GraphKind kind) {
  const auto arcs = static_cast<EdgeId>(arrays.neighbors.size());
  if (kind == GraphKind::kDirected) return arcs;
  if (kind == GraphKind::kBipartite) return arcs / 2;
  EdgeId loops = 0;
  const auto nodes = static_cast<NodeId>(arrays.offsets.size()) - 1;
  for (NodeId v = 0; v < nodes; ++v) {
    const auto row = arrays.neighbors.subspan(arrays.offsets[v],
                                              arrays.offsets[v + 1] - arrays.offsets[v]);
    const auto [first, last] = std::equal_range(row.begin(), row.end(), v);
    loops += last - first;
  }
  return (arcs - loops) / 2 + loops;
}

}  // namespace

Graph::Graph(Arrays arrays, GraphKind kind, NodeId users, std::shared_ptr<const void> owner)
    : arrays_(arrays),
      kind_(kind),
      users_(users),
      edges_(count_edges(arrays, kind)),
      owner_(std::move(owner)) {}

double Graph::weighted_degree(NodeId v) const {
  if (!is_weighted()) return static_cast<double>(degree(v));
  const auto row = weights(v);
  return std::accumulate(row.begin(), row.end(), 0.0);
}

bool Graph::has_edge(NodeId u, NodeId v) const {
  const auto row = neighbors(u);
  return std::binary_search(row.begin(), row.end(), v);
}

std::size_t Graph::bytes() const {
  return arrays_.offsets.size_bytes() + arrays_.neighbors.size_bytes() +
         arrays_.weights.size_bytes();
}

Graph build_graph(EdgeList edges, NodeId nodes, const BuildOptions& options, ThreadPool& pool,
                  BuildCounts* counts) {
  BuildCounts local;
  local.read = static_cast<EdgeId>(edges.pairs.size());
  const bool both = options.kind != GraphKind::kDirected;
  const bool drop_loops = options.self_loops == SelfLoops::kDrop;
  auto csr = std::make_shared<Storage>();
  csr->offsets.assign(static_cast<std::size_t>(nodes) + 1, 0);

  std::size_t kept_pairs = 0;
  for (std::size_t i = 0; i < edges.pairs.size(); ++i) {
    const auto [u, v] = edges.pairs[i];
    MCNS_ASSERT(u >= 0 && u < nodes && v >= 0 && v < nodes);
    MCNS_ASSERT(options.kind != GraphKind::kBipartite || (u < options.users && v >= options.users));
    if (u == v && drop_loops) {
      ++local.self_loops;
      continue;
    }
    edges.pairs[kept_pairs] = edges.pairs[i];
    if (!edges.weights.empty()) edges.weights[kept_pairs] = edges.weights[i];
    ++kept_pairs;
    ++csr->offsets[u + 1];
    if (both && u != v) ++csr->offsets[v + 1];
  }
  edges.pairs.resize(kept_pairs);
  if (!edges.weights.empty()) edges.weights.resize(kept_pairs);
  std::partial_sum(csr->offsets.begin(), csr->offsets.end(), csr->offsets.begin());
  csr->neighbors.resize(csr->offsets.back());
  if (!edges.weights.empty()) csr->weights.resize(csr->offsets.back());
  scatter(edges, both, *csr);
  edges = {};

  std::vector<EdgeId> kept(nodes);
  const bool merge = options.repeated == Repeated::kMerge;
  pool.for_ranges(nodes, 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t v = begin; v < end; ++v) {
      const auto from = static_cast<std::size_t>(csr->offsets[v]);
      const auto size = static_cast<std::size_t>(csr->offsets[v + 1]) - from;
      const auto weights = csr->weights.empty() ? std::span<float>{}
                                                : std::span(csr->weights).subspan(from, size);
      kept[v] = tidy_row(std::span(csr->neighbors).subspan(from, size), weights, merge);
    }
  });
  if (merge) compact(*csr, kept);
  const Graph::Arrays arrays{csr->offsets, csr->neighbors, csr->weights};
  Graph graph(arrays, options.kind, options.users, csr);
  local.merged = local.read - local.self_loops - graph.num_edges();
  if (counts != nullptr) *counts = local;
  return graph;
}

EdgeList edge_list(const Graph& graph) {
  EdgeList out;
  out.pairs.reserve(graph.num_edges());
  for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u) {
    const auto row = graph.neighbors(u);
    const auto weights = graph.weights(u);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (graph.kind() == GraphKind::kUndirected && row[i] < u) continue;
      out.pairs.push_back({u, row[i]});
      if (graph.is_weighted()) out.weights.push_back(weights[i]);
    }
  }
  return out;
}

}  // namespace mcns
