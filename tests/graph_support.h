// Small graphs for tests, and whole epochs of positives.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mcns/core/graph.h"
#include "mcns/core/rng.h"
#include "mcns/positives/positive_sampler.h"
#include "mcns/positives/registry.h"

namespace mcns {

inline Graph make_graph(std::vector<Pair> pairs, NodeId nodes, BuildOptions options = {},
                        std::vector<float> weights = {}) {
  ThreadPool pool(1);
  return build_graph({std::move(pairs), std::move(weights)}, nodes, options, pool);
}

/// `edges` random pairs; users first where the kind has users. Repeats and loops as in the options.
inline Graph random_graph(GraphKind kind, NodeId nodes, int edges, std::uint64_t seed,
                          BuildOptions options = {}, bool weighted = false) {
  Rng rng(seed, Domain::kTest);
  options.kind = kind;
  const bool bipartite = kind == GraphKind::kBipartite;
  options.users = bipartite ? nodes / 2 : 0;
  std::vector<Pair> pairs;
  std::vector<float> weights;
  for (int i = 0; i < edges; ++i) {
    const NodeId sources = bipartite ? options.users : nodes;
    const auto source = static_cast<NodeId>(rng.below(sources));
    pairs.push_back(
        {source, options.users + static_cast<NodeId>(rng.below(nodes - options.users))});
    if (weighted) weights.push_back(0.5F + static_cast<float>(rng.below(8)));
  }
  return make_graph(std::move(pairs), nodes, options, std::move(weights));
}

/// The batches of an epoch, one after the other.
inline PairBuffer whole_epoch(const Graph& graph, const std::string& positives, BatchKey key = {},
                              int batch = 64, int threads = 1) {
  ThreadPool pool(threads);
  const auto sampler = make_positives(positives, {graph, batch, pool});
  PairBuffer all, part;
  for (key.batch = 0; key.batch < sampler->batches_per_epoch(); ++key.batch) {
    sampler->fill(key, pool, part);
    all.pairs.insert(all.pairs.end(), part.pairs.begin(), part.pairs.end());
    all.serials.insert(all.serials.end(), part.serials.begin(), part.serials.end());
  }
  return all;
}

}  // namespace mcns
