// The model directory: what a run writes, what is refused, foreign vectors.
#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include "mcns/io/model_directory.h"
#include "mcns/io/npy.h"

#include "tests/graph_support.h"
#include "tests/test_io_files.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Matrix numbered(std::int64_t rows, int dim, float first) {
  Matrix out(rows, dim);
  for (std::int64_t v = 0; v < rows; ++v)
    for (int d = 0; d < dim; ++d) out.row(v)[d] = first + static_cast<float>(v * dim + d);
  return out;
}

struct Written {
  Graph graph =
      make_graph({{0, 2}, {1, 2}, {1, 3}}, 4, {.kind = GraphKind::kBipartite, .users = 2});
  Names names{std::vector<std::string>{"ann", "bob smith", "7", "ünïcode"}};
  Matrix embeddings = numbered(4, 5, 0), context = numbered(4, 5, 100);

  void write(const std::string& path, bool with_context = true) const {
    ModelFiles files{graph,        names,  embeddings.view(), {},
                     "{\"a\": 1}", "{}\n", "epoch\n",         "{\"b\": 2}"};
    if (with_context) files.context = context.view();
    write_model_directory(path, files);
  }
};

TEST(ModelDirectory, RoundTrip) {
  const ScratchFolder folder;
  const auto path = folder.path("a/b/model");
  const Written model;
  prepare_model_directory(path, false, false);
  model.write(path);
  const auto loaded = load_model_directory(path);
  EXPECT_EQ(loaded.graph.num_edges(), 3);
  EXPECT_EQ(loaded.graph.num_users(), 2);
  EXPECT_EQ(loaded.names.name(1), "bob smith");
  EXPECT_EQ(loaded.names.name(3), "ünïcode");
  EXPECT_EQ(loaded.run_json, "{\"a\": 1}");
  ASSERT_EQ(loaded.embeddings.rows(), 4);
  for (NodeId v = 0; v < 4; ++v)
    for (int d = 0; d < 5; ++d) {
      EXPECT_EQ(loaded.embeddings.row(v)[d], model.embeddings.row(v)[d]);
      EXPECT_EQ(loaded.context.row(v)[d], model.context.row(v)[d]);
    }
  EXPECT_EQ(text_of(path + "/nodes.tsv"),
            "row\tid\tkind\n0\tann\tuser\n1\tbob smith\tuser\n2\t7\titem\n3\tünïcode\titem\n");
  EXPECT_EQ(text_of(path + "/metrics.json"), "{\"b\": 2}");
  for (const auto& entry : fs::directory_iterator(path))
    EXPECT_NE(entry.path().extension(), ".tmp") << "nothing half-written stays";
}

TEST(ModelDirectory, ASecondTableGoesWhenTheNewModelHasNone) {
  const ScratchFolder folder;
  const Written model;
  prepare_model_directory(folder.path("model"), false, false);
  model.write(folder.path("model"));
  model.write(folder.path("model"), false);
  EXPECT_TRUE(load_model_directory(folder.path("model")).context.empty());
}

TEST(ModelDirectory, AnExistingOneIsRefusedUnlessTold) {
  const ScratchFolder folder;
  const auto path = folder.path("model");
  prepare_model_directory(path, false, false);
  prepare_model_directory(path, false, false);  // empty: nothing to lose
  Written().write(path);
  folder.write("model/mine.txt", "keep");
  folder.write("model/report.html", "of the old model");
  const auto message =
      error_of(ErrorKind::kUsage, [&] { prepare_model_directory(path, false, false); });
  EXPECT_TRUE(contains(message, "--force") && contains(message, "--resume")) << message;
  prepare_model_directory(path, false, true);
  EXPECT_TRUE(fs::exists(path + "/embeddings.npy"));
  prepare_model_directory(path, true, false);
  EXPECT_FALSE(fs::exists(path + "/embeddings.npy"));
  EXPECT_FALSE(fs::exists(path + "/report.html"));
  EXPECT_TRUE(fs::exists(path + "/mine.txt")) << "only our own files go";
  folder.write("file", "");
  error_of(ErrorKind::kIo, [&] { prepare_model_directory(folder.path("file"), true, false); });
}

TEST(ModelDirectory, SaysWhatIsMissingOrDoesNotFit) {
  const ScratchFolder folder;
  const auto path = folder.path("model");
  EXPECT_TRUE(contains(error_of(ErrorKind::kIo, [&] { load_model_directory(path); }), path));
  prepare_model_directory(path, false, false);
  EXPECT_TRUE(contains(error_of(ErrorKind::kIo, [&] { load_model_directory(path); }), "graph.bin"));
  Written().write(path);
  write_npy(path + "/embeddings.npy", numbered(3, 5, 0).view());
  EXPECT_TRUE(contains(error_of(ErrorKind::kData, [&] { load_model_directory(path); }), "3 rows"));
  fs::remove(path + "/embeddings.npy");
  EXPECT_TRUE(
      contains(error_of(ErrorKind::kIo, [&] { load_model_directory(path); }), "embeddings.npy"));
}

TEST(ModelDirectory, ForeignVectorsComeWithANodesFile) {
  const ScratchFolder folder;
  ThreadPool pool(1);
  const auto path = folder.path("theirs");
  fs::create_directories(path);
  write_npy(path + "/embeddings.npy", numbered(4, 2, 0).view());
  folder.write("theirs/nodes.tsv",
               "row\tid\tkind\n0\tann\tuser\n1\tbob\tuser\n2\tx\titem\n3\ty\titem\n");
  const auto train = folder.write("train.tsv", "ann x\nbob y\nbob x\n");
  const auto model = load_model_directory(path, train, {}, pool);
  EXPECT_TRUE(model.graph.is_bipartite());
  EXPECT_EQ(model.graph.num_edges(), 3);
  EXPECT_TRUE(model.graph.has_edge(1, 3));
  EXPECT_EQ(load_model_directory(path, "", {}, pool).graph.num_edges(), 0);
  const auto unknown = folder.write("unknown.tsv", "ann z\n");
  EXPECT_TRUE(contains(
      error_of(ErrorKind::kData, [&] { load_model_directory(path, unknown, {}, pool); }), "'z'"));
  folder.write("theirs/nodes.tsv", "row\tid\tkind\n0\tann\tuser\n2\tx\titem\n");
  EXPECT_TRUE(
      contains(error_of(ErrorKind::kData, [&] { load_model_directory(path, "", {}, pool); }),
               "nodes.tsv:3:"));
}

}  // namespace
}  // namespace mcns
