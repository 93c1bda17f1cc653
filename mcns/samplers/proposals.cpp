#include "mcns/samplers/proposals.h"

#include <algorithm>
#include <cmath>

namespace mcns {
namespace {

/// Walks that rank a node's neighbourhood, per entry of its list.
constexpr int kWalksPerEntry = 16;

std::optional<Graph> undirected_view(const Graph& graph, ThreadPool& pool) {
  if (!graph.is_directed()) return std::nullopt;
  return build_graph(edge_list(graph), graph.num_nodes(), {}, pool);
}

}  // namespace

Proposals::Proposals(const ProposalOptions& options, const Graph& graph, ThreadPool& pool)
    : options_(options),
      targets_(graph.targets()),
      undirected_(undirected_view(graph, pool)),
      graph_(undirected_ ? &*undirected_ : &graph),
      neighbors_(*graph_) {
  if (options_.nearest) {
    fill_lists(pool);
    return;
  }
  log_degree_.resize(graph_->num_nodes());
  for (NodeId v = 0; v < graph_->num_nodes(); ++v)
    if (graph_->degree(v) > 0)
      log_degree_[v] = static_cast<float>(std::log(graph_->weighted_degree(v)));
}

NodeId Proposals::walk(NodeId x, Rng& rng) const {
  for (int hop = 0; hop < options_.hops; ++hop) x = neighbors_.draw(x, rng);
  return x;
}

void Proposals::fill_lists(ThreadPool& pool) {
  lists_.resize(static_cast<std::size_t>(targets_.size()) * options_.near);
  list_sizes_.resize(targets_.size());
  pool.for_ranges(targets_.size(), 64, [&](std::int64_t begin, std::int64_t end) {
    std::vector<NodeId> reached;
    std::vector<std::pair<std::int32_t, NodeId>> ranked;  // by visits, then by id
    for (std::int64_t i = begin; i < end; ++i) {
      const NodeId x = targets_.begin + static_cast<NodeId>(i);
      reached.clear();
      ranked.clear();
      Rng rng(options_.seed, Domain::kState, static_cast<std::uint64_t>(x));
      if (graph_->degree(x) > 0)
        for (int w = 0; w < kWalksPerEntry * options_.near; ++w) reached.push_back(walk(x, rng));
      std::erase(reached, x);
      std::sort(reached.begin(), reached.end());
      for (auto at = reached.begin(); at != reached.end();) {
        const auto next = std::upper_bound(at, reached.end(), *at);
        ranked.emplace_back(static_cast<std::int32_t>(at - next), *at);
        at = next;
      }
      const auto size = std::min<std::size_t>(ranked.size(), options_.near);
      std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(size),
                        ranked.end());
      NodeId* list = lists_.data() + i * options_.near;
      for (std::size_t j = 0; j < size; ++j) list[j] = ranked[j].second;
      std::sort(list, list + size);
      list_sizes_[i] = static_cast<std::int32_t>(size);
    }
  });
}

std::span<const NodeId> Proposals::near(NodeId x) const {
  const std::size_t i = x - targets_.begin;
  return {lists_.data() + i * options_.near, static_cast<std::size_t>(list_sizes_[i])};
}

/// Of the mixture, up to the uniform part: log(1 - local + local n [to in N] / |N|).
float Proposals::log_density(NodeId from, NodeId to) const {
  const auto list = near(from);
  const bool listed = std::binary_search(list.begin(), list.end(), to);
  const float share =
      listed ? static_cast<float>(targets_.size()) / static_cast<float>(list.size()) : 0.0F;
  return std::log(1 - options_.local + options_.local * share);
}

NodeId Proposals::local(NodeId x, Rng& rng) const {
  if (!options_.nearest) return graph_->degree(x) > 0 ? walk(x, rng) : x;
  const auto list = near(x);
  return list.empty() ? x : list[rng.below(list.size())];
}

}  // namespace mcns
