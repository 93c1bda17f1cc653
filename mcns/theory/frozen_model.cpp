#include "mcns/theory/frozen_model.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "mcns/core/error.h"
#include "mcns/train/pair_sampling.h"
#include "mcns/train/trainer.h"

namespace mcns {
namespace {

void read_settings(const std::string& path, FrozenModel& model) {
  const auto settings = nlohmann::json::parse(model.loaded.run_json, nullptr, false);
  if (!settings.is_object() || !settings.contains("options"))
    throw_bad_data(path + "/run.json", 0, "not the settings of a run");
  const auto& options = settings["options"];
  model.task = settings.value("task", "none");
  model.sampler = options.value("sampler", "");
  model.filter = parse_filter(options.value("filter", "train"));
  model.negatives = options.value("negatives", 1);
}

/// Arcs drawn uniformly, after the pairs of the sources; none whose source has no negative.
void add_others(const Graph& graph, const FrozenRounds& rounds, std::int64_t round,
                PairBatch& batch) {
  constexpr int kOthers = 256;
  Rng rng(rounds.seed, Domain::kPositives, static_cast<std::uint64_t>(round));
  const auto offsets = graph.arrays().offsets;
  const EdgeId arcs = offsets[graph.sources().end];
  for (int i = 0; i < kOthers; ++i) {
    const auto arc = static_cast<EdgeId>(rng.below(arcs));
    const auto after = std::upper_bound(offsets.begin(), offsets.end(), arc);
    const auto source = static_cast<NodeId>(after - offsets.begin() - 1);
    if (rounds.exclusion.allowed(source) > 0)
      batch.pairs.push_back({source, graph.arrays().neighbors[arc]});
  }
}

}  // namespace

FrozenModel load_frozen_model(const std::string& path, const std::string& train,
                              const std::string& sampler, ThreadPool& pool) {
  FrozenModel out;
  out.loaded = train.empty() ? load_model_directory(path) : load_model_directory(path, train, pool);
  if (!out.loaded.run_json.empty()) read_settings(path, out);
  if (!sampler.empty()) out.sampler = sampler;
  require(!out.sampler.empty(), "{}: run.json names no sampler; give --sampler", path);
  require(out.graph().num_arcs() > 0, "{}: its graph has no edges; give --train FILE", path);
  return out;
}

std::unique_ptr<NegativeSampler> make_frozen_sampler(const FrozenModel& model,
                                                     const Exclusion& exclusion, std::uint64_t seed,
                                                     ThreadPool& pool) {
  auto out = make_sampler(model.sampler, {model.graph(), exclusion, model.loaded.embeddings.dim(),
                                          model.negatives, seed, pool, &model.loaded.names});
  require(!out->wants_feedback(),
          "sampler '{}' learns a generator in training, which a model directory does not hold",
          model.sampler);
  return out;
}

void draw_frozen(NegativeSampler& sampler, const FrozenModel& model, const FrozenRounds& rounds,
                 ThreadPool& pool, const SeeRound& see) {
  const Graph& graph = model.graph();
  PairBatch batch;
  for (const NodeId u : rounds.sources)
    for (const NodeId v : graph.neighbors(u)) batch.pairs.push_back({u, v});
  const std::size_t own = batch.pairs.size();
  PairSampling sampling(sampler, sampler.negatives_per_positive(model.negatives), graph.num_nodes(),
                        pool);
  for (std::int64_t round = 0; round < rounds.rounds; ++round) {
    batch.pairs.resize(own);
    add_others(graph, rounds, round, batch);
    batch.names.resize(batch.pairs.size());
    std::iota(batch.names.begin(), batch.names.end(), std::uint64_t{0});
    sampler.begin_epoch(round, model.scorer(), pool);
    sampling.run({rounds.seed, round, 0}, batch, model.scorer());
    if (see) see(batch, own, sampling.negatives());
  }
}

}  // namespace mcns
