// Vectors out of a model and back in: every format, by the command line, by gensim where it is
// installed.
#include <filesystem>
#include <map>

#include "mcns/core/error.h"
#include "mcns/io/npy.h"
#include "mcns/io/vector_files.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

NamedVectors small_table() {
  NamedVectors out{{"a", "b c", "d"}, {}, Matrix(3, 2)};
  for (int i = 0; i < 3; ++i)
    for (int d = 0; d < 2; ++d)
      out.vectors.row(i)[d] = static_cast<float>(i) / 7 - static_cast<float>(d);
  return out;
}

void expect_same(const NamedVectors& a, const NamedVectors& b) {
  ASSERT_EQ(a.vectors.rows(), b.vectors.rows());
  ASSERT_EQ(a.vectors.dim(), b.vectors.dim());
  EXPECT_TRUE(std::ranges::equal(a.vectors.flat(), b.vectors.flat())) << "every bit";
}

TEST(VectorFiles, ComeBackAsTheyWere) {
  const ScratchFolder folder;
  const NamedVectors table = small_table();
  EXPECT_EQ(write_word2vec(folder.path("v.txt"), table), 1);
  EXPECT_EQ(write_word2vec_binary(folder.path("v.bin"), table), 1);
  write_vectors_tsv(folder.path("v.tsv"), table);
  write_vectors_npz(folder.path("v.npz"), table);
  EXPECT_TRUE(content_of(folder.path("v.txt")).starts_with("3 2\na 0 -1\nb_c "));
  for (const std::string name : {"v.txt", "v.bin", "v.tsv", "v.npz"}) {
    const NamedVectors back = read_vectors(folder.path(name));
    expect_same(back, table);
    const bool words = name == "v.txt" || name == "v.bin";
    EXPECT_EQ(back.ids[1], words ? "b_c" : "b c") << name;
  }
  NamedVectors equal = small_table();
  equal.ids = {"b c", "b_c", "d"};
  EXPECT_THROW(write_word2vec(folder.path("w.txt"), equal), Error);
  EXPECT_FALSE(std::filesystem::exists(folder.path("w.txt")));
}

TEST(VectorFiles, FaultsNameTheLine) {
  const ScratchFolder folder;
  const auto message = [&](const std::string& text) -> std::string {
    try {
      read_vectors(folder.write("v.txt", text));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(read_vectors(folder.write("glove.txt", "a 1 2\nb 3 4\n")).ids.size(), 2U);
  EXPECT_TRUE(contains(message("2 2\na 1 2\nb 3\n"), "v.txt:3: 1 numbers"));
  EXPECT_TRUE(contains(message("a 1 2\nb 3 x\n"), "v.txt:2: 'x' is not a number"));
  EXPECT_TRUE(contains(message("3 2\na 1 2\nb 3 4\n"), "2 vectors, expected 3"));
  EXPECT_THROW(read_vectors(folder.write("short.bin", "2 4\na 1234")), Error);
}

/// A small trained model of users and items whose ids are the same on both sides.
class Export : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new ScratchFolder;
    std::string text;
    for (int u = 0; u < 60; ++u)
      for (int i = 0; i < 6; ++i)
        text += fmt::format("{}\t{}\n", u, (u % 3) * 10 + (u * 7 + i * 3) % 10);
    train_ = folder_->write("train.tsv", text);
    model_ = folder_->path("model");
    const auto done = run_mcns(*folder_, "run --task recommend --train " + train_ +
                                             " --epochs 3 --dim 8 --quiet --out " + model_);
    ASSERT_EQ(done.code, 0) << done.err;
  }
  static void TearDownTestSuite() { delete folder_; }
  static Finished run(const std::string& arguments) { return run_mcns(*folder_, arguments); }
  static std::string exported(const std::string& to, const std::string& name,
                              const std::string& more = "") {
    const auto out = folder_->path(name);
    const auto done = run("export " + model_ + " --to " + to + " --out " + out + " " + more);
    EXPECT_EQ(done.code, 0) << done.err;
    return out;
  }

  static ScratchFolder* folder_;
  static std::string train_, model_;
};

ScratchFolder* Export::folder_ = nullptr;
std::string Export::train_, Export::model_;

TEST_F(Export, HasEveryVectorWithItsId) {
  const Matrix table = read_npy(model_ + "/embeddings.npy");
  const auto items = read_vectors(exported("tsv", "items.tsv", "--kind item"));
  EXPECT_EQ(items.ids.size(), 30U);
  EXPECT_EQ(items.ids[0], "0") << "ids as they were";
  EXPECT_TRUE(std::ranges::equal(items.vectors.view()[29], table.view()[89]));
  const auto done = run("export " + model_ + " --to word2vec --out " + folder_->path("all.txt"));
  EXPECT_TRUE(contains(done.err, "user:ID and item:ID")) << done.err;
  const auto all = read_vectors(folder_->path("all.txt"));
  EXPECT_EQ(all.ids[0], "user:0");
  EXPECT_EQ(all.ids[60], "item:0");
  EXPECT_TRUE(std::ranges::equal(all.vectors.flat(), table.flat()));
  const auto unit = read_vectors(exported("npz", "unit.npz", "--unit"));
  EXPECT_EQ(unit.kinds[60], "item");
  double squares = 0;
  for (const float x : unit.vectors.view()[5]) squares += double{x} * x;
  EXPECT_NEAR(squares, 1, 1e-6);
  expect_failure(*folder_, "export " + model_ + " --to word3vec --out x", 2, "word2vec");
  expect_failure(*folder_, "export " + model_ + " --to tsv --table context --out x", 2, "context");
}

/// What comes out of `export` scores as the model does.
TEST_F(Export, IsEvaluatedLikeTheModel) {
  const auto test = folder_->write("test.tsv", "0\t1\n1\t12\n2\t29\n5\t20\n");
  const std::string task = " --task recommend --test " + test + " --json";
  const auto edges = folder_->path("edges.tsv");
  ASSERT_EQ(run("data convert " + model_ + "/graph.bin " + edges).code, 0);
  const auto expected = run("evaluate " + model_ + task).out;
  ASSERT_FALSE(expected.empty());
  for (const auto& file :
       {exported("word2vec", "e.txt"), exported("word2vec-bin", "e.bin"), exported("npz", "e.npz"),
        model_ + "/embeddings.npy --nodes " + model_ + "/nodes.tsv"}) {
    const auto done = run("evaluate " + file + " --train " + edges + task);
    EXPECT_EQ(done.out, expected) << file << done.err;
  }
}

TEST_F(Export, OtherVectorsNeedNoNodesFile) {
  Matrix table(5, 2);
  for (int i = 0; i < 5; ++i) table.row(i)[i % 2] = 1;
  write_npy(folder_->path("theirs.npy"), table.view());
  const auto train = folder_->write("pairs.tsv", "0\t3\n1\t4\n2\t3\n");
  const auto test = folder_->write("held.tsv", "0\t4\n");
  const auto document =
      run_for_json(*folder_, "evaluate " + folder_->path("theirs.npy") +
                                 " --task recommend --train " + train + " --test " + test);
  EXPECT_EQ(document["test"]["mrr"], 1.0) << "row 0 is user 0; item 4 is all that is left";
  expect_failure(*folder_,
                 "evaluate " + folder_->path("theirs.npy") + " --task recommend --test " +
                     folder_->write("loop.tsv", "0\t1\n1\t0\n"),
                 3, "both a user and an item");
  const auto ids = folder_->write("ids.txt", "a\nb\nc\nd\n");
  expect_failure(*folder_,
                 "evaluate " + folder_->path("theirs.npy") + " --nodes " + ids +
                     " --task linkpred --test " + test,
                 3, "4 nodes, but there are 5 vectors");
}

TEST_F(Export, ScoresOfPairsAreThoseOfLists) {
  const auto one = run_for_json(*folder_, "recommend " + model_ + " --user 3 -k 2");
  const auto pairs = folder_->write(
      "pairs.tsv", fmt::format("3\t{}\n3\t{}\n", one["results"][1]["id"].get<std::string>(),
                               one["results"][0]["id"].get<std::string>()));
  const auto scored = run_for_json(*folder_, "score " + model_ + " " + pairs);
  EXPECT_EQ(scored["results"][0]["score"], one["results"][1]["score"]);
  EXPECT_EQ(scored["results"][1]["score"], one["results"][0]["score"]);
  const auto out = folder_->path("scores.tsv");
  EXPECT_EQ(run("score " + model_ + " " + pairs + " --out " + out).code, 0);
  EXPECT_TRUE(content_of(out).starts_with("user\titem\tscore\n3\t"));
  EXPECT_EQ(run("score " + model_ + " " + pairs).out, content_of(out));
  expect_failure(*folder_, "score " + model_ + " " + folder_->write("bad.tsv", "3\tnothing\n"), 3,
                 "'nothing'");
}

/// Pairs are read by the same flags as a graph, from a file or from standard input.
TEST_F(Export, PairsToScoreMayBeAnyTable) {
  const auto one = run_for_json(*folder_, "recommend " + model_ + " --user 3 -k 1");
  const std::string item = one["results"][0]["id"];
  const auto table =
      folder_->write("table.csv", fmt::format("when;what;who\n2024-01-01;{};3\n", item));
  const std::string flags = " --columns user=who,item=what";
  const auto scored = run_for_json(*folder_, "score " + model_ + " " + table + flags);
  EXPECT_EQ(scored["results"][0]["score"], one["results"][0]["score"]);
  EXPECT_TRUE(contains(run("score " + model_ + " " + table + flags).err, "user=who, item=what"));
  EXPECT_EQ(run("score " + model_ + " - " + flags + " <" + table).out,
            run("score " + model_ + " " + table + flags).out);
  const auto evaluated =
      run_for_json(*folder_, "evaluate " + model_ + " --task recommend --test " + table + flags);
  EXPECT_EQ(evaluated["test"]["mrr"], 1.0);
}

/// Python with gensim, from PATH or from the folder that MCNS_PYTHON names.
TEST_F(Export, IsReadByGensim) {
  const char* named = std::getenv("MCNS_PYTHON");
  const std::string python = named != nullptr ? named : "python3";
  if (std::system((python + " -c 'import gensim' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "gensim is not installed for " << python
                 << "; MCNS_PYTHON names a Python that has it";
  const auto text = exported("word2vec", "g.txt"), binary = exported("word2vec-bin", "g.bin");
  const auto script = folder_->write(
      "read.py",
      fmt::format("import sys, struct\nfrom gensim.models import KeyedVectors\n"
                  "a = KeyedVectors.load_word2vec_format('{}')\n"
                  "b = KeyedVectors.load_word2vec_format('{}', binary=True)\n"
                  "assert a.index_to_key == b.index_to_key and len(a) == 90, len(a)\n"
                  "assert (a.vectors == b.vectors).all() and a.vectors.shape == (90, 8)\n"
                  "raw = open('{}/embeddings.npy', 'rb').read()[-8 * 4:]\n"
                  "assert tuple(a['item:29']) == struct.unpack('<8f', raw)\n",
                  text, binary, model_));
  EXPECT_EQ(std::system((python + " " + script).c_str()), 0);
}

}  // namespace
}  // namespace mcns
