// Files that somebody crafted: sound in form and checksum, wrong in content. Each is refused with a
// message of ours, before anything is computed from it.
#include <cmath>
#include <cstring>
#include <limits>

#include <zlib.h>
#include <zstd.h>

#include "mcns/core/plain_text.h"
#include "mcns/io/checkpoint.h"
#include "mcns/io/graph_file.h"
#include "mcns/io/input.h"
#include "mcns/io/npy.h"
#include "mcns/io/npz.h"
#include "mcns/samplers/registry.h"

#include "tests/graph_support.h"
#include "tests/run_binary.h"
#include "tests/train_support.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Arrays as they are, sound or not, in a file with right checksums.
struct CraftedGraph {
  std::vector<EdgeId> offsets;
  std::vector<NodeId> neighbors;
  std::vector<float> weights;
  GraphKind kind = GraphKind::kUndirected;
  NodeId users = 0;
  std::vector<std::string> names;

  std::string save(const ScratchFolder& folder) const {
    std::vector<std::string> ids = names;
    for (std::size_t i = ids.size(); i + 1 < offsets.size(); ++i)
      ids.push_back(fmt::format("n{}", i));
    const Graph graph({offsets, neighbors, weights}, kind, users, nullptr);
    save_graph(folder.path("crafted.bin"), graph, Names(ids));
    return folder.path("crafted.bin");
  }
};

void expect_refused(const CraftedGraph& crafted, const std::string& part) {
  const ScratchFolder folder;
  const auto path = crafted.save(folder);
  const auto message = error_of(ErrorKind::kData, [&] { load_graph_file(path); });
  EXPECT_TRUE(contains(message, part)) << message;
  EXPECT_TRUE(contains(message, path)) << message;
}

TEST(CraftedGraphs, SoundOnesAreRead) {
  const ScratchFolder folder;
  // A path, an edge that is there twice, a loop.
  const CraftedGraph graph{{0, 1, 4, 6}, {1, 0, 2, 2, 1, 1}, {}};
  EXPECT_EQ(load_graph_file(graph.save(folder)).graph.num_arcs(), 6);
  const CraftedGraph loop{{0, 2, 3}, {0, 1, 0}, {1, 2, 2}};
  EXPECT_EQ(load_graph_file(loop.save(folder)).graph.num_arcs(), 3);
}

TEST(CraftedGraphs, ArcsThatNoGraphHasAreRefused) {
  expect_refused({{0, 2, 3, 4}, {2, 1, 0, 0}}, "neighbours of node 0 do not ascend");
  expect_refused({{0, 1, 1}, {1}}, "has one direction");
  expect_refused({{0, 1, 2, 3}, {1, 0, 0}}, "has one direction");
  expect_refused({{0, 1, 2}, {1, 0}, {1, 2}}, "has two weights");
}

TEST(CraftedGraphs, EdgesWithinASideAreRefused) {
  const auto kind = GraphKind::kBipartite;
  expect_refused({{0, 1, 2, 2}, {1, 0}, {}, kind, 2}, "does not join a user and an item");
  expect_refused({{0, 0, 1, 2}, {2, 1}, {}, kind, 1}, "does not join a user and an item");
  expect_refused({{0, 1, 2}, {1, 0}, {}, kind, 2}, "does not join a user and an item");
}

TEST(CraftedGraphs, WeightsMustBeFiniteAndNotNegative) {
  for (const float bad : {std::nanf(""), kInfinity, -1.0F})
    expect_refused({{0, 1, 2}, {1, 0}, {bad, bad}}, "expected a finite number >= 0");
  expect_refused({{0, 1, 2}, {1, 0}, {0, 0}}, "all edges weigh 0");
}

TEST(CraftedGraphs, WeightsThatAddUpToInfinityAreRefused) {
  ThreadPool pool(2);
  const EdgeList edges{{{0, 1}, {0, 1}, {1, 2}}, {3e38F, 3e38F, 1}};
  const auto message = error_of(ErrorKind::kData, [&] { build_graph(edges, 3, {}, pool); });
  EXPECT_TRUE(contains(message, "add up to more than")) << message;
}

const std::vector<std::string> kBadIds = {"a\x1b[31m",       "x\ny",           "\x7f",
                                          "tab\t",           "c1\xc2\x9b",     "sep\xe2\x80\xa8",
                                          "rtl\xe2\x80\xae", "iso\xe2\x81\xa6"};

TEST(CraftedIds, OneRule) {
  for (const std::string& id : kBadIds) EXPECT_NE(id_problem(id), "") << printable(id);
  for (const std::string id :
       {"", "a b", "é", "日本", "\xe2\x80\x8f", "latin1 \xe9", "\xff", "\xc2"})
    EXPECT_EQ(id_problem(id), "");
  EXPECT_EQ(printable("a\x1b[31m\xe9 é\n"), "a\\x1b[31m\\xe9 é\\x0a");
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");
}

TEST(CraftedIds, AreRefusedInEveryFormat) {
  for (const std::string& id : kBadIds)
    expect_refused({{0, 1, 2}, {1, 0}, {}, GraphKind::kUndirected, 0, {id}}, "the id '");
  const ScratchFolder folder;
  const auto refuse = [&](const std::string& path, const std::string& part) {
    const auto done = run_mcns(folder, "info " + path);
    EXPECT_EQ(done.code, 3) << done.err;
    EXPECT_TRUE(contains(done.err, part)) << done.err;
    EXPECT_FALSE(contains(done.err, "\x1b")) << "the message itself";
  };
  refuse(folder.write("a.json", R"({"reviewerID":"a\u001b[31m","asin":"x","overall":5})"
                                "\n"),
         "a\\x1b[31m");
  refuse(folder.write("b.json", R"({"reviewerID":"a","asin":"x\ny","overall":5})"
                                "\n"),
         "x\\x0ay");
  refuse(folder.write("c.tsv", "a\tb\nc\td\xe2\x80\xae\n"), "c.tsv:2");
}

TEST(CraftedRatings, AFirstLineOfOneColumnIsRefused) {
  const ScratchFolder folder;
  const auto done =
      run_mcns(folder, "info " + folder.write("r.dat", "5\n1::2::3::4\n1::3::3::4\n") +
                           " --format movielens");
  EXPECT_EQ(done.code, 3) << done.err;
  EXPECT_TRUE(contains(done.err, "expected at least two columns, got '5'")) << done.err;
}

TEST(CraftedIds, OtherEncodingsAreWrittenAsJson) {
  const ScratchFolder folder;
  std::string edges;
  for (int v = 0; v < 12; ++v) edges += fmt::format("u\xe9{}\ti\xff{}\n", v, v * 5 % 7);
  const auto path = folder.write("latin.tsv", edges);
  const auto done =
      run_mcns(folder, "data check --json --task recommend --train " + path + " --test " + path);
  EXPECT_EQ(done.code, 3) << "the leaks that it is to find";
  const auto found = nlohmann::json::parse(done.out);
  EXPECT_TRUE(contains(found.dump(), "ué"));
}

/// A small model of users and items, and copies of it to be damaged.
class CraftedModel : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<ScratchFolder>();
    std::string edges;
    for (int u = 0; u < 20; ++u)
      for (const int i : {1, 2, 5}) edges += fmt::format("u{}\ti{}\n", u, u * i % 11);
    const auto done = run_mcns(*folder_, "train " + folder_->write("g.tsv", edges) +
                                             " --bipartite separate --epochs 1 --dim 8 "
                                             "--quiet --out " +
                                             folder_->path("model"));
    ASSERT_EQ(done.code, 0) << done.err;
    rows_ = static_cast<int>(read_npy(folder_->path("model/embeddings.npy")).rows());
  }
  static void TearDownTestSuite() { folder_.reset(); }

  /// A copy of the model with another table.
  static std::string with_table(const std::string& name, int rows, int columns, float fill) {
    const auto path = folder_->path("damaged");
    fs::remove_all(path);
    fs::copy(folder_->path("model"), path, fs::copy_options::recursive);
    std::string header = fmt::format(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
    header.resize((10 + header.size()) / 64 * 64 + 64 - 11, ' ');
    header += '\n';
    std::string bytes = "\x93NUMPY\x01";
    bytes += '\0';
    bytes += static_cast<char>(header.size());
    bytes += '\0';
    bytes += header;
    for (int i = 0; i < rows * columns; ++i)
      bytes.append(reinterpret_cast<const char*>(&fill), sizeof fill);
    std::ofstream(path + "/" + name, std::ios::binary) << bytes;
    return path;
  }

  static std::unique_ptr<ScratchFolder> folder_;
  static int rows_;
};
std::unique_ptr<ScratchFolder> CraftedModel::folder_;
int CraftedModel::rows_ = 0;

TEST_F(CraftedModel, TablesThatDoNotFitAreRefused) {
  const auto refuse = [&](const std::string& path, const std::string& part) {
    for (const std::string command : {"recommend {} --user u1", "neighbors {} --node u1"})
      expect_failure(*folder_, fmt::format(fmt::runtime(command), path), 3, part);
  };
  EXPECT_EQ(
      run_mcns(*folder_, "recommend " + with_table("context.npy", rows_, 8, 1) + " --user u1").code,
      0);
  refuse(with_table("embeddings.npy", 0, 8, 0), "0 rows and 8 columns");
  refuse(with_table("embeddings.npy", rows_, 0, 0), "0 columns");
  refuse(with_table("embeddings.npy", rows_ - 1, 8, 1), "rows but the graph has");
  refuse(with_table("context.npy", rows_, 4, 1), "has 4 columns, embeddings.npy has 8");
  refuse(with_table("context.npy", 0, 8, 1), "0 rows");
  for (const float bad : {std::nanf(""), kInfinity})
    refuse(with_table("embeddings.npy", rows_, 8, bad), "NaN or infinite");
}

TEST_F(CraftedModel, VectorsThatAreNotFiniteAreNotEvaluated) {
  const auto test = folder_->write("test.tsv", "u1\ti9\nu2\ti7\n");
  const auto path = with_table("embeddings.npy", rows_, 8, std::nanf(""));
  expect_failure(*folder_, "evaluate " + path + " --task recommend --test " + test, 3,
                 "NaN or infinite");
}

TEST_F(CraftedModel, LinesOfNodesHoldNoControlCharacters) {
  const auto path = with_table("embeddings.npy", rows_, 8, 1);
  fs::remove(path + "/graph.bin");
  std::ofstream(path + "/nodes.tsv", std::ios::app) << rows_ << "\tx\x1b[2J\titem\n";
  expect_failure(*folder_, "export " + path + " --to tsv --out " + folder_->path("x.tsv"), 4,
                 "graph.bin");
  const auto test = folder_->write("test.tsv", "u1\ti9\n");
  expect_failure(*folder_, "evaluate " + path + " --task recommend --test " + test, 3, "x\\x1b[2J");
}

TEST_F(CraftedModel, AFullOrClosedStandardOutputIsFour) {
  const std::string recommend = "recommend " + folder_->path("model") + " --user u1";
  for (const std::string command : {recommend, recommend + " --json", std::string("list samplers"),
                                    std::string("help run"), std::string("--version")})
    for (const std::string target : {" > /dev/full", " >&-"}) {
      const auto done = run_mcns(*folder_, command + target);
      EXPECT_EQ(done.code, 4) << command << target << done.err;
      EXPECT_TRUE(contains(done.err, "cannot write to standard output")) << done.err;
    }
  // Nothing to write, nothing lost.
  EXPECT_EQ(run_mcns(*folder_, "export " + folder_->path("model") + " --quiet --to tsv --out " +
                                   folder_->path("v.tsv") + " >&-")
                .code,
            0);
}

TEST(CraftedFeatures, AnIndexBeyondReasonIsRefused) {
  const ScratchFolder folder;
  std::string edges, features;
  for (int v = 0; v < 10; ++v) edges += fmt::format("v{}\tv{}\n", v, (v + 1) % 10);
  const auto train = "train " + folder.write("h.tsv", edges) +
                     " --model graphsage --dim 8 --epochs 1 --out " + folder.path("m") +
                     " --features ";
  for (const std::string index : {"2147483647", "1000000000", "16777216", "-1", "99999999999"})
    expect_failure(folder, train + folder.write("f.tsv", "v1 0:1\nv2 " + index + ":1\n"), 3,
                   "f.tsv:2");
  Matrix table(10, 3);
  table.row(4)[1] = std::nanf("");
  write_npy(folder.path("f.npy"), table.view());
  expect_failure(folder, train + folder.path("f.npy"), 3, "NaN or infinite");
}

TEST(CraftedWeights, ThatAreNotFiniteAreNotEncodedWith) {
  const ScratchFolder folder;
  std::string edges;
  for (int v = 0; v < 10; ++v) edges += fmt::format("v{}\tv{}\n", v, (v + 1) % 10);
  const auto graph = folder.write("h.tsv", edges);
  const auto model = folder.path("m");
  ASSERT_EQ(run_mcns(folder, "train " + graph + " --model graphsage --dim 8 --epochs 1 --quiet " +
                                 "--out " + model)
                .code,
            0);
  const auto encode = "encode " + model + " --graph " + graph + " --quiet --out ";
  ASSERT_EQ(run_mcns(folder, encode + folder.path("a.npy")).code, 0);
  auto weights = read_npz(model + "/weights.npz");
  weights.back().values.row(0)[1] = std::nanf("");
  std::vector<NpzArray> arrays;
  for (const auto& [name, values] : weights) arrays.push_back({name, values.view()});
  write_npz(model + "/weights.npz", arrays);
  expect_failure(folder, encode + folder.path("b.npy"), 3, "NaN or infinite");
}

TEST(CraftedLists, AChangedListOfNegativesIsNotResumed) {
  const ScratchFolder folder;
  std::string edges, lists;
  for (int v = 0; v < 30; ++v) {
    edges += fmt::format("v{}\tv{}\n", v, (v + 1) % 30);
    lists += fmt::format("v{}\tv{}\n", v, (v + 7) % 30);
  }
  const auto list = folder.write("list.tsv", lists);
  for (const std::string sampler : {"file:" + list, "'mix:0.5*rns+0.5*file:" + list + "'"}) {
    folder.write("list.tsv", lists);
    const auto train = "train " + folder.write("g.tsv", edges) + " --positives edges --dim 4 " +
                       "--checkpoint-every 1 --sampler " + sampler + " --out " +
                       folder.path("model");
    ASSERT_EQ(run_mcns(folder, train + " --epochs 2 --quiet --force").code, 0);
    EXPECT_EQ(run_mcns(folder, train + " --epochs 3 --quiet --resume").code, 0);
    folder.write("list.tsv", lists + "v3\tv9\n");
    expect_failure(folder, train + " --epochs 4 --resume", 2, "has changed since the checkpoint");
  }
}

TEST(CraftedLists, AreReadInLinearTime) {
  const ScratchFolder folder;
  constexpr NodeId kNodes = 60'000;
  std::string lists;
  std::vector<std::string> names;
  EdgeList edges;
  for (NodeId v = 0; v < kNodes; ++v) {
    names.push_back(fmt::format("a long name of node {}", v));
    edges.pairs.push_back({v, (v + 1) % kNodes});
    lists += fmt::format("a long name of node {}\ta long name of node {}\n", v, kNodes - 1 - v);
  }
  ThreadPool pool(1);
  const Graph graph = build_graph(edges, kNodes, {}, pool);
  const Exclusion exclusion(graph, Filter::kTrain);
  const Names all(names);
  const auto start = std::chrono::steady_clock::now();
  make_sampler("file:" + folder.write("list.tsv", lists), {graph, exclusion, 4, 1, 1, pool, &all});
  // A scan of the names for each of 120,000 lookups takes much longer.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
}

TEST(CraftedCosts, AMatrixThatDeclaresTooMuchIsRefused) {
  const ScratchFolder folder;
  const std::string banner = "%%MatrixMarket matrix coordinate pattern general\n";
  for (const std::string size :
       {"2147483646 2147483646 1", "5 2147483646 1", "2147483646 5 99999999"})
    expect_failure(folder, "info " + folder.write("big.mtx", banner + size + "\n1 2\n"), 3,
                   "big.mtx:2");
  EXPECT_EQ(run_mcns(folder, "info " + folder.write("ok.mtx", banner + "900 900 1\n1 2\n")).code,
            0);
}

TEST(CraftedCosts, PackedFilesThatUnpackToFarTooMuchAreRefused) {
  const ScratchFolder folder;
  const std::string zeros(std::size_t{80} << 20, '\n');
  std::string packed(ZSTD_compressBound(zeros.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), zeros.data(), zeros.size(), 1));
  const auto zst = folder.write("bomb.tsv.zst", packed);
  EXPECT_TRUE(contains(error_of(ErrorKind::kData, [&] { Input input(zst); }), "unpacks to more"));
  const auto gz = folder.path("bomb.tsv.gz");
  gzFile out = gzopen(gz.c_str(), "wb9");
  gzwrite(out, zeros.data(), static_cast<unsigned>(zeros.size()));
  gzclose(out);
  EXPECT_TRUE(contains(error_of(ErrorKind::kData, [&] { Input input(gz); }), "unpacks to more"));
}

}  // namespace
}  // namespace mcns
