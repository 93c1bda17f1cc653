// The flags that say how a graph is read, on every command that reads one.
#include "mcns/io/load_options.h"
#include "mcns/model/encode.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

const std::vector<std::string> kReadGraphs = {"run",        "train",       "info",   "explain",
                                              "encode",     "evaluate",    "theory", "data split",
                                              "data check", "data convert"};

/// Words of a text without what the width of the terminal does to blanks.
std::string squeezed(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (!std::isspace(static_cast<unsigned char>(c))) out += c;
  return out;
}

TEST(LoadFlags, AreTheSameOnEveryCommandThatReadsAGraph) {
  const ScratchFolder folder;
  for (const auto& command : kReadGraphs) {
    const auto help = squeezed(run_mcns(folder, command + " --help").out);
    for_each_load_field([&](const char* name, auto, const char* text) {
      EXPECT_TRUE(contains(help, std::string("--") + name)) << command << " --" << name;
      EXPECT_TRUE(contains(help, squeezed(text))) << command << " --" << name;
    });
  }
}

TEST(LoadFlags, UnknownWordsAreTwoWithTheKnownOnes) {
  const ScratchFolder folder;
  const auto edges = folder.write("edges.tsv", "a b\nb c\nc d\nd a\n");
  const std::vector<std::string> commands = {
      "run --task linkpred --train " + edges,
      "train " + edges + " --out " + folder.path("out"),
      "info " + edges,
      "data convert " + edges + " " + folder.path("out.bin"),
      "data split " + edges + " --task linkpred --out " + folder.path("split"),
      "data check --task linkpred --train " + edges + " --test " + edges};
  for (const auto& command : commands) {
    expect_failure(folder, command + " --bipartite both", 2, "known: none, shared, separate");
    expect_failure(folder, command + " --duplicates drop", 2, "known: merge, keep, last");
    expect_failure(folder, command + " --self-loops merge", 2, "known: drop, keep");
    expect_failure(folder, command + " --format mtxx", 2, "did you mean 'mtx'");
  }
}

TEST(LoadFlags, RecommendOnOneSetOfNodesIsRefused) {
  const ScratchFolder folder;
  const auto edges = folder.write("edges.tsv", "a x\nb x\nb y\nc z\n");
  const std::string flags = " --task recommend --bipartite none";
  const std::string why = "--task recommend needs a user-item graph";
  expect_failure(folder, "run --train " + edges + flags, 2, why);
  expect_failure(folder, "run --data debian" + flags, 2, why);
  expect_failure(folder, "data split " + edges + " --out " + folder.path("s") + flags, 2, why);
  expect_failure(folder, "data check --train " + edges + " --test " + edges + flags, 2, why);
}

/// Users 0 to 19, three items each; 60 items in all.
std::string item_lists(int shift) {
  std::string text;
  for (int user = 0; user < 20; ++user)
    text += fmt::format("{} {} {} {}\n", user, (user + shift) % 60, (3 * user + shift) % 60,
                        (user * user + 7 + shift) % 60);
  return text;
}

TEST(LoadFlags, FormatWorksOnRunAndTrain) {
  const ScratchFolder folder;
  const auto train = folder.write("train.txt", item_lists(0)),
             test = folder.write("test.txt", item_lists(29));
  const std::string quick = " --format lightgcn --epochs 1 --dim 4 --quiet --out ";
  const auto expect_lists = [&](const std::string& command, const std::string& name) {
    const auto done = run_mcns(folder, command + quick + folder.path(name));
    ASSERT_EQ(done.code, 0) << done.err;
    const auto run = nlohmann::json::parse(content_of(folder.path(name + "/run.json")));
    EXPECT_EQ(run["settings"]["format"]["value"], "lightgcn");
    EXPECT_EQ(run["settings"]["bipartite"]["value"], "separate");
    EXPECT_GT(run["edges"], 50) << "every item of a line is an edge";
    EXPECT_TRUE(contains(content_of(folder.path(name + "/nodes.tsv")), "\tuser\n"));
  };
  expect_lists("train " + train, "trained");
  expect_lists("run --task recommend --train " + train + " --test " + test + " --valid-share 0",
               "run");
}

TEST(LoadFlags, EncodeReadsAsInTrainingUnlessToldOtherwise) {
  const ScratchFolder folder;
  std::string text = "0\t0\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{}\t{}\n", i, (i * 7 + 3) % 40);
  const auto edges = folder.write("edges.tsv", text);
  const std::string train = "train " + edges + " --encoder gcn --epochs 1 --dim 8 --quiet --out ";
  const auto plain = folder.path("plain"), other = folder.path("other");
  ASSERT_EQ(run_mcns(folder, train + plain).code, 0);
  ASSERT_EQ(run_mcns(folder, train + other + " --directed --self-loops keep").code, 0);
  ThreadPool pool(1);
  const auto read = [&](const std::string& model, const LoadOptions& load) {
    return encode({model, edges, "", load}, pool).data.graph;
  };
  EXPECT_FALSE(read(plain, {}).is_directed());
  EXPECT_TRUE(read(plain, {.directed = true}).is_directed());
  EXPECT_TRUE(read(other, {}).is_directed());
  EXPECT_FALSE(read(other, {.directed = false}).is_directed());
  EXPECT_EQ(read(other, {}).num_edges(), 41);
  EXPECT_EQ(read(other, {.self_loops = "drop"}).num_edges(), 40);

  const auto out = folder.path("out.npy");
  const auto encoded = [&](const std::string& model, const std::string& flags) {
    const auto done =
        run_mcns(folder, "encode " + model + " --graph " + edges + " --out " + out + flags);
    EXPECT_EQ(done.code, 0) << done.err;
    return content_of(out);
  };
  EXPECT_EQ(encoded(plain, " --directed").size(), encoded(plain, "").size());
  EXPECT_NE(encoded(plain, " --self-loops keep"), encoded(plain, "")) << "vectors follow the graph";
  EXPECT_EQ(encoded(plain, " --self-loops drop"), encoded(plain, ""));
  expect_failure(
      folder, "encode " + plain + " --graph " + edges + " --out " + out + " --bipartite separate",
      2, "user-item");
  expect_failure(folder,
                 "encode " + plain + " --graph " + edges + " --out " + out +
                     " --bipartite separate --directed",
                 2, "no direction");
}

TEST(LoadFlags, EncodeTakesTheFormatOfTrainingForFilesNamedLikeIt) {
  const ScratchFolder folder;
  const auto train = folder.write("train.txt", item_lists(0)),
             table = folder.write("more.tsv", "0\t0\t2.5\n90\t1\t1\n");
  const auto model = folder.path("model");
  ASSERT_EQ(run_mcns(folder, "train " + train +
                                 " --format lightgcn --encoder lightgcn --epochs 1 "
                                 "--dim 4 --quiet --out " +
                                 model)
                .code,
            0);
  const auto encode = [&](const std::string& graph) {
    return run_for_json(
        folder, "encode " + model + " --graph " + graph + " --out " + folder.path("out.npy"));
  };
  EXPECT_EQ(encode(train)["unseen_in_training"], 0);
  EXPECT_EQ(encode(table)["nodes"], 4) << "users 0 and 90, items 0 and 1";
  EXPECT_EQ(encode(table)["unseen_in_training"], 1);
}

}  // namespace
}  // namespace mcns
