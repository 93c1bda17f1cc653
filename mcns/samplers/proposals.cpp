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
    put_mutual_first(pool);
    note_pairs();
    return;
  }
  const auto log = [](double degree) {
    return degree > 0 ? static_cast<float>(std::log(degree)) : 0.0F;
  };
  if (graph_->is_weighted()) {
    for (NodeId v = 0; v < graph_->num_nodes(); ++v)
      log_degree_.push_back(log(graph_->weighted_degree(v)));
    return;
  }
  EdgeId most = 0;
  for (NodeId v = 0; v < graph_->num_nodes(); ++v) most = std::max(most, graph_->degree(v));
  for (EdgeId degree = 0; degree <= most; ++degree)
    log_degree_.push_back(log(static_cast<double>(degree)));
}

void Proposals::fill_lists(ThreadPool& pool) {
  lists_.resize(static_cast<std::size_t>(targets_.size()) * options_.near);
  sizes_.resize(targets_.size());
  pool.for_ranges(targets_.size(), 64, [&](std::int64_t begin, std::int64_t end) {
    std::vector<NodeId> reached;
    for (std::int64_t i = begin; i < end; ++i)
      fill_list(targets_.begin + static_cast<NodeId>(i), reached);
  });
  log_density_.resize(options_.near + 1);
  log_density_[0] = std::log(1 - options_.local);
  for (int size = 1; size <= options_.near; ++size)
    log_density_[size] =
        std::log(1 - options_.local +
                 options_.local * static_cast<float>(targets_.size()) / static_cast<float>(size));
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
  sizes_[i].all = static_cast<std::uint16_t>(size);
}

/// A step to a target that lists its owner too is known by its place in the list.
void Proposals::put_mutual_first(ThreadPool& pool) {
  std::vector<NodeId> ordered(lists_.size());
  pool.for_ranges(targets_.size(), 64, [&](std::int64_t begin, std::int64_t end) {
    std::vector<NodeId> others;
    for (std::int64_t i = begin; i < end; ++i) {
      const NodeId x = targets_.begin + static_cast<NodeId>(i);
      NodeId *list = ordered.data() + i * options_.near, *next = list;
      others.clear();
      for (const NodeId y : near(x)) {
        if (lists(y, x))
          *next++ = y;
        else
          others.push_back(y);
      }
      sizes_[i].mutual = static_cast<std::uint16_t>(next - list);
      std::copy(others.begin(), others.end(), next);
    }
  });
  lists_.swap(ordered);
}

void Proposals::note_pairs() {
  words_.resize(pair_words(targets_.size(), options_.near));
  listed_ = {words_.data(), 33 - static_cast<int>(std::bit_width(words_.size()))};
  for (NodeId x = targets_.begin; x < targets_.end; ++x)
    for (const NodeId y : near(x)) {
      const PairSet::Place place = listed_.place(x, y);
      words_[place.word] |= place.mask;
    }
}

/// Without weights a hop takes half a number, with weights a whole one.
void Proposals::walk(const LocalSteps& steps) const {
  EdgeId arcs[kMany];
  std::uint64_t numbers[kMany];
  std::copy_n(steps.from, steps.count, steps.to);
  std::copy_n(steps.numbers, steps.count, numbers);
  const bool halves = !neighbors_.is_weighted();
  const EdgeId* offsets = graph_->arrays().offsets.data();
  for (int hop = 0; hop < options_.hops; ++hop) {
    if (hop > 0)
      for (int i = 0; i < steps.count; ++i)
        numbers[i] = halves && hop % 2 == 1 ? numbers[i] << 32 : mix64(numbers[i] + kGoldenGamma);
    for (int i = 0; i < steps.count; ++i) {
      arcs[i] = neighbors_.arc(steps.to[i], numbers[i]);
      neighbors_.prefetch(arcs[i]);
    }
    for (int i = 0; i < steps.count; ++i) {
      const EdgeId* row = offsets + steps.to[i];
      if (row[0] < row[1]) steps.to[i] = neighbors_.end(arcs[i], numbers[i]);
      __builtin_prefetch(offsets + steps.to[i]);
    }
  }
  for (int i = 0; i < steps.count; ++i)
    steps.slacks[i] += log_degree(steps.from[i]) - log_degree(steps.to[i]);
}

/// The position in the list shows whether the list of the picked node would lead back.
void Proposals::pick(const LocalSteps& steps) const {
  std::int32_t places[kMany];
  const NodeId* entries[kMany];
  for (int i = 0; i < steps.count; ++i) {
    const std::size_t row = steps.from[i] - targets_.begin;
    places[i] = static_cast<std::int32_t>((steps.numbers[i] >> 32) * sizes_[row].all >> 32);
    entries[i] = sizes_[row].all > 0 ? &lists_[row * options_.near + places[i]] : &steps.from[i];
    __builtin_prefetch(entries[i]);
  }
  for (int i = 0; i < steps.count; ++i) {
    steps.to[i] = *entries[i];
    __builtin_prefetch(&sizes_[steps.to[i] - targets_.begin]);
  }
  for (int i = 0; i < steps.count; ++i) {
    const Sizes there = sizes_[steps.from[i] - targets_.begin];
    const Sizes back = sizes_[steps.to[i] - targets_.begin];
    const std::int32_t mutual = places[i] < there.mutual ? 1 : 0;
    steps.slacks[i] += log_density_[mutual * back.all] - log_density_[there.all];
  }
}

/// Few are not 0: those are found without a branch, then looked up.
void Proposals::add_log_ratios(int count, const NodeId* x, const NodeId* y, float* to) const {
  if (!options_.nearest) return;
  std::uint32_t found[kMany];
  if (!kernels().may_be_pairs(listed_, x, y, count, found)) return;
  for (int i = 0; i < count; ++i) {
    if (found[i] == 0) continue;
    const bool back = lists(y[i], x[i]), there = lists(x[i], y[i]);
    to[i] += log_density_[back ? sizes_[y[i] - targets_.begin].all : 0] -
             log_density_[there ? sizes_[x[i] - targets_.begin].all : 0];
  }
}

}  // namespace mcns
