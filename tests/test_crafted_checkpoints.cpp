// Checkpoints that somebody crafted: whole, under a right checksum, with numbers that no run has.
#include <cmath>
#include <cstring>
#include <limits>

#include <zlib.h>

#include "mcns/io/checkpoint.h"

#include "tests/graph_support.h"
#include "tests/run_binary.h"
#include "tests/train_support.h"

namespace mcns {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A state with other bytes in a record, under a right checksum.
std::string patched(std::string state, const std::string& name, const void* data,
                    std::size_t bytes) {
  const auto length = static_cast<std::uint32_t>(name.size());
  std::string key(reinterpret_cast<const char*>(&length), sizeof length);
  const auto at = state.find(key + name);
  EXPECT_NE(at, std::string::npos) << name;
  std::memcpy(state.data() + at + key.size() + name.size() + sizeof(std::uint64_t), data, bytes);
  const std::size_t size = state.size() - sizeof(std::uint32_t);
  const auto sum =
      static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(state.data()), size));
  std::memcpy(state.data() + size, &sum, sizeof sum);
  return state;
}

TEST(CraftedCheckpoints, EveryFieldIsChecked) {
  const Graph graph = random_graph(GraphKind::kUndirected, 30, 60, 1);
  ShortRun setup;
  setup.options.epochs = 3;
  ThreadPool pool(1);
  Trainer trainer(setup.plan(graph), 1, graph, nullptr, pool);
  ASSERT_TRUE(trainer.run({}));
  const auto visit = [&](Archive& archive) { trainer.visit_state(archive); };
  const std::string state = state_to_bytes(visit);
  state_from_bytes(state, visit);
  EXPECT_TRUE(trainer.run({})) << "nothing is left to do, and no best epoch was kept";
  const auto refuse = [&](const std::string& name, auto value) {
    const auto crafted = patched(state, name, &value, sizeof value);
    error_of(ErrorKind::kData, [&] { state_from_bytes(crafted, visit); });
  };
  for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{2}, std::int64_t{1} << 62}) {
    refuse("epoch", bad);
    refuse("history", bad);
    refuse("history.valid", bad == 2 ? std::int64_t{1} << 40 : bad);
    refuse("history.epoch", bad);
  }
  for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{1} << 62}) {
    refuse("batch", bad);
    refuse("best_epoch", bad);
    refuse("evaluations_since_best", bad);
  }
  refuse("history.best", char{2});
  refuse("best_value", std::nan(""));
  refuse("history.loss", std::nan(""));
  refuse("parameters", kInfinity);
}

/// Worse with every epoch, so that the first is the best.
class FallingEvaluator final : public Evaluator {
 public:
  Metrics evaluate(const EmbeddingView&, ThreadPool&) const override {
    return {{"value", 1.0 / ++calls_}};
  }
  std::string_view selection_metric() const override { return "value"; }
  double standard_error(double) const override { return 0; }

 private:
  mutable int calls_ = 0;
};

TEST(CraftedCheckpoints, WhatWasBestAndWhatOptimizersHoldIsChecked) {
  const Graph graph = random_graph(GraphKind::kUndirected, 30, 60, 1);
  for (const std::string optimizer : {"adagrad", "adam"}) {
    ShortRun setup;
    setup.options.optimizer = optimizer;
    setup.options.eval_every = 1;
    ThreadPool pool(1);
    const FallingEvaluator valid;
    Trainer trainer(setup.plan(graph), 1, graph, &valid, pool);
    ASSERT_TRUE(trainer.run({}));
    const auto visit = [&](Archive& archive) { trainer.visit_state(archive); };
    const std::string state = state_to_bytes(visit);
    state_from_bytes(state, visit);
    const auto refuse = [&](const std::string& name, auto value) {
      const auto crafted = patched(state, name, &value, sizeof value);
      error_of(ErrorKind::kData, [&] { state_from_bytes(crafted, visit); });
    };
    for (const char* table : {"parameters", "best", "optimizer"})
      for (const float bad : {std::nanf(""), kInfinity}) refuse(table, bad);
    if (optimizer == "adagrad") refuse("optimizer", -1.0F);
    for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{1} << 62}) refuse("steps", bad);
    refuse("best_value", 1e308);
    for (const char* name : {"history.value", "history.seconds", "history.eval_seconds",
                             "history.lr", "eval_seconds", "totals", "epoch_totals"})
      refuse(name, std::nan(""));
    refuse("history.value", 0.25);
    refuse("history.seconds", -1.0);
    refuse("eval_seconds", -1.0);
  }
}

TEST(CraftedCheckpoints, SharesOfAMixtureAreChecked) {
  const Graph graph = random_graph(GraphKind::kBipartite, 30, 60, 1);
  ThreadPool pool(1);
  SamplerSession session(graph, {.sampler = "mix:0.5*rns+0.5*degree:power=0.5", .dim = 8}, pool);
  const std::string state = session.save();
  session.load(state);
  for (const double bad : {std::nan(""), -0.5, 1e300})
    error_of(ErrorKind::kData,
             [&] { session.load(patched(state, "mix.shares", &bad, sizeof bad)); });
}

TEST(CraftedCheckpoints, TheMessageNamesTheFile) {
  const ScratchFolder folder;
  std::string edges;
  for (int v = 0; v < 20; ++v) edges += fmt::format("v{}\tv{}\n", v, (v + 1) % 20);
  const auto train = "train " + folder.write("g.tsv", edges) +
                     " --dim 4 --checkpoint-every 1 --quiet --out " + folder.path("m");
  ASSERT_EQ(run_mcns(folder, train + " --epochs 2").code, 0);
  const std::string name = "m/checkpoint/state.bin", state = content_of(folder.path(name));
  const std::int64_t steps = -1;
  folder.write(name, patched(state, "steps", &steps, sizeof steps));
  expect_failure(folder, train + " --epochs 3 --resume", 3,
                 folder.path(name) + ": 'steps' of the saved state is -1");
  folder.write(name, state);
  EXPECT_EQ(run_mcns(folder, train + " --epochs 3 --resume").code, 0);
}

TEST(CraftedCheckpoints, StatesOfChainsAreTargets) {
  const Graph graph = random_graph(GraphKind::kBipartite, 30, 60, 1);
  const Matrix table(graph.num_nodes(), 8);
  ThreadPool pool(1);
  for (const auto& broken :
       {std::pair{"mcns", "mcns.chains"}, {"mcns:step=ensemble,chains=2", "mcns.states"}}) {
    SamplerSession session(graph, {.sampler = broken.first, .dim = 8}, pool);
    const std::vector<NodeId> sources = {graph.sources().begin};
    session.draw(sources, {}, 1, {table.view(), table.view()});
    const std::string state = session.save();
    session.load(state);
    for (const NodeId bad : {NodeId{-2}, graph.sources().begin, graph.num_nodes(), 1 << 30})
      error_of(ErrorKind::kData,
               [&] { session.load(patched(state, broken.second, &bad, sizeof bad)); });
  }
}

}  // namespace
}  // namespace mcns
