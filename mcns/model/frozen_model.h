// A saved model with its vectors frozen, and negatives drawn from any sampler against it: what the
// sampler does at the end of training.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "mcns/io/model_directory.h"
#include "mcns/samplers/session.h"

namespace mcns {

struct FrozenModel {
  LoadedModel loaded;
  std::string task, sampler;
  Filter filter = Filter::kTrain;
  int negatives = 1, batch = 1024;

  const Graph& graph() const { return loaded.graph; }
  /// The tables that training multiplied.
  Scorer scorer() const {
    return {loaded.embeddings.view(),
            loaded.context.empty() ? loaded.embeddings.view() : loaded.context.view()};
  }
};

/// Settings are those of run.json. `train`, read as `load` says, replaces a graph that is not
/// there, `sampler` the saved one unless it is empty.
FrozenModel load_frozen_model(const std::string& path, const std::string& train,
                              const LoadOptions& load, const std::string& sampler,
                              ThreadPool& pool);

/// The model must outlive the session. Throws for a sampler that learns from training, as its state
/// is not saved. `observer` is told of all draws; it may be null.
SamplerSession make_frozen_session(const FrozenModel& model, std::uint64_t seed, ThreadPool& pool,
                                   NegativeObserver* observer = nullptr);

struct FrozenRounds {
  std::span<const NodeId> sources;  ///< ascending
  int rounds;
  std::uint64_t seed;
};

/// What a batch drew: its first `pairs` are those of the sources.
using SeeBatch = std::function<void(const PairBatch& batch, std::size_t pairs, const Negatives&)>;

/// Each round is an epoch that leaves out most other sources: training pairs of `sources` fall into
/// batches at random, as many as training has, so that those of a source meet as rarely as there;
/// some pairs of others are with them, for samplers that look at the batch. Chains continue from round
/// to round.
void draw_frozen(SamplerSession& session, const FrozenModel& model, const FrozenRounds& rounds,
                 const SeeBatch& see = {});

}  // namespace mcns
