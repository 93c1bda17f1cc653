// Files of earlier versions: tests/data/model-0.1 was written by version 0.1 and is never written
// again. What a later format cannot be read from is refused with what to do.
#include <cstring>

#include <zlib.h>

#include "mcns/io/checkpoint.h"
#include "mcns/io/graph_file.h"
#include "mcns/io/npy.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

class StoredModel : public testing::Test {
 protected:
  StoredModel() {
    fs::copy(std::string(kSourceFolder) + "/tests/data/model-0.1", folder_.path("stored"),
             fs::copy_options::recursive);
  }
  std::string path(const std::string& name) const { return folder_.path("stored/" + name); }

  ScratchFolder folder_;
};

TEST_F(StoredModel, AnswersAsItDid) {
  const auto items = run_for_json(folder_, "recommend " + path("lookup") + " --user u1 -k 2");
  EXPECT_EQ(items["results"][0]["id"], "i9");
  EXPECT_EQ(items["results"][1]["id"], "i0");
  EXPECT_NEAR(items["results"][0]["score"].get<double>(), 0.0165288, 1e-6);
  const auto nodes = run_for_json(folder_, "neighbors " + path("graphsage") + " --node u1 -k 2");
  EXPECT_EQ(nodes["results"][0]["id"], "u4");
  EXPECT_NEAR(nodes["results"][0]["score"].get<double>(), 0.977217, 1e-5);
  const auto test = folder_.write("test.tsv", "u1\ti9\nu2\ti7\n");
  const auto found =
      run_for_json(folder_, "evaluate " + path("lookup") + " --task recommend --test " + test);
  EXPECT_GT(found["test"]["mrr"].get<double>(), 0);
}

TEST_F(StoredModel, ItsWeightsEncode) {
  const auto out = folder_.path("e.npy");
  const auto done = run_mcns(folder_, "encode " + path("graphsage") + " --graph " +
                                          path("edges.tsv") + " --quiet --out " + out);
  ASSERT_EQ(done.code, 0) << done.err;
  const Matrix now = read_npy(out), then = read_npy(path("graphsage/embeddings.npy"));
  ASSERT_EQ(now.rows(), then.rows());
  for (std::int64_t i = 0; i < now.rows(); ++i)
    for (int k = 0; k < now.dim(); ++k) EXPECT_NEAR(now.row(i)[k], then.row(i)[k], 1e-5);
}

/// Its totals have one number less than today's, so that it cannot be continued; the model stays.
TEST_F(StoredModel, ItsCheckpointIsRefusedWithWhatToDo) {
  const std::string before = content_of(path("lookup/embeddings.npy"));
  expect_failure(folder_,
                 "train " + path("edges.tsv") +
                     " --bipartite separate --dim 3 --epochs 4 --checkpoint-every 2 --sampler rns "
                     "--similarity dot --threads 1 --quiet --resume --out " +
                     path("lookup"),
                 3, "--force starts anew");
  EXPECT_EQ(content_of(path("lookup/embeddings.npy")), before);
}

TEST_F(StoredModel, LaterFormatsAreRefusedWithWhatToDo) {
  std::string graph = content_of(path("lookup/graph.bin"));
  graph[12] = 2;
  std::ofstream(path("lookup/graph.bin"), std::ios::binary) << graph;
  expect_failure(folder_, "recommend " + path("lookup") + " --user u1", 3,
                 "version of mcns that wrote it");
  std::string state = content_of(path("graphsage/checkpoint/state.bin"));
  state[7] = '2';
  const std::size_t size = state.size() - sizeof(std::uint32_t);
  const auto sum =
      static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(state.data()), size));
  std::memcpy(state.data() + size, &sum, sizeof sum);
  std::ofstream(path("graphsage/checkpoint/state.bin"), std::ios::binary) << state;
  expect_failure(folder_,
                 "train " + path("edges.tsv") +
                     " --bipartite separate --model graphsage --dim 3 --epochs 2 "
                     "--checkpoint-every 1 --threads 1 --resume --out " +
                     path("graphsage"),
                 3, "version of mcns that began it");
}

}  // namespace
}  // namespace mcns
