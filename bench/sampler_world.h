// What bench_samplers draws in: a user-item graph, read from $MCNS_DATA or generated in its size, a
// model of random vectors, and batches of the graph's edges.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "mcns/core/generate.h"
#include "mcns/encoders/lookup.h"
#include "mcns/io/dataset.h"
#include "mcns/positives/registry.h"
#include "mcns/samplers/negative_sampler.h"

namespace mcns {

struct DataInfo {
  const char *name, *train;
  Bipartite bipartite;
  int dim;
  GenerateOptions stand_in;
};

constexpr int kBatches = 4;
/// Squared lengths of about 9 spread scores over several units, as trained vectors do.
constexpr double kVectorLength = 3;

inline const std::vector<DataInfo>& known_data() {
  static const std::vector<DataInfo> all = {{"ml-100k",
                                             "mcns_train.tsv",
                                             Bipartite::kShared,
                                             128,
                                             {.nodes = 2625, .edges = 80'000, .users = 943}},
                                            {"gowalla",
                                             "train.tsv",
                                             Bipartite::kSeparate,
                                             64,
                                             {.nodes = 70'839, .edges = 810'128, .users = 29'858}},
                                            {"generated",
                                             "",
                                             Bipartite::kSeparate,
                                             64,
                                             {.nodes = 20'000, .edges = 200'000, .users = 10'000}}};
  return all;
}

struct LoadedGraph {
  Graph graph;
  Names names;
  bool generated;
};

inline LoadedGraph load(const DataInfo& info, ThreadPool& pool) {
  const char* root = std::getenv("MCNS_DATA");
  const std::string path =
      fmt::format("{}/{}/{}", root != nullptr ? root : "", info.name, info.train);
  if (root != nullptr && std::filesystem::is_regular_file(path)) {
    LoadOptions options;
    options.bipartite = bipartite_word(info.bipartite);
    NamedGraph loaded = load_graph(path, options, pool);
    return {std::move(loaded.graph), std::move(loaded.names), false};
  }
  std::vector<std::int64_t> ids(info.stand_in.nodes);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i);
  return {generate_graph("bipartite", info.stand_in, pool).graph, Names(std::move(ids)), true};
}

/// A graph, a model of random vectors, and batches of its edges.
struct World {
  World(LoadedGraph from, int dim, int batch)
      : loaded(std::move(from)),
        exclusion(loaded.graph, Filter::kTrain),
        no_exclusion(loaded.graph, Filter::kNone),
        lookup(loaded.graph.num_nodes(), {dim, true, kVectorLength}, 0, 1),
        scorer(lookup.scorer()) {
    const auto edges = make_positives("edges", {loaded.graph, batch, pool});
    batches.resize(kBatches);
    for (int b = 0; b < kBatches; ++b) edges->fill({1, 0, b}, pool, batches[b]);
  }
  SamplerContext context(int k, Filter filter) {
    return {loaded.graph,
            filter == Filter::kTrain ? exclusion : no_exclusion,
            lookup.parameters().dim(),
            k,
            1,
            pool,
            &loaded.names};
  }
  NodeRange targets() const { return loaded.graph.targets(); }

  ThreadPool pool{1};
  LoadedGraph loaded;
  Exclusion exclusion, no_exclusion;
  Lookup lookup;
  Scorer scorer;
  std::vector<PairBuffer> batches;
};

}  // namespace mcns
