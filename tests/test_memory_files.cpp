// Tables in memory are what files of the same content are: in load_dataset, in graph_of_edges, in a
// whole experiment; and what a run hands over is what it writes. Training with valid pairs.
#include "mcns/core/rng.h"
#include "mcns/io/memory_files.h"
#include "mcns/io/npy.h"
#include "mcns/train/experiment.h"

#include "tests/test_io_files.h"
#include "tests/train_support.h"

namespace mcns {
namespace {

/// The same pairs as text and as a table.
struct BothForms {
  std::string text;
  std::shared_ptr<RawEdges> table = std::make_shared<RawEdges>();

  void add(NodeId source, NodeId target, bool named) {
    table->numeric = !named;
    if (named) {
      const auto name = [&](const std::string& id) {
        table->names.push_back(id);  // the same name may have several numbers
        return static_cast<NodeId>(table->names.size() - 1);
      };
      const std::string first = fmt::format("a{}", source), second = fmt::format("b{}", target);
      text += first + "\t" + second + "\n";
      const NodeId at = name(first);
      table->pairs.push_back({at, name(second)});
    } else {
      text += fmt::format("{}\t{}\n", source, target);
      table->pairs.push_back({source, target});
    }
  }
};

struct Parts {
  BothForms train, valid;
};

Parts random_parts(bool named) {
  Parts out;
  Rng rng(5, Domain::kTest);
  for (int i = 0; i < 500; ++i) {
    const auto group = static_cast<NodeId>(rng.below(2));
    const auto source = static_cast<NodeId>(group * 30 + rng.below(30));
    const auto target = static_cast<NodeId>(group * 40 + rng.below(40));
    (i % 9 == 0 ? out.valid : out.train).add(source, target, named);
  }
  return out;
}

std::shared_ptr<MemoryFiles> memory_of(const Parts& parts) {
  auto out = std::make_shared<MemoryFiles>();
  out->edges = {{"train", parts.train.table}, {"valid", parts.valid.table}};
  return out;
}

DatasetFiles files_of(const std::string& train, const std::string& valid,
                      std::shared_ptr<const MemoryFiles> memory = nullptr) {
  DatasetFiles out;
  out.train = train;
  out.valid = valid;
  out.memory = std::move(memory);
  return out;
}

std::vector<std::string> names_of(const Names& names) {
  std::vector<std::string> out;
  for (NodeId v = 0; v < names.size(); ++v) out.push_back(names.name(v));
  return out;
}

TEST(MemoryFiles, AreFilesOfTheSameContent) {
  ThreadPool pool(2);
  for (const bool named : {false, true}) {
    const ScratchFolder folder;
    const Parts parts = random_parts(named);
    LoadOptions options;
    options.bipartite = "separate";
    const Dataset read = load_dataset(
        files_of(folder.write("t.tsv", parts.train.text), folder.write("v.tsv", parts.valid.text)),
        Task::kRecommend, options, pool);
    const Dataset held =
        load_dataset(files_of("train", "valid", memory_of(parts)), Task::kRecommend, options, pool);
    EXPECT_EQ(names_of(held.names), names_of(read.names));
    EXPECT_EQ(edge_list(held.graph).pairs, edge_list(read.graph).pairs);
    EXPECT_EQ(held.valid.pairs, read.valid.pairs);
    EXPECT_EQ(held.report.train.merged, read.report.train.merged);
    const NamedGraph graph = graph_of_edges(*parts.train.table, "edges", options, pool);
    const NamedGraph loaded = load_graph(folder.path("t.tsv"), options, pool);
    EXPECT_EQ(names_of(graph.names), names_of(loaded.names));
    EXPECT_EQ(edge_list(graph.graph).pairs, edge_list(loaded.graph).pairs);
  }
}

TEST(MemoryFiles, HaveWeightsTimesLabelsAndIsolatedNodes) {
  ThreadPool pool(1);
  RawEdges edges;
  edges.pairs = {{0, 1}, {1, 2}, {0, 1}};
  edges.values = {1, 5, 2};
  edges.times = {10, 30, 20};
  edges.isolated = {7};
  const NamedGraph graph = graph_of_edges(edges, "edges", {}, pool, Times::kNeed);
  EXPECT_EQ(graph.graph.num_nodes(), 4);
  EXPECT_EQ(edge_list(graph.graph).weights, (std::vector<float>{3, 5}));
  EXPECT_EQ(graph.times, (std::vector<double>{20, 30}));
  edges.times = {};
  EXPECT_TRUE(contains(
      error_of(ErrorKind::kData, [&] { graph_of_edges(edges, "edges", {}, pool, Times::kNeed); }),
      "edges"));
  auto memory = std::make_shared<MemoryFiles>();
  memory->edges["train"] = std::make_shared<RawEdges>(edges);
  memory->labels["labels"] = {{"0", "x"}, {"7", "y"}};
  DatasetFiles labelled = files_of("train", "", memory);
  labelled.labels = "labels";
  const Dataset data = load_dataset(labelled, Task::kClassify, {}, pool);
  EXPECT_EQ(data.labels.entries.size(), 2U);
  LoadOptions of_text;
  of_text.columns = "source=1,target=2";
  EXPECT_TRUE(
      contains(error_of(ErrorKind::kUsage,
                        [&] { load_dataset(files_of("train", "", memory), {}, of_text, pool); }),
               "in memory"));
}

TEST(MemoryFiles, HaveADigestThatEveryPartChanges) {
  RawEdges edges;
  edges.pairs = {{0, 1}, {1, 2}};
  const std::string first = sha256_of_edges(edges);
  EXPECT_EQ(sha256_of_edges(RawEdges(edges)), first);
  RawEdges weighted = edges, named = edges, other = edges;
  weighted.values = {1, 1};
  named.names = {"a", "b", "c"};
  other.pairs[0].target = 2;
  for (const RawEdges& changed : {weighted, named, other})
    EXPECT_NE(sha256_of_edges(changed), first);
}

/// Embeddings that the run hands over.
struct Delivered {
  std::vector<float> values;
  std::string metrics;
  ExperimentHooks hooks() {
    ExperimentHooks out;
    out.trained = [this](const ModelFiles& files, Encoder&) {
      for (std::int64_t v = 0; v < files.embeddings.rows; ++v)
        values.insert(values.end(), files.embeddings[v].begin(), files.embeddings[v].end());
      metrics = files.metrics_json;
    };
    return out;
  }
};

Experiment short_experiment(DatasetFiles files) {
  Experiment out;
  out.files = std::move(files);
  out.load.bipartite = "separate";
  out.train.dim = 8;
  out.train.epochs = 3;
  out.train.eval_every = 1;
  out.threads = 2;
  return out;
}

TEST(MemoryFiles, TrainToTheBytesOfFilesAndTheHookHasWhatIsWritten) {
  for (const bool named : {false, true}) {
    const ScratchFolder folder;
    const Parts parts = random_parts(named);
    Delivered held, read;
    run_experiment(short_experiment(files_of("train", "valid", memory_of(parts))), held.hooks());
    Experiment of_files = short_experiment(
        files_of(folder.write("t.tsv", parts.train.text), folder.write("v.tsv", parts.valid.text)));
    of_files.output.out = folder.path("model");
    run_experiment(of_files, read.hooks());
    EXPECT_EQ(held.values, read.values);
    const LoadedModel written = load_model_directory(folder.path("model"));
    ASSERT_EQ(static_cast<std::size_t>(written.embeddings.rows() * 8), read.values.size());
    for (std::int64_t v = 0; v < written.embeddings.rows(); ++v)
      EXPECT_TRUE(std::equal(written.embeddings.row(v), written.embeddings.row(v) + 8,
                             read.values.begin() + v * 8));
  }
}

TEST(TrainWithValid, KeepsTheBestEpochByTheRankOfItems) {
  const Parts parts = random_parts(false);
  Delivered with;
  const ExperimentResult result =
      run_experiment(short_experiment(files_of("train", "valid", memory_of(parts))), with.hooks());
  EXPECT_GT(value_of(result.valid, "mrr"), 0);
  EXPECT_TRUE(contains(with.metrics, "\"best_epoch\""));
}

TEST(TrainWithValid, DrawsNonEdgesForLinksWithoutLabels) {
  const Parts parts = random_parts(false);
  Experiment graph = short_experiment(files_of("train", "valid", memory_of(parts)));
  graph.load.bipartite = "none";
  Delivered first, second;
  const double auc = value_of(run_experiment(graph, first.hooks()).valid, "auc");
  EXPECT_GT(auc, 0.5);
  EXPECT_LT(auc, 1);
  // With labels, these count: all held-out pairs against themselves with label 0 have AUC 0.5.
  auto memory = memory_of(parts);
  auto labelled = std::make_shared<RawEdges>(*parts.valid.table);
  const std::size_t pairs = labelled->pairs.size();
  labelled->values.assign(pairs, 1);
  labelled->pairs.insert(labelled->pairs.end(), labelled->pairs.begin(),
                         labelled->pairs.begin() + static_cast<std::ptrdiff_t>(pairs));
  labelled->values.resize(2 * pairs, 0);
  memory->edges["valid"] = labelled;
  graph.files.memory = memory;
  EXPECT_DOUBLE_EQ(value_of(run_experiment(graph, second.hooks()).valid, "auc"), 0.5);
}

}  // namespace
}  // namespace mcns
