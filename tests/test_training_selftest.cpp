// Samplers draw what they declare while models train; one that remembers old scores is caught.
#include <map>
#include <mutex>

#include <gtest/gtest.h>

#include "mcns/samplers/enumerate.h"
#include "mcns/theory/training_selftest.h"

namespace mcns {
namespace {

void expect_all_hold(const std::vector<TrainingRow>& rows) {
  ASSERT_FALSE(rows.empty());
  for (const TrainingRow& row : rows)
    EXPECT_TRUE(row.holds) << row.sampler << ", " << row.task << ", " << row.encoder
                           << ": quantile " << row.quantile << " for " << row.declared_quantile
                           << ", above 99 % " << row.above << " for " << row.declared_above;
}

TEST(TrainingSelftest, AdaptiveSamplersDrawWhatTheyDeclare) {
  ThreadPool pool(2);
  expect_all_hold(selftest_training(1, pool));
}

/// Best of 8 by the scores of the first time that a source was seen.
class Stale final : public NegativeSampler {
 public:
  explicit Stale(const Exclusion& exclusion) : exclusion_(exclusion) {}

  void sample(const SampleRequest& request, const Negatives& out) override {
    const Streams streams = request.streams();
    for (const std::int32_t i : request.members) {
      const ScoredTargets& all = seen(request.pairs[i].source, request.scorer);
      Rng rng = streams.at(request.serials[i]);
      for (int j = 0; j < out.k; ++j) {
        std::size_t best = rng.below(all.ids.size());
        for (int c = 1; c < 8; ++c) {
          const std::size_t other = rng.below(all.ids.size());
          if (all.scores[other] > all.scores[best]) best = other;
        }
        out.ids[std::size_t(i) * out.k + j] = all.ids[best];
      }
    }
  }

 private:
  const ScoredTargets& seen(NodeId source, const Scorer& scorer) {
    const std::lock_guard lock(mutex_);
    ScoredTargets& all = first_[source];
    if (all.ids.empty()) all.fill(exclusion_, source, scorer);
    return all;
  }

  const Exclusion& exclusion_;
  std::mutex mutex_;
  std::map<NodeId, ScoredTargets> first_;
};

TEST(TrainingSelftest, OldScoresAreCaught) {
  SamplerEntry entry{{"stale", "best of 8 by old scores", {}}};
  entry.make = [](const Parameters&, const SamplerContext& context) {
    return std::make_unique<Stale>(context.exclusion);
  };
  entry.adapts = true;
  entry.declares = [] {
    return std::vector<DeclaredDraws>{{"stale", {Form::kQuantile, 0.5, 1e-3, 8}}};
  };
  const SamplerRegistry registry("sampler", {entry});
  ThreadPool pool(2);
  for (const TrainingRow& row : selftest_training(1, pool, registry))
    if (row.encoder == "lookup") EXPECT_FALSE(row.holds) << row.task;
}

}  // namespace
}  // namespace mcns
