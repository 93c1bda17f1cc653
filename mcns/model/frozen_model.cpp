#include "mcns/model/frozen_model.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "mcns/core/error.h"
#include "mcns/plan/negative_count.h"
#include "mcns/plan/saved_settings.h"
#include "mcns/samplers/pair_sampling.h"
#include "mcns/samplers/registry.h"

namespace mcns {
namespace {

constexpr int kOthers = 64;  ///< pairs of other sources in a batch

void read_settings(const std::string& path, FrozenModel& model) {
  const SavedSettings saved(model.loaded.run_json, path + "/run.json");
  saved.check_values();
  model.task = saved.has("task") ? saved.text("task") : "none";
  model.sampler = saved.component("sampler");
  model.filter = parse_filter(saved.text("filter"));
  NegativeCount negatives;
  read_text(saved.text("negatives"), negatives);
  model.negatives = negatives.shared ? 1 : negatives.count;
  model.batch = saved.integer("batch");
}

/// The training pairs of the sources, by batch of a round.
class OwnPairs {
 public:
  OwnPairs(const FrozenModel& model, const FrozenRounds& rounds) : rounds_(rounds) {
    const Graph& graph = model.graph();
    for (const NodeId u : rounds.sources)
      for (const NodeId v : graph.neighbors(u)) pairs_.push_back({u, v});
    const EdgeId arcs = graph.arrays().offsets[graph.sources().end];
    batches_ = static_cast<std::uint64_t>((arcs + model.batch - 1) / model.batch);
  }

  std::uint64_t size() const { return pairs_.size(); }

  /// Lists of positions, one per batch that has any.
  std::map<std::uint64_t, std::vector<std::uint64_t>> spread(std::int64_t round) const {
    Rng rng(rounds_.seed, Domain::kShuffle, static_cast<std::uint64_t>(round));
    std::map<std::uint64_t, std::vector<std::uint64_t>> out;
    for (std::uint64_t i = 0; i < pairs_.size(); ++i) out[rng.below(batches_)].push_back(i);
    return out;
  }

  void fill(const std::vector<std::uint64_t>& positions, PairBuffer& batch) const {
    batch.resize(0);
    for (const std::uint64_t i : positions) {
      batch.pairs.push_back(pairs_[i]);
      batch.serials.push_back(i);
    }
  }

 private:
  const FrozenRounds& rounds_;
  std::vector<Pair> pairs_;
  std::uint64_t batches_;
};

/// Adds arcs drawn uniformly, none of the sources and none whose source has no negative. `name` is
/// the first that is free.
void add_others(const Exclusion& exclusion, const FrozenRounds& rounds, std::uint64_t name,
                Rng& rng, PairBuffer& batch) {
  const Graph& graph = exclusion.graph();
  const auto offsets = graph.arrays().offsets;
  const EdgeId arcs = offsets[graph.sources().end];
  for (int i = 0; i < kOthers; ++i) {
    const auto arc = static_cast<EdgeId>(rng.below(arcs));
    const auto after = std::upper_bound(offsets.begin(), offsets.end(), arc);
    const auto source = static_cast<NodeId>(after - offsets.begin() - 1);
    if (std::ranges::binary_search(rounds.sources, source)) continue;
    if (exclusion.allowed(source) <= 0) continue;
    batch.pairs.push_back({source, graph.arrays().neighbors[arc]});
    batch.serials.push_back(name + i);
  }
}

}  // namespace

FrozenModel load_frozen_model(const std::string& path, const std::string& train,
                              const LoadOptions& load, const std::string& sampler,
                              ThreadPool& pool) {
  FrozenModel out;
  out.loaded = load_model_directory(path, train, load, pool);
  require(out.graph().num_arcs() > 0, "{}: no training edges there; give --train FILE", path);
  if (!out.loaded.run_json.empty()) read_settings(path, out);
  if (!sampler.empty()) out.sampler = sampler;
  require(!out.sampler.empty(), "{}: run.json names no sampler; give --sampler", path);
  return out;
}

SamplerSession make_frozen_session(const FrozenModel& model, std::uint64_t seed, ThreadPool& pool,
                                   NegativeObserver* observer) {
  SamplerSession out(model.graph(),
                     {.sampler = model.sampler,
                      .negatives = model.negatives,
                      .dim = model.loaded.embeddings.dim(),
                      .filter = model.filter,
                      .seed = seed,
                      .names = &model.loaded.names,
                      .observer = observer},
                     pool);
  require(!out.sampler().wants_feedback(),
          "sampler '{}' learns a generator in training, which a model directory does not hold",
          model.sampler);
  return out;
}

void draw_frozen(SamplerSession& session, const FrozenModel& model, const FrozenRounds& rounds,
                 const SeeBatch& see) {
  const OwnPairs own(model, rounds);
  PairBuffer batch;
  for (std::int64_t round = 0; round < rounds.rounds; ++round) {
    session.begin_epoch(round, model.scorer());
    Rng rng(rounds.seed, Domain::kPositives, static_cast<std::uint64_t>(round));
    std::uint64_t name = own.size();
    for (const auto& [number, positions] : own.spread(round)) {
      own.fill(positions, batch);
      add_others(session.exclusion(), rounds, name, rng, batch);
      name += kOthers;
      session.batches().run({rounds.seed, round, static_cast<std::int64_t>(number)}, batch,
                            model.scorer());
      if (see) see(batch, positions.size(), session.batches().negatives());
    }
  }
}

}  // namespace mcns
