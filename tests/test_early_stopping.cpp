// Early stopping: which epoch is kept, and when training ends.
#include <gtest/gtest.h>

#include "tests/graph_support.h"
#include "tests/train_support.h"

namespace mcns {
namespace {

/// Gives metrics from a list and keeps what it was shown.
class ScriptedEvaluator final : public Evaluator {
 public:
  explicit ScriptedEvaluator(std::vector<double> values, double error = 0)
      : values_(std::move(values)), error_(error) {}
  Metrics evaluate(const EmbeddingView& view, ThreadPool&) const override {
    seen.emplace_back(view);
    return {{"value", values_.at(seen.size() - 1)}};
  }
  std::string_view selection_metric() const override { return "value"; }
  double standard_error(double) const override { return error_; }
  mutable std::vector<Tables> seen;

 private:
  std::vector<double> values_;
  double error_;
};

struct Stopped {
  std::int64_t epochs, best;
  bool is_best_state;
};

Stopped stop_early(std::vector<double> values, int patience, int epochs, int every = 1,
                   double error = 0) {
  const Graph graph = random_graph(GraphKind::kUndirected, 30, 60, 1);
  ShortRun setup;
  setup.options.epochs = epochs;
  setup.options.patience = patience;
  setup.options.eval_every = every;
  const ScriptedEvaluator valid(std::move(values), error);
  ThreadPool pool(1);
  Trainer trainer(setup.plan(graph), 1, graph, &valid, pool);
  EXPECT_TRUE(trainer.run({}));
  EXPECT_EQ(static_cast<std::int64_t>(trainer.history().size()), trainer.epochs_done());
  const auto best = trainer.best_epoch();
  for (const auto& record : trainer.history())
    if (record.best) {
      EXPECT_LE(record.epoch, best);
    }
  return {trainer.epochs_done(), best,
          valid.seen.at(best / every - 1) == Tables(trainer.scores_view())};
}

TEST(EarlyStopping, ReturnsTheBestEpochsParameters) {
  const auto peak = stop_early({0.1, 0.5, 0.4, 0.3, 0.45, 0.9, 0.9}, 3, 7);
  EXPECT_EQ(peak.epochs, 5);
  EXPECT_EQ(peak.best, 2);
  EXPECT_TRUE(peak.is_best_state);
  const auto rising = stop_early({0.1, 0.2, 0.3}, 1, 3);
  EXPECT_EQ(rising.best, 3);
  EXPECT_TRUE(rising.is_best_state);
  const auto ties = stop_early({0.5, 0.5, 0.5, 0.5}, 2, 4);
  EXPECT_EQ(ties.epochs, 3);
  EXPECT_EQ(ties.best, 3);  // of equals the later one
  EXPECT_TRUE(ties.is_best_state);
}

TEST(EarlyStopping, WithoutPatienceItRunsToTheEndAndStillTakesTheBest) {
  const auto run = stop_early({0.9, 0.1, 0.1, 0.1}, 0, 4);
  EXPECT_EQ(run.epochs, 4);
  EXPECT_EQ(run.best, 1);
  EXPECT_TRUE(run.is_best_state);
}

/// Epochs within a standard error of the best are equally good, and the last of them is kept.
TEST(EarlyStopping, NoiseDoesNotPickTheEpoch) {
  EXPECT_EQ(stop_early({0.5, 0.9, 0.87, 0.82, 0.86}, 0, 5, 1, 0.05).best, 5);
  EXPECT_EQ(stop_early({0.5, 0.9, 0.87, 0.82, 0.80}, 0, 5, 1, 0.05).best, 3);
  EXPECT_EQ(stop_early({0.5, 0.9, 0.87, 0.84, 0.81}, 0, 5, 1, 0.05).best, 3);  // no creeping down
  const auto patient = stop_early({0.5, 0.9, 0.89, 0.88, 0.95}, 2, 5, 1, 0.05);
  EXPECT_EQ(patient.epochs, 4) << "standing still is no progress";
  EXPECT_TRUE(patient.is_best_state);
}

TEST(EarlyStopping, EvaluatesAsOftenAsTold) {
  const auto run = stop_early({0.2, 0.9, 0.1}, 0, 6, 2);
  EXPECT_EQ(run.best, 4);
  EXPECT_TRUE(run.is_best_state);
}

}  // namespace
}  // namespace mcns
