// Networks on nodes that training never saw: features from files, weights on disk, `encode`.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"
#include "mcns/encoders/encoder.h"
#include "mcns/io/features_file.h"
#include "mcns/io/npy.h"
#include "mcns/io/npz.h"
#include "mcns/model/encode.h"
#include "mcns/train/experiment.h"

#include "tests/paths.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

std::string scratch(const std::string& name) {
  const fs::path folder = fs::path(kTestScratch) / "inductive";
  fs::create_directories(folder);
  return (folder / name).string();
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

Graph path_graph(ThreadPool& pool) {
  EdgeList edges;
  edges.pairs = {{0, 1}, {1, 2}};
  return build_graph(std::move(edges), 3, {}, pool);
}

std::vector<std::vector<float>> dense(const Features& features) {
  std::vector<std::vector<float>> out;
  for (NodeId v = 0; v < features.nodes(); ++v) {
    out.emplace_back(features.width());
    for (std::size_t j = 0; j < features.columns(v).size(); ++j)
      out.back()[features.columns(v)[j]] = features.values(v)[j];
  }
  return out;
}

using Rows = std::vector<std::vector<float>>;

TEST(FeaturesFile, ReadsDenseSparseAndNumpy) {
  ThreadPool pool(1);
  const Graph graph = path_graph(pool);
  const Names names(std::vector<std::string>{"a", "b", "c"});
  const std::string text = scratch("dense.tsv"), sparse = scratch("sparse.txt"),
                    table = scratch("table.npy");
  write(text, "node\tx\ty\n# a comment\nb\t0.5\t-2\na\t1\t0\nelsewhere\t9\t9\n");
  EXPECT_EQ(dense(read_features(text, graph, names)), (Rows{{1, 0}, {0.5, -2}, {0, 0}}));
  write(sparse, "c 2:4.5 0:1\nb 1:1\n");
  EXPECT_EQ(dense(read_features(sparse, graph, names)), (Rows{{0, 0, 0}, {0, 1, 0}, {1, 0, 4.5}}));
  EXPECT_EQ(read_features(sparse, graph, names, 7).width(), 7);
  Matrix matrix(3, 2);
  matrix.row(1)[1] = 3;
  write_npy(table, matrix.view());
  EXPECT_EQ(dense(read_features(table, graph, names)), (Rows{{0, 0}, {0, 3}, {0, 0}}));
}

TEST(FeaturesFile, RowsOfANumpyTableAreIntegerNames) {
  ThreadPool pool(1);
  const Graph graph = path_graph(pool);
  Matrix matrix(9, 1);
  for (int i = 0; i < 9; ++i) matrix.row(i)[0] = static_cast<float>(i);
  const std::string table = scratch("numbered.npy");
  write_npy(table, matrix.view());
  EXPECT_EQ(dense(read_features(table, graph, Names({2, 5, 8}))), (Rows{{2}, {5}, {8}}));
  EXPECT_THROW(read_features(table, graph, Names({2, 5, 9})), Error);
  EXPECT_THROW(read_features(table, graph, Names(std::vector<std::string>{"a", "b", "c"})), Error);
}

TEST(FeaturesFile, SaysWhatIsWrong) {
  ThreadPool pool(1);
  const Graph graph = path_graph(pool);
  const Names names(std::vector<std::string>{"a", "b", "c"});
  const std::pair<const char*, const char*> cases[] = {
      {"a\t1\nb\tx\n", ":2"}, {"a\t1\nb\t1\t2\n", ":2"},
      {"a\t1\na\t2\n", ":2"}, {"a\t1:2\nb\t3\n", ":2"},
      {"a\t-1:2\n", ":1"},    {"z\t1\n", "no features"},
      {"a\n", ":1"}};
  for (const auto& [text, expected] : cases) {
    const std::string path = scratch("wrong.tsv");
    write(path, text);
    try {
      read_features(path, graph, names);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  }
}

TEST(Npz, GivesBackWhatWasWritten) {
  Matrix a(5, 3), b(1, 40);
  for (int i = 0; i < 15; ++i) a.row(i / 3)[i % 3] = 0.5F * static_cast<float>(i);
  b.row(0)[39] = -1;
  const std::string path = scratch("two.npz");
  write_npz(path, std::vector<NpzArray>{{"layer1.weights", a.view()}, {"b", b.view()}});
  const auto back = read_npz(path);
  ASSERT_EQ(back.size(), 2);
  EXPECT_EQ(back[0].name, "layer1.weights");
  EXPECT_EQ(back[1].name, "b");
  EXPECT_TRUE(std::ranges::equal(back[0].values.flat(), a.flat()));
  EXPECT_TRUE(std::ranges::equal(back[1].values.flat(), b.flat()));
}

TEST(Npz, RefusesDamage) {
  Matrix a(5, 3);
  const std::string path = scratch("damaged.npz");
  write_npz(path, std::vector<NpzArray>{{"a", a.view()}});
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (const std::size_t size : {0UL, 3UL, 50UL, whole.size() / 2, whole.size() - 1}) {
    write(path, whole.substr(0, size));
    EXPECT_THROW(read_npz(path), Error) << size;
  }
  std::string flipped = whole;
  flipped[200] = static_cast<char>(flipped[200] + 1);
  write(path, flipped);
  EXPECT_THROW(read_npz(path), Error);
}

/// Nodes of 6 groups, edges mostly within; a node's features say its group, with noise.
struct Groups {
  static constexpr int kNodes = 600, kGroups = 6, kHidden = 100;  ///< the last 100 come later
  Groups() {
    Rng rng(4, Domain::kTest);
    for (int e = 0; e < 6000; ++e) {
      const auto a = rng.below(kNodes);
      auto b = rng.below(8) == 0 ? rng.below(kNodes)
                                 : rng.below(kNodes / kGroups) * kGroups + a % kGroups;
      const std::string line = fmt::format("{}\t{}\n", a, b);
      all += line;
      if (a < kNodes - kHidden && b < kNodes - kHidden) seen += line;
    }
    for (int v = 0; v < kNodes; ++v) {
      features += std::to_string(v);
      for (int f = 0; f < 2 * kGroups; ++f)
        features += fmt::format("\t{:.3f}", rng.normal() + (f == v % kGroups ? 2.0 : 0.0));
      features += "\n";
    }
  }
  std::string all, seen, features;
};

/// How often a hidden node is nearer to a seen one of its group than to one of another.
double separation(const EncodedGraph& encoded) {
  std::vector<NodeId> row(Groups::kNodes);
  for (NodeId v = 0; v < encoded.data.names.size(); ++v)
    row[std::stoi(encoded.data.names.name(v))] = v;
  const auto score = [&](int a, int b) {
    return kernels().dot(encoded.vectors.row(row[a]), encoded.vectors.row(row[b]),
                         encoded.vectors.stride());
  };
  Rng rng(9, Domain::kTest);
  int right = 0, all = 0;
  for (int v = Groups::kNodes - Groups::kHidden; v < Groups::kNodes; ++v)
    for (int i = 0; i < 30; ++i) {
      const int own = static_cast<int>(rng.below(80)) * 6 + v % 6;
      const int other =
          static_cast<int>(rng.below(80)) * 6 + (v % 6 + 1 + static_cast<int>(rng.below(5))) % 6;
      right += score(v, own) > score(v, other);
      ++all;
    }
  return static_cast<double>(right) / all;
}

TEST(Encode, GivesVectorsOfNodesNeverSeen) {
  const Groups groups;
  write(scratch("seen.tsv"), groups.seen);
  write(scratch("all.tsv"), groups.all);
  write(scratch("features.tsv"), groups.features);
  for (const char* encoder : {"graphsage", "gcn", "graphsage:fanout=25/10,length=1"}) {
    Experiment experiment;
    experiment.files.train = scratch("seen.tsv");
    experiment.train.encoder = encoder;
    experiment.train.positives = "edges";
    experiment.train.features = scratch("features.tsv");
    experiment.train.dim = 16;
    experiment.train.epochs = 20;
    experiment.train.sampler = "rns";
    experiment.train.batch = 1024;
    experiment.train.l2 = 0;
    experiment.output.out = scratch("model");
    experiment.output.force = true;
    experiment.threads = 2;
    ASSERT_TRUE(run_experiment(experiment, {}).finished);
    ThreadPool pool(2);
    const EncodedGraph encoded =
        encode({scratch("model"), scratch("all.tsv"), scratch("features.tsv")}, pool);
    EXPECT_EQ(encoded.unseen, Groups::kHidden);
    EXPECT_GT(separation(encoded), 0.9) << encoder;
    EXPECT_THROW(encode({scratch("model"), scratch("all.tsv"), ""}, pool), Error);
    // On the graph of training it gives back what training saved.
    const EncodedGraph same =
        encode({scratch("model"), scratch("seen.tsv"), scratch("features.tsv")}, pool);
    const Matrix saved = read_npy(scratch("model") + "/embeddings.npy");
    EXPECT_EQ(same.unseen, 0);
    EXPECT_TRUE(std::ranges::equal(same.vectors.flat(), saved.flat())) << encoder;
  }
}

TEST(Encode, FreeVectorsOfNewNodesAreTheirNeighbors) {
  const Groups groups;
  write(scratch("seen.tsv"), groups.seen);
  write(scratch("all.tsv"), groups.all);
  for (const char* encoder : {"graphsage", "lightgcn"}) {
    Experiment experiment;
    experiment.files.train = scratch("seen.tsv");
    experiment.train.encoder = encoder;
    experiment.train.positives = "edges";
    experiment.train.dim = 16;
    experiment.train.epochs = 20;
    experiment.train.sampler = "rns";
    experiment.train.batch = 1024;
    experiment.train.l2 = 0;
    experiment.output.out = scratch("free");
    experiment.output.force = true;
    experiment.threads = 2;
    ASSERT_TRUE(run_experiment(experiment, {}).finished);
    ThreadPool pool(2);
    const EncodedGraph encoded = encode({scratch("free"), scratch("all.tsv"), ""}, pool);
    EXPECT_EQ(encoded.unseen, Groups::kHidden);
    EXPECT_GT(separation(encoded), 0.8) << encoder;
    EXPECT_THROW(encode({scratch("free"), scratch("all.tsv"), scratch("features.tsv")}, pool),
                 Error);
  }
}

}  // namespace
}  // namespace mcns
