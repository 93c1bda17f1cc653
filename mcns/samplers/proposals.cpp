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
      neighbors_(*graph_),
      threshold_(static_cast<std::uint64_t>(options.local * 0x1.0p32)) {
  if (options_.nearest) {
    fill_lists(pool);
    return;
  }
  log_degree_.resize(graph_->num_nodes());
  for (NodeId v = 0; v < graph_->num_nodes(); ++v)
    if (graph_->degree(v) > 0)
      log_degree_[v] = static_cast<float>(std::log(graph_->weighted_degree(v)));
}

void Proposals::fill_lists(ThreadPool& pool) {
  lists_.resize(static_cast<std::size_t>(targets_.size()) * options_.near);
  list_sizes_.resize(targets_.size());
  pool.for_ranges(targets_.size(), 64, [&](std::int64_t begin, std::int64_t end) {
    std::vector<NodeId> reached;
    for (std::int64_t i = begin; i < end; ++i)
      fill_list(targets_.begin + static_cast<NodeId>(i), reached);
  });
  log_unlisted_ = std::log(1 - options_.local);
  log_listed_.resize(options_.near + 1);
  for (int size = 1; size <= options_.near; ++size)
    log_listed_[size] =
        std::log(1 - options_.local +
                 options_.local * static_cast<float>(targets_.size()) / static_cast<float>(size));
  largest_log_ratio_ = log_listed_[1] - log_unlisted_;
}

void Proposals::fill_list(NodeId x, std::vector<NodeId>& reached) {
  const std::size_t i = x - targets_.begin;
  reached.clear();
  Rng rng(options_.seed, Domain::kState, static_cast<std::uint64_t>(x));
  if (graph_->degree(x) > 0)
    for (int w = 0; w < kWalksPerEntry * options_.near; ++w) reached.push_back(walk(x, rng));
  std::erase(reached, x);
  std::sort(reached.begin(), reached.end());
  std::vector<std::pair<std::int32_t, NodeId>> ranked;  // by visits, then by id
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

void Proposals::local(std::span<NodeId> nodes, std::span<Rng* const> rngs) const {
  if (options_.nearest) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (const auto list = near(nodes[i]); !list.empty())
        nodes[i] = list[rngs[i]->below(list.size())];
    return;
  }
  EdgeId arcs[kMany];
  std::uint64_t bits[kMany];
  const EdgeId* offsets = graph_->arrays().offsets.data();
  for (int hop = 0; hop < options_.hops; ++hop) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      bits[i] = rngs[i]->next();
      arcs[i] = graph_->degree(nodes[i]) > 0 ? neighbors_.arc(nodes[i], bits[i]) : -1;
      if (arcs[i] >= 0) neighbors_.prefetch(arcs[i]);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (arcs[i] >= 0) nodes[i] = neighbors_.end(arcs[i], bits[i]);
      __builtin_prefetch(offsets + nodes[i]);
    }
  }
}

}  // namespace mcns
