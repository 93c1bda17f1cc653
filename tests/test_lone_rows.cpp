// Rows that one place of a batch uses: which they are, and what a batch leaves that is not finite.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "mcns/core/rng.h"
#include "mcns/train/lone_rows.h"
#include "mcns/train/step.h"

#include "tests/graph_support.h"

namespace mcns {
namespace {

TEST(LoneRows, HaveOnePlaceAndAreNoSource) {
  Rng rng(1, Domain::kGenerate);
  for (const std::int64_t rows : {1, 50, 1000, 100'000}) {
    LoneRows lone(rows);
    for (int batch = 0; batch < 5; ++batch) {
      std::vector<NodeId> places(400), sources(100);
      for (auto* list : {&places, &sources})
        for (NodeId& row : *list) row = static_cast<NodeId>(rng.below(rows));
      std::vector<int> uses(rows);
      for (const NodeId row : places) ++uses[row];
      for (const NodeId row : sources) uses[row] += 2;
      lone.mark(places, sources);
      std::vector<NodeId> shared, expected;
      std::vector<std::int32_t> numbers;
      lone.list_shared(places, shared, numbers);
      for (std::size_t i = 0; i < places.size(); ++i) {
        EXPECT_EQ(lone.is_lone(places[i]), uses[places[i]] == 1) << rows << ", place " << i;
        if (uses[places[i]] != 1) expected.push_back(places[i]);
      }
      EXPECT_EQ(shared, expected) << rows;
      ASSERT_EQ(numbers.size(), shared.size());
      for (std::size_t i = 0; i < shared.size(); ++i) EXPECT_EQ(places[numbers[i]], shared[i]);
      lone.clear(places, sources);
    }
  }
}

/// Rows of other pairs may have moved, but by finite steps.
TEST(LoneRows, ANanReachesNoOtherRow) {
  const Graph graph = random_graph(GraphKind::kUndirected, 3000, 2000, 1);
  ThreadPool pool(2);
  Lookup lookup(graph.num_nodes(), {16, true, 1.0}, 0, 1);
  const NodeId poisoned = 7;
  lookup.parameters().row(poisoned)[3] = std::numeric_limits<float>::quiet_NaN();
  SamplerSession session(graph, {.sampler = "rns", .negatives = 3, .dim = 16, .seed = 1}, pool);
  const auto step = make_batch_step({session, Logistic{}, Sgd{}, 0.0F, pool}, lookup);
  PairBuffer batch;
  batch.resize(200);
  for (NodeId i = 0; i < 200; ++i) {
    batch.pairs[i] = {i, i + 1};
    batch.serials[i] = i;
  }
  StepTotals totals;
  EXPECT_THROW(step->run({1, 0, 0}, batch, 0.1F, totals), Error);
  const Matrix& parameters = lookup.parameters();
  for (std::int64_t row = 0; row < parameters.rows(); ++row)
    EXPECT_EQ(kernels().any_not_finite(parameters.row(row), 16), row == poisoned) << row;
}

}  // namespace
}  // namespace mcns
