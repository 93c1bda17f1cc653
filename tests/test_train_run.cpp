// Whole runs: numbers that are not finite, warm starts, saturated nodes, async.
#include <atomic>
#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include "mcns/io/model_directory.h"
#include "mcns/train/experiment.h"

#include "tests/run_binary.h"
#include "tests/train_support.h"

namespace mcns {
namespace {

/// Edges of a graph with two groups, as a file.
std::string two_groups(const ScratchFolder& folder, int nodes = 60, int edges = 500) {
  Rng rng(1, Domain::kTest);
  std::string text;
  for (int i = 0; i < edges; ++i) {
    const auto group = rng.below(2), half = static_cast<std::uint64_t>(nodes / 2);
    text +=
        fmt::format("n{}\tn{}\n", group * half + rng.below(half), group * half + rng.below(half));
  }
  return folder.write("edges.tsv", text);
}

Experiment experiment_on(const std::string& train, const std::string& out) {
  Experiment e;
  e.files.train = train;
  e.train = ShortRun().options;
  e.output.out = out;
  e.threads = 2;
  return e;
}

std::vector<nlohmann::json> history_of(const std::string& model) {
  std::vector<nlohmann::json> lines;
  std::ifstream in(model + "/history.jsonl");
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

TEST(AsyncUpdate, Learns) {
  const ScratchFolder folder;
  for (const std::string optimizer : {"sgd", "adagrad", "adam"}) {
    auto e = experiment_on(two_groups(folder), folder.path("async-" + optimizer));
    e.train.update = "async";
    e.train.optimizer = optimizer;
    e.train.loss = "logistic";
    e.train.epochs = 30;
    e.train.l2 = 0;
    e.train.lr = optimizer == "adam" ? 0.01 : 0.1;
    e.threads = 3;
    ASSERT_TRUE(run_experiment(e, {}).finished);
    const auto history = history_of(e.output.out);
    ASSERT_EQ(history.size(), 30U);
    EXPECT_LT(history.back()["loss"], 0.8 * history.front()["loss"].get<double>()) << optimizer;
  }
}

TEST(BatchUpdate, Learns) {
  const ScratchFolder folder;
  auto e = experiment_on(two_groups(folder), folder.path("model"));
  e.train.epochs = 30;
  e.train.l2 = 0;
  e.train.lr = 0.1;
  run_experiment(e, {});
  const auto history = history_of(e.output.out);
  EXPECT_LT(history.back()["loss"], 0.8 * history.front()["loss"].get<double>());
}

TEST(Divergence, StopsWithAClearMessage) {
  for (const std::string update : {"batch", "async"})
    for (const std::string loss : {"bpr", "hinge", "logistic", "softmax"}) {
      const ScratchFolder folder;
      auto e = experiment_on(two_groups(folder), folder.path("model"));
      e.train.update = update;
      e.train.loss = loss;
      e.train.optimizer = "sgd";
      e.train.lr = 1e6;
      e.train.l2 = 0.5;
      e.train.epochs = 50;
      e.output.checkpoint_every = 1;
      const auto message = error_of(ErrorKind::kRuntime, [&] { run_experiment(e, {}); });
      EXPECT_TRUE(contains(message, "not finite")) << message;
      EXPECT_TRUE(contains(message, "epoch")) << message;
      EXPECT_TRUE(contains(message, "--lr")) << message;
      EXPECT_FALSE(std::filesystem::exists(e.output.out + "/embeddings.npy"));
    }
}

/// In the batch that meets it, not at the end of the epoch; updates of whole batches change
/// nothing in tables this small (for large ones see LoneRows).
TEST(Divergence, ANanParameterStopsItsBatch) {
  const Graph graph = random_graph(GraphKind::kUndirected, 40, 100, 1);
  for (const std::string positives : {"edges", "walks"})
    for (const std::string update : {"batch", "async"})
      for (const std::string loss : {"bpr", "hinge", "logistic", "softmax"})
        for (const bool is_context : {false, true}) {
          ShortRun setup;
          setup.options.positives = positives;
          setup.options.update = update;
          setup.options.loss = loss;
          setup.options.optimizer = "sgd";
          setup.options.tables = 2;
          setup.options.batch = 1 << 16;
          ThreadPool pool(1);
          Trainer trainer(setup.plan(graph), 1, graph, nullptr, pool);
          trainer.model().visit_parameters([&](const std::string&, Matrix& values) {
            values.row(is_context ? graph.num_nodes() : 0)[3] =
                std::numeric_limits<float>::quiet_NaN();
          });
          const Tables before(trainer.scores_view());
          const auto message = error_of(ErrorKind::kRuntime, [&] { trainer.run({}); });
          EXPECT_TRUE(contains(message, "loss is not finite at epoch 1, batch 1"))
              << positives << ' ' << update << ' ' << loss << ": " << message;
          if (update == "batch") {
            EXPECT_EQ(Tables(trainer.scores_view()), before) << positives << ' ' << loss;
          }
        }
}

/// Keeps the checkpoint as it was at the first batch of an epoch.
class CheckpointReader final : public Observer {
 public:
  explicit CheckpointReader(std::string path) : path_(std::move(path)) {}
  void batch_done(std::int64_t epoch, std::int64_t batch, std::int64_t,
                  const StepTotals&) override {
    if (batch != 1) return;
    epochs = epoch;
    content = content_of(path_);
  }
  std::int64_t epochs = 0;
  std::string content;

 private:
  std::string path_;
};

TEST(Divergence, LeavesTheCheckpointOfTheLastWholeEpoch) {
  for (const std::string update : {"batch", "async"}) {
    const ScratchFolder folder;
    auto e = experiment_on(two_groups(folder), folder.path("model"));
    e.threads = 1;
    e.train.update = update;
    e.train.sampler = "mcns";
    e.train.optimizer = "sgd";
    e.train.lr = 1;
    e.train.l2 = update == "batch" ? 0.8 : 2.1;  // diverges, but not at once
    e.train.batch = 20;
    e.train.epochs = 1000;
    e.output.checkpoint_every = 1;
    const auto path = e.output.out + "/checkpoint/state.bin";
    CheckpointReader reader(path);
    const auto message = error_of(ErrorKind::kRuntime, [&] { run_experiment(e, {&reader}); });
    ASSERT_GE(reader.epochs, 1) << message;
    EXPECT_TRUE(content_of(path) == reader.content) << update;
    EXPECT_TRUE(contains(message, "not finite")) << message;
    EXPECT_TRUE(contains(message, fmt::format("of epoch {}: --resume", reader.epochs))) << message;
    // It loads, and the run stops at the same place.
    e.output.resume = true;
    EXPECT_EQ(error_of(ErrorKind::kRuntime, [&] { run_experiment(e, {}); }), message);
  }
}

/// An update in place can overflow where the batch's scores were fine, in the last batch too.
TEST(Divergence, NoRunEndsWithParametersThatAreNotFinite) {
  const Graph graph = random_graph(GraphKind::kUndirected, 40, 100, 1);
  ShortRun setup;
  setup.options.update = "async";
  setup.options.optimizer = "sgd";
  setup.options.batch = 1 << 16;
  setup.options.lr = 1e6;
  for (setup.options.epochs = 1; *setup.options.epochs < 12; ++*setup.options.epochs) {
    ThreadPool pool(1);
    Trainer trainer(setup.plan(graph), 1, graph, nullptr, pool);
    try {
      trainer.run({});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kRuntime);
      return;
    }
    const Tables tables(trainer.scores_view());
    for (const auto* table : {&tables.node, &tables.context})
      for (const float x : *table) ASSERT_TRUE(std::isfinite(x)) << *setup.options.epochs;
  }
  FAIL() << "never overflowed";
}

TEST(WarmStart, KeepsVectorsOfKnownNodesAndAcceptsNewOnes) {
  const ScratchFolder folder;
  const auto old_edges = folder.write("old.tsv", "a b\nb c\nc d\nd a\na e\n");
  const auto new_edges = folder.write("new.tsv", "x a\nc b\nb y\nd e\ne x\n");
  auto first = experiment_on(old_edges, folder.path("old"));
  run_experiment(first, {});
  auto second = experiment_on(new_edges, folder.path("new"));
  second.train.epochs = 0;
  auto fresh = second;
  fresh.output.out = folder.path("fresh");
  run_experiment(fresh, {});
  second.output.init = first.output.out;
  run_experiment(second, {});
  const auto old_model = load_model_directory(first.output.out);
  const auto warm = load_model_directory(second.output.out);
  const auto cold = load_model_directory(fresh.output.out);
  ASSERT_EQ(warm.names.size(), 7);
  const RowIndex known(old_model.names, {0, old_model.names.size()});
  int kept = 0;
  for (NodeId v = 0; v < warm.names.size(); ++v) {
    const auto row = known.find(warm.names.name(v));
    kept += row.has_value();
    for (int d = 0; d < warm.embeddings.dim(); ++d) {
      EXPECT_EQ(warm.embeddings.row(v)[d],
                row ? old_model.embeddings.row(*row)[d] : cold.embeddings.row(v)[d]);
      EXPECT_EQ(warm.context.row(v)[d],
                row ? old_model.context.row(*row)[d] : cold.context.row(v)[d]);
    }
  }
  EXPECT_EQ(kept, 5);
}

TEST(WarmStart, UsersAndItemsWithTheSameNameStayApart) {
  const ScratchFolder folder;
  auto first = experiment_on(folder.write("old.tsv", "1 1\n1 2\n2 3\n"), folder.path("old"));
  first.load.bipartite = "separate";
  run_experiment(first, {});
  auto second = experiment_on(folder.write("new.tsv", "2 2\n1 9\n2 1\n"), folder.path("new"));
  second.load.bipartite = "separate";
  second.train.epochs = 0;
  second.output.init = first.output.out;
  run_experiment(second, {});
  const auto old_model = load_model_directory(first.output.out);
  const auto warm = load_model_directory(second.output.out);
  const auto row = [](const LoadedModel& m, const std::string& name, NodeRange range) {
    return m.embeddings.row(*m.names.find(name, range))[0];
  };
  for (const std::string user : {"1", "2"})
    EXPECT_EQ(row(warm, user, warm.graph.sources()),
              row(old_model, user, old_model.graph.sources()));
  for (const std::string item : {"1", "2"})
    EXPECT_EQ(row(warm, item, warm.graph.targets()),
              row(old_model, item, old_model.graph.targets()));
}

TEST(WarmStart, RefusesVectorsThatDoNotFit) {
  const ScratchFolder folder;
  auto first = experiment_on(folder.write("old.tsv", "1 2\n2 3\n3 4\n"), folder.path("old"));
  run_experiment(first, {});
  auto second = first;
  second.output = {.out = folder.path("new"), .init = first.output.out};
  second.train.dim = 8;
  EXPECT_TRUE(contains(error_of(ErrorKind::kUsage, [&] { run_experiment(second, {}); }),
                       "20 dimensions, this run 8"));
  second.output.init = folder.path("nowhere");
  EXPECT_TRUE(contains(error_of(ErrorKind::kIo, [&] { run_experiment(second, {}); }), "nowhere"));
}

/// `hub` is linked to everybody.
std::string saturated_edges() {
  std::string text = "a b\nc d\n";
  for (const char* v : {"a", "b", "c", "d", "e", "f"}) text += fmt::format("hub {}\n", v);
  return text;
}

TEST(Saturated, IsAnErrorByDefault) {
  const ScratchFolder folder;
  const auto e = experiment_on(folder.write("edges.tsv", saturated_edges()), folder.path("model"));
  const auto message = error_of(ErrorKind::kData, [&] { run_experiment(e, {}); });
  EXPECT_TRUE(contains(message, "'hub'") && contains(message, "--saturated skip")) << message;
  EXPECT_FALSE(std::filesystem::exists(e.output.out)) << "nothing is left behind";
}

/// Steps count the rows of a batch in 32 bits.
TEST(Batch, WithMoreRowsThanCanBeCountedIsRefused) {
  const Graph graph = random_graph(GraphKind::kUndirected, 30, 60, 1);
  ThreadPool pool(1);
  ShortRun setup;
  setup.options.positives = "walks:walks=1000000,length=10,window=2";
  setup.options.batch = 1 << 24;
  const auto make = [&] { const Trainer trainer(setup.plan(graph), 1, graph, nullptr, pool); };
  EXPECT_NO_THROW(make());
  setup.options.negatives = 4096;
  const auto message = error_of(ErrorKind::kUsage, make);
  EXPECT_TRUE(contains(message, "--batch 16777216") && contains(message, "4096 negatives"))
      << message;
  setup.options.positives = "edges";
  EXPECT_NO_THROW(make()) << "the graph has too few edges for a batch of that size";
  setup.options.positives = "walks:length=10000,window=5000";
  setup.options.negatives = 1;
  EXPECT_NO_THROW(make());
  setup.options.sampler = "pinsage:mode=paper";
  EXPECT_TRUE(contains(error_of(ErrorKind::kUsage, make), "25 negatives"))
      << "a number that the sampler prescribes";
}

/// Without the check a sampler would draw from no targets at all.
TEST(Saturated, IsAnErrorOfTheTrainerToo) {
  const Graph graph = make_graph({{0, 1}, {0, 2}, {0, 3}, {1, 2}}, 4);
  const ShortRun setup;
  ThreadPool pool(1);
  const Names names(std::vector<std::string>{"hub", "a", "b", "c"});
  const auto make = [&](const Names* with) {
    const Trainer trainer(setup.plan(graph), 1, graph, nullptr, pool, {.names = with});
  };
  const auto named = error_of(ErrorKind::kData, [&] { make(&names); });
  EXPECT_TRUE(contains(named, "'hub'") && contains(named, "--saturated skip")) << named;
  const auto bare = error_of(ErrorKind::kData, [&] { make(nullptr); });
  EXPECT_TRUE(contains(bare, "'0'")) << bare;
}

TEST(Saturated, SkipLeavesTheirPairsOutAndCountsThem) {
  const ScratchFolder folder;
  for (const std::string update : {"batch", "async"})
    for (const std::string sampler : {"rns", "degree"})
      for (const std::string optimizer : {"adagrad", "adam"}) {
        auto e = experiment_on(folder.write("edges.tsv", saturated_edges()),
                               folder.path(update + sampler + optimizer));
        e.train.saturated = "skip";
        e.train.update = update;
        e.train.sampler = sampler;
        e.train.optimizer = optimizer;
        e.train.batch = 2;
        e.train.epochs = 3;
        const auto metrics = nlohmann::json::parse(run_experiment(e, {}).metrics_json);
        EXPECT_EQ(metrics["positives"], 3 * 16);
        EXPECT_EQ(metrics["skipped_positives"], 3 * 6) << "the arcs that leave the hub";
        auto untouched = e;
        untouched.train.epochs = 0;
        untouched.output.out += "-first";
        run_experiment(untouched, {});
        const auto trained = load_model_directory(e.output.out);
        const auto first = load_model_directory(untouched.output.out);
        const auto row = *trained.names.find("hub", {0, trained.names.size()});
        for (int d = 0; d < trained.embeddings.dim(); ++d)
          EXPECT_EQ(trained.embeddings.row(row)[d], first.embeddings.row(row)[d])
              << "the hub is the centre of no pair";
      }
}

TEST(Saturated, FilterNoneTrainsThemAll) {
  const ScratchFolder folder;
  auto e = experiment_on(folder.write("edges.tsv", saturated_edges()), folder.path("model"));
  e.train.filter = "none";
  const auto metrics = nlohmann::json::parse(run_experiment(e, {}).metrics_json);
  EXPECT_EQ(metrics["skipped_positives"], 0);
}

}  // namespace
}  // namespace mcns
