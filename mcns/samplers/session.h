// Everything that drawing negatives takes, in one object: what a source excludes, the sampler with
// its state, and the random streams. A training loop of any kind calls draw() with its sources and
// the tables that the model multiplies:
//
//   ThreadPool pool;
//   SamplerSession session(graph, {.sampler = "mcns:hardness=8", .dim = 64}, pool);
//   const Negatives drawn = session.draw(users, items, 4, {user_table, item_table});
//
// Draws depend on the seed, the calls made before and the tables; not on the number of threads. The
// trainer names its batches itself and uses batches().
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "mcns/samplers/pair_sampling.h"
#include "mcns/samplers/registry.h"

namespace mcns {

struct SessionOptions {
  std::string sampler = "mcns";
  int negatives = 1;  ///< per positive
  int dim = 64;       ///< of the model's vectors
  Filter filter = Filter::kTrain;
  std::uint64_t seed = 1;
  const Names* names = nullptr;               ///< of the nodes, where the sampler reads a file
  const SamplerRegistry* registry = nullptr;  ///< null: the built-in one
  bool log_q = false;                         ///< weigh negatives by 1 / (k q)
  NegativeObserver* observer = nullptr;       ///< is told of all negatives; may be null
  /// Makes the sampler in place of `sampler` where it is set.
  std::function<std::unique_ptr<NegativeSampler>(const SamplerContext&)> make = nullptr;
};

class SamplerSession {
 public:
  /// Graph and pool must outlive the session.
  SamplerSession(const Graph& graph, const SessionOptions& options, ThreadPool& pool);

  /// k negatives for every pair (sources[i], targets[i]): `ids[i * k + j]` is the j-th of pair i.
  /// Without targets, a training positive of each source stands in. Valid until the next call. A
  /// sampler that prescribes its number or is made of others gives only the number it was made for.
  Negatives draw(std::span<const NodeId> sources, std::span<const NodeId> targets, int k,
                 const Scorer& tables);

  /// Tells the sampler the scores of the last draw, pairs x (k + 1): the positive's, then those of
  /// its negatives. What learns from them (wants_feedback) does; others ignore it.
  void feedback(std::span<const float> scores);
  bool wants_feedback() const { return batches_.wants_feedback(); }

  /// log q(target | source) under the current tables, where the sampler can tell.
  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer& tables) const {
    return sampler_->log_q(source, target, tables);
  }

  /// State that a resumed session needs: of the sampler, and of the calls of draw().
  void visit_state(Archive& archive);
  /// The same as bytes.
  std::string save();
  void load(const std::string& bytes);

  const Graph& graph() const { return exclusion_->graph(); }
  const Exclusion& exclusion() const { return *exclusion_; }
  NegativeSampler& sampler() { return *sampler_; }
  const NegativeSampler& sampler() const { return *sampler_; }
  /// As asked, unless the sampler prescribes its own number.
  int negatives_per_positive() const { return batches_.negatives().k; }

  /// Once before the first batch of an epoch.
  void begin_epoch(std::int64_t epoch, const Scorer& tables) {
    sampler_->begin_epoch(epoch, tables, pool_);
  }
  /// Negatives of batches that the caller names.
  PairSampling& batches() { return batches_; }
  const PairSampling& batches() const { return batches_; }

 private:
  ThreadPool& pool_;
  std::uint64_t seed_;
  std::unique_ptr<Exclusion> exclusion_;  ///< the sampler refers to it
  std::unique_ptr<NegativeSampler> sampler_;
  PairSampling batches_;
  PairBuffer drawn_;
  std::int64_t calls_ = 0;   ///< of draw()
  std::uint64_t pairs_ = 0;  ///< drawn for so far: the names of the next ones
};

}  // namespace mcns
