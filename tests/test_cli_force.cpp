// What --force may not remove: files that the run reads, and a model whose replacement is refused.
#include <map>

#include "tests/run_binary.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

class Force : public testing::Test {
 protected:
  Force() {
    std::string edges;
    for (int u = 0; u < 20; ++u)
      for (const int i : {1, 2, 5}) edges += fmt::format("u{}\ti{}\n", u, u * i % 11);
    graph_ = folder_.write("g.tsv", edges);
    settings_ = " --bipartite separate --dim 4 --epochs 1 --checkpoint-every 1 --out " + model_;
    const auto done = run_mcns(folder_, "train " + graph_ + settings_ + " --quiet");
    EXPECT_EQ(done.code, 0) << done.err;
    before_ = files();
  }
  /// Content of all files of the model, by path.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(model_))
      if (entry.is_regular_file()) out[entry.path()] = content_of(entry.path());
    return out;
  }
  void refuse(const std::string& arguments, int code, const std::string& part) const {
    expect_failure(folder_, arguments + settings_ + " --force", code, part);
    EXPECT_EQ(files(), before_) << arguments;
  }

  const ScratchFolder folder_;
  const std::string model_ = folder_.path("model");
  std::string graph_, settings_;
  std::map<std::string, std::string> before_;
};

TEST_F(Force, FilesThatTheRunReadsAreNotRemoved) {
  const std::string link = folder_.path("link.bin");
  fs::create_symlink(model_ + "/graph.bin", link);
  for (const std::string& graph : {model_ + "/graph.bin", model_ + "/../model/graph.bin", link})
    refuse("train " + graph, 2, "--force would remove");
  refuse("train " + model_ + "/checkpoint/state.bin", 2, "--force would remove");
  const std::string train = "train " + graph_;
  refuse(train + " --valid " + model_ + "/nodes.tsv", 2, "nodes.tsv, which is read");
  refuse(train + " --config " + model_ + "/run.json", 2, "run.json, which is read");
  refuse(train + " --sampler file:" + model_ + "/nodes.tsv,missing=error", 2, "which is read");
  refuse(train + " --sampler 'mix:0.5*rns+0.5*file:" + model_ + "/nodes.tsv'", 2, "which is read");
  refuse(train + " --model graphsage --features " + model_ + "/embeddings.npy", 2, "which is read");
  const std::string run = "run --task recommend --train " + graph_ + " --tune 2";
  refuse(run + " --test " + model_ + "/nodes.tsv", 2, "which is read");
  refuse(run + " --init " + model_, 2, "which is read");
}

TEST_F(Force, TheOldModelStaysUntilTrainingBegins) {
  const std::string run = "run --task recommend --train " + graph_ + " --test " +
                          folder_.write("t.tsv", "u1\ti9\nu2\ti7\n");
  for (const std::string tune : {"", " --tune 2"}) {
    refuse(run + tune + " --memory 1M", 1, "MiB of memory");
    refuse(run + tune + " --sampler file:/nope", 4, "/nope");
    refuse(run + tune + " --init /nope", 4, "/nope");
    refuse(run + tune + " --tensorboard " + graph_, 4, "cannot make the folder");
  }
  refuse("train " + graph_ + " --tensorboard " + graph_, 4, "cannot make the folder");
  std::ofstream(model_ + "/tune") << "a file of the user";
  before_ = files();
  refuse(run + " --tune 2", 4, "is not a folder");
  fs::remove(model_ + "/tune");
  const auto done = run_mcns(folder_, run + " --tune 2 --force --quiet" + settings_);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(fs::exists(model_ + "/tune/tuned.toml"));
}

}  // namespace
}  // namespace mcns
