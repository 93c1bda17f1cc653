// What the tests of negative samplers share: small graphs, tables of scores, draws for one source,
// a chi-square test, an archive in memory.
#pragma once

#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/samplers/negative_sampler.h"
#include "mcns/samplers/pair_sampling.h"
#include "mcns/samplers/self_contrast.h"

namespace mcns::sampler_test {

/// Draws that a distribution with fixed seeds is tested with; a correct sampler would fail one
/// comparison with probability kErrorRate under another seed.
inline constexpr int kDraws = 20'000;
inline constexpr double kErrorRate = 1e-4;

/// Upper tail of the chi-square distribution, by Wilson and Hilferty's cube root.
inline double chi_square_tail(double value, int degrees) {
  const double a = 2.0 / (9.0 * degrees);
  return 0.5 * std::erfc((std::cbrt(value / degrees) - (1 - a)) / std::sqrt(2 * a));
}

/// p-value of counts against probabilities; cells that expect less than 5 are pooled. 0 where
/// something impossible was drawn.
inline double chi_square(const std::map<NodeId, double>& distribution,
                         const std::map<NodeId, std::int64_t>& counts) {
  double total = 0, value = 0, rest_expected = 0, rest_seen = 0;
  int cells = 0;
  for (const auto& [v, count] : counts) {
    total += static_cast<double>(count);
    const auto found = distribution.find(v);
    if (found == distribution.end() || found->second <= 0) return 0;
  }
  const auto add = [&](double expected, double seen) {
    value += (seen - expected) * (seen - expected) / expected;
    ++cells;
  };
  for (const auto& [v, p] : distribution) {
    const auto found = counts.find(v);
    const double seen = found == counts.end() ? 0.0 : static_cast<double>(found->second);
    if (p * total >= 5) {
      add(p * total, seen);
    } else {
      rest_expected += p * total;
      rest_seen += seen;
    }
  }
  if (rest_expected >= 5) add(rest_expected, rest_seen);
  return cells < 2 ? 1.0 : chi_square_tail(value, cells - 1);
}

/// Keeps what was visited, in order.
class MemoryArchive final : public Archive {
 public:
  bool is_loading() const override { return loading_; }
  void rewind() {
    loading_ = true;
    next_ = 0;
  }
  bool at_end() const { return next_ == records_.size(); }

 protected:
  void fixed(std::string_view name, void* data, std::size_t bytes) override {
    if (!loading_) {
      records_.emplace_back(name, std::string(static_cast<const char*>(data), bytes));
      return;
    }
    ASSERT_LT(next_, records_.size());
    ASSERT_EQ(records_[next_].first, name);
    ASSERT_EQ(records_[next_].second.size(), bytes);
    std::memcpy(data, records_[next_++].second.data(), bytes);
  }

 private:
  bool loading_ = false;
  std::size_t next_ = 0;
  std::vector<std::pair<std::string, std::string>> records_;
};

/// A graph with its exclusion and a model of random vectors.
struct World {
  World(EdgeList edges, NodeId nodes, const BuildOptions& options, Filter filter, int dim = 8)
      : graph(build_graph(std::move(edges), nodes, options, pool)),
        exclusion(graph, filter),
        table(nodes, dim),
        names([nodes] {
          std::vector<std::string> out;
          for (NodeId v = 0; v < nodes; ++v) out.push_back(fmt::format("n{}", v));
          return out;
        }()) {
    Rng rng(5, Domain::kTest);
    for (NodeId v = 0; v < nodes; ++v)
      for (int d = 0; d < dim; ++d) table.row(v)[d] = static_cast<float>(rng.normal() * 0.6);
  }

  SamplerContext context(int k = 1) { return {graph, exclusion, table.dim(), k, 7, pool, &names}; }
  Scorer scorer() const { return {table.view(), table.view()}; }
  float score(NodeId u, NodeId v) const {
    float out = 0;
    scorer()(u, &v, 1, &out);
    return out;
  }
  std::vector<NodeId> allowed(NodeId source) const {
    std::vector<NodeId> out;
    for (NodeId v = graph.targets().begin; v < graph.targets().end; ++v)
      if (exclusion.filter() == Filter::kNone || (v != source && !graph.has_edge(source, v)))
        out.push_back(v);
    return out;
  }

  ThreadPool pool{2};
  Graph graph;
  Exclusion exclusion;
  Matrix table;
  Names names;
};

/// Users 0..7, items 8..27. User 0 has all items but the last, item 26 none but user 0; items 20
/// and 21 have the same vector (a tie). Others have a few random items.
inline std::unique_ptr<World> user_item_world(Filter filter = Filter::kTrain) {
  EdgeList edges;
  for (NodeId v = 8; v < 27; ++v) edges.pairs.push_back({0, v});
  Rng rng(3, Domain::kTest);
  for (NodeId u = 1; u < 8; ++u)
    for (int i = 0; i < 5; ++i) edges.pairs.push_back({u, static_cast<NodeId>(8 + rng.below(12))});
  auto world = std::make_unique<World>(
      std::move(edges), 28, BuildOptions{.kind = GraphKind::kBipartite, .users = 8}, filter);
  std::copy_n(world->table.row(20), world->table.stride(), world->table.row(21));
  return world;
}

/// Undirected, weighted, 24 nodes; node 0 is linked to all but node 23, which has no link at all.
inline std::unique_ptr<World> node_world(Filter filter = Filter::kTrain) {
  EdgeList edges;
  for (NodeId v = 1; v < 23; ++v) edges.pairs.push_back({0, v});
  Rng rng(4, Domain::kTest);
  for (int i = 0; i < 30; ++i)
    edges.pairs.push_back(
        {static_cast<NodeId>(1 + rng.below(22)), static_cast<NodeId>(1 + rng.below(22))});
  for (std::size_t i = 0; i < edges.pairs.size(); ++i)
    edges.weights.push_back(0.5F + static_cast<float>(i % 4));
  return std::make_unique<World>(std::move(edges), 24, BuildOptions{}, filter);
}

/// A batch of the graph's edges (both directions where they have one), `batch` of them from
/// `first`.
inline PairBuffer edge_batch(const Graph& graph, std::size_t first, std::size_t count) {
  std::vector<Pair> all;
  for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u)
    for (const NodeId v : graph.neighbors(u)) all.push_back({u, v});
  PairBuffer out;
  for (std::size_t i = 0; i < count; ++i) {
    // A stride that mixes sources within a batch.
    out.pairs.push_back(all[(first + i) * 7 % all.size()]);
    out.serials.push_back(first + i);
  }
  return out;
}

/// `draws` negatives of one source, all pairs being (source, positive).
inline NegativesBuffer draw_many(NegativeSampler& sampler, const World& world, Pair pair,
                                 int draws = kDraws, std::int64_t epoch = 0) {
  const std::vector<Pair> pairs(draws, pair);
  std::vector<std::uint64_t> names(draws);
  std::vector<std::int32_t> members(draws);
  for (int i = 0; i < draws; ++i) names[i] = members[i] = i;
  NegativesBuffer out;
  out.resize(draws, sampler.weighs_negatives(), sampler.weighs_pairs());
  const SampleRequest request{{11, epoch, 0}, pairs, names, members, world.scorer()};
  sampler.begin_batch(request);
  sampler.sample(request, out);
  return out;
}

inline std::map<NodeId, std::int64_t> count(const std::vector<NodeId>& ids) {
  std::map<NodeId, std::int64_t> out;
  for (const NodeId v : ids) ++out[v];
  return out;
}

inline std::map<NodeId, double> normalised(std::map<NodeId, double> weights) {
  double total = 0;
  for (const auto& [v, w] : weights) total += w;
  for (auto& [v, w] : weights) w /= total;
  return weights;
}

/// exp(log q) over all targets.
inline std::map<NodeId, double> declared_distribution(const NegativeSampler& sampler,
                                                      const World& world, NodeId source) {
  std::map<NodeId, double> out;
  const NodeRange targets = world.graph.targets();
  for (NodeId v = targets.begin; v < targets.end; ++v)
    if (const auto q = sampler.log_q(source, v, world.scorer())) out[v] = std::exp(q->value);
  return out;
}

/// The self-contrast distribution of the source's scores, by enumeration.
inline std::map<NodeId, double> exact_distribution(const World& world, const SelfContrast& target,
                                                   NodeId source) {
  const auto allowed = world.allowed(source);
  std::vector<float> scores;
  for (const NodeId v : allowed) scores.push_back(world.score(source, v));
  std::vector<double> probabilities(scores.size());
  self_contrast_distribution(target, scores, probabilities);
  std::map<NodeId, double> distribution;
  for (std::size_t i = 0; i < allowed.size(); ++i) distribution[allowed[i]] = probabilities[i];
  return distribution;
}

}  // namespace mcns::sampler_test
