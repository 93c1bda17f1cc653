// Exit codes, messages and help of the command line.
#include "mcns/samplers/negative_sampler.h"
#include "mcns/samplers/registry.h"
#include "mcns/system/version.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

const std::vector<std::string> kCommands = {
    "run",       "train",    "encode",       "evaluate",      "recommend",  "neighbors",  "list",
    "data list", "data get", "data convert", "data generate", "data split", "data check", "info",
    "doctor",    "theory",   "explain",      "score",         "export",     "completion"};

TEST(Usage, HelpOfEveryCommandHasExamples) {
  const ScratchFolder folder;
  EXPECT_EQ(run_mcns(folder, "--help").code, 0);
  for (const auto& command : kCommands) {
    const auto done = run_mcns(folder, command + " --help");
    EXPECT_EQ(done.code, 0) << command;
    EXPECT_EQ(done.err, "") << command;
    EXPECT_TRUE(contains(done.out, "Examples:")) << command;
    EXPECT_TRUE(contains(done.out, "mcns " + command.substr(0, command.find(' ')))) << command;
    for (const char* flag : {"--json", "--quiet", "--seed", "--threads", "--config"})
      EXPECT_TRUE(contains(done.out, flag)) << command << " lacks " << flag;
  }
}

TEST(Usage, HelpListsOptionsInGroupsTheCommonOnesLast) {
  const ScratchFolder folder;
  for (const std::string command : {"run", "train", "explain", "info"}) {
    const auto help = run_mcns(folder, command + " --help").out;
    std::size_t last = 0;
    for (const std::string group : {"Data", "Model", "Sampler", "Training", "Output", "Common"}) {
      if (command == "info" && group == "Output") continue;
      const auto at = help.find("\n" + group + ":\n");
      ASSERT_NE(at, std::string::npos) << command << " " << group;
      EXPECT_GT(at, last) << command << " " << group;
      last = at;
    }
    EXPECT_GT(help.find("--json"), last) << command;
    EXPECT_LT(help.find("--bipartite"), help.find("\nModel:\n")) << command;
    EXPECT_FALSE(contains(help, "\nOptions:\n")) << command;
  }
  for (const std::string command : {"run", "train"})
    EXPECT_TRUE(contains(run_mcns(folder, command + " --help").out, "--plan shows them"));
}

TEST(Usage, HelpIsACommandToo) {
  const ScratchFolder folder;
  for (const std::string command : {"", "train", "data get"}) {
    const auto flag = run_mcns(folder, command + " --help");
    const auto word = run_mcns(folder, "help " + command);
    EXPECT_EQ(word.code, 0) << word.err;
    EXPECT_FALSE(word.out.empty());
    EXPECT_EQ(word.out, flag.out);
  }
  expect_failure(folder, "help trian", 2, "did you mean 'train'");
}

TEST(Usage, VersionIsOneLine) {
  const ScratchFolder folder;
  const auto done = run_mcns(folder, "--version");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "mcns " + version() + "\n");
}

TEST(Usage, WrongUsageIsTwo) {
  const ScratchFolder folder;
  const auto edges = folder.write("edges.tsv", "a b\nb c\nc d\nd a\n");
  expect_failure(folder, "", 2, "--help");
  expect_failure(folder, "trian", 2, "did you mean 'train'");
  expect_failure(folder, "data nonsense", 2, "'nonsense'");
  expect_failure(folder, "run", 2, "--task");
  expect_failure(folder, "train " + edges, 2, "--out");
  expect_failure(folder, "train", 2, "graph");
  expect_failure(folder, "run --task nonsense --train " + edges, 2,
                 "recommend, linkpred, classify");
  const auto train = "train " + edges + " --out " + folder.path("out") + " ";
  expect_failure(folder, train + "--nonsense", 2, "--nonsense");
  expect_failure(folder, train + "--sampler rnss", 2, "did you mean 'rns'");
  expect_failure(folder, train + "--sampler degree:powr=1", 2, "did you mean 'power'");
  expect_failure(folder, train + "--loss bprr", 2, "known: bpr, hinge, logistic, softmax");
  expect_failure(folder, train + "--optimizer adan", 2, "known: sgd, adagrad, adam");
  expect_failure(folder, train + "--positives edge", 2, "did you mean 'edges'");
  expect_failure(folder, train + "--model line2", 2, "did you mean 'line'");
  expect_failure(folder, train + "--encoder nonsense", 2, "lookup");
  expect_failure(folder, train + "--dim 0", 2, "--dim must be an integer in [1, 65536], got '0'");
  expect_failure(folder, train + "--dim many", 2, "--dim");
  expect_failure(folder, train + "--lr nan", 2, "--lr");
  expect_failure(folder, train + "--threads -1", 2, "--threads");
  expect_failure(folder, train + "--threads 99999", 2, "--threads");
  expect_failure(folder, train + "--bipartite both", 2, "--bipartite");
  expect_failure(folder, train + "--directed --bipartite shared", 2, "--directed");
  expect_failure(folder, train + "--config " + folder.write("bad.toml", "nonsense = 3\n"), 2,
                 "nonsense");
  expect_failure(folder, "list nonsense", 2, "samplers");
  EXPECT_FALSE(std::filesystem::exists(folder.path("out"))) << "nothing is left behind";
}

TEST(Usage, UnknownSamplersNameTheKnownOnes) {
  const ScratchFolder folder;
  const auto edges = folder.write("edges.tsv", "a b\nb c\nc d\nd a\n");
  const auto done =
      run_mcns(folder, "run --quiet --task linkpred --sampler zzzzzzz --train " + edges);
  EXPECT_EQ(done.code, 2);
  for (const auto& sampler : builtin_samplers()) EXPECT_TRUE(contains(done.err, sampler.name));
}

TEST(Usage, BadDataIsThreeWithFileAndLine) {
  const ScratchFolder folder;
  const std::string out = " --out " + folder.path("out");
  const auto bad = [&](const std::string& name, const std::string& text, const std::string& line) {
    const auto path = folder.write(name, text);
    expect_failure(folder, "train " + path + out, 3, path + line);
    EXPECT_FALSE(std::filesystem::exists(folder.path("out"))) << name;
  };
  bad("empty.tsv", "", "");
  bad("comments.tsv", "# nothing\n", "");
  bad("one.tsv", "a b\nc\n", ":2:");
  bad("text.tsv", "a b 1\nc d x\n", ":2:");
  bad("nan.tsv", "a b 1\nc d nan\n", ":2:");
  bad("negative.tsv", "a b 1\nc d 2\ne f -1\n", ":3:");
  bad("binary.tsv",
      std::string("\x7f"
                  "ELF\0\1\2\0\xff\xfe\n",
                  11),
      "");
  const auto labels = folder.write("labels.tsv", "a\n");
  const auto edges = folder.write("edges.tsv", "a b\nb c\nc d\nd a\na e\nb e\n");
  expect_failure(folder, "run --task classify --train " + edges + " --labels " + labels + out, 3,
                 labels + ":1:");
  const auto pairs = folder.write("pairs.tsv", "a b 1\nb c yes\n");
  expect_failure(folder, "run --task linkpred --train " + edges + " --test " + pairs + out, 3,
                 pairs + ":2:");
  EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
}

TEST(Usage, MissingFilesAndUnwritableFoldersAreFour) {
  const ScratchFolder folder;
  const auto edges = folder.write("edges.tsv", "a b\nb c\nc d\nd a\na e\n");
  const std::string quick = " --epochs 1 --dim 4 ";
  expect_failure(folder, "train " + folder.path("none.tsv") + " --out " + folder.path("out"), 4,
                 "none.tsv");
  expect_failure(folder, "train " + folder.path("") + " --out " + folder.path("out"), 4, "");
  expect_failure(folder, "train " + edges + quick + "--out " + edges, 4, "not a folder");
  expect_failure(folder, "train " + edges + quick + "--out " + edges + "/below", 4, "below");
  expect_failure(folder, "train " + edges + quick + "--out /proc/mcns", 4, "/proc/mcns");
  expect_failure(
      folder,
      "train " + edges + quick + "--out " + folder.path("o") + " --init " + folder.path("none"), 4,
      "none");
  expect_failure(folder, "evaluate " + folder.path("none") + " --task linkpred --test " + edges, 4,
                 "none");
  expect_failure(folder, "recommend " + folder.path("none") + " --user a", 4, "none");
  expect_failure(folder, "info " + folder.path("none.tsv"), 4, "none.tsv");
  expect_failure(folder, "info " + edges + " --config " + folder.path("none.toml"), 4, "none.toml");
}

/// A limit on the size of files stands for a full disk: writes fail half-way.
TEST(Usage, AFullDiskIsFourAndLeavesNothingHalfWritten) {
  const ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 400; ++i) text += fmt::format("{} {}\n", i, (i * 7 + 1) % 400);
  const auto edges = folder.write("edges.tsv", text);
  const auto out = folder.path("out");
  const std::string limit = "trap '' XFSZ; ulimit -f 64;";  // 32 KiB
  expect_failure(folder, "train " + edges + " --epochs 1 --dim 64 --out " + out, 4,
                 "embeddings.npy", limit);
  expect_failure(
      folder, "train " + edges + " --epochs 2 --dim 64 --checkpoint-every 1 --force --out " + out,
      4, "state.bin", limit);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(out)) {
    const auto name = entry.path().filename().string();
    EXPECT_FALSE(name.ends_with(".tmp") || name == "embeddings.npy" || name == "metrics.json")
        << name;
  }
  // The same command on a disk with space works in spite of the partial files.
  EXPECT_EQ(
      run_mcns(folder, "train " + edges + " --epochs 1 --dim 64 --force --quiet --out " + out).code,
      0);
}

TEST(Usage, AnExistingOutIsRefused) {
  const ScratchFolder folder;
  const auto edges = folder.write("edges.tsv", "a b\nb c\nc d\nd a\na e\n");
  const auto train = "train " + edges + " --epochs 1 --dim 4 --out " + folder.path("out");
  EXPECT_EQ(run_mcns(folder, train + " --quiet").code, 0);
  const auto before = content_of(folder.path("out/embeddings.npy"));
  expect_failure(folder, train + " --seed 2", 2, "--force");
  EXPECT_EQ(content_of(folder.path("out/embeddings.npy")), before);
  EXPECT_EQ(run_mcns(folder, train + " --quiet --seed 2 --force").code, 0);
  EXPECT_NE(content_of(folder.path("out/embeddings.npy")), before);
}

TEST(Usage, SaturatedAndDivergingRuns) {
  const ScratchFolder folder;
  const auto edges = folder.write("star.tsv", "hub a\nhub b\nhub c\na b\n");
  const auto train = "train " + edges + " --dim 4 --negatives 1 --positives edges --out ";
  expect_failure(folder, train + folder.path("a"), 3, "'hub'");
  EXPECT_EQ(
      run_mcns(folder, train + folder.path("b") + " --saturated skip --quiet --epochs 2").code, 0);
  expect_failure(
      folder,
      train + folder.path("c") + " --filter none --optimizer sgd --lr 1e6 --l2 1 --epochs 99", 1,
      "not finite");
}

TEST(Usage, OptionsFromAConfigFile) {
  const ScratchFolder folder;
  const auto edges = folder.write("edges.tsv", "a b\nb c\nc d\nd a\na e\n");
  const auto config = folder.write("mcns.toml",
                                   "# shared\ndim = 6\nepochs = 2\nseed = 9\nquiet = true\n\n"
                                   "[train]\nsampler = \"degree:power=0.5\"\n\n[run]\nlr = 7\n");
  const auto train = "train " + edges + " --epochs 1 --config " + config + " --out ";
  const auto done = run_mcns(folder, train + folder.path("out") + " --json");
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.err, "") << "quiet";
  const auto metrics = nlohmann::json::parse(done.out);
  EXPECT_EQ(metrics["dim"], 6);
  EXPECT_EQ(metrics["seed"], 9);
  EXPECT_EQ(metrics["sampler"], "degree:power=0.5");
  EXPECT_EQ(metrics["epochs"], 1) << "the command line replaces the file";
  const auto run = nlohmann::json::parse(content_of(folder.path("out/run.json")));
  EXPECT_LT(run["settings"]["lr"]["value"], 1) << "another command's section";
}

TEST(Usage, ConfigFilesThatAreFoldersOrHaveUnknownSectionsAreRefused) {
  const ScratchFolder folder;
  const auto edges = folder.write("g.tsv", "a b\nb c\nc d\nd a\na e\n");
  const auto train =
      "train " + edges + " --epochs 1 --dim 4 --out " + folder.path("m") + " --config ";
  std::filesystem::create_directory(folder.path("folder"));
  expect_failure(folder, train + folder.path("folder"), 4, "it is a folder");
  expect_failure(folder, train + folder.path("nothing.toml"), 4, "cannot read the options");
  expect_failure(folder, train + folder.write("a.toml", "[trian]\ndim = 6\n"), 2,
                 "unknown section 'trian'; did you mean 'train'?");
  std::string deep = "a";
  for (int i = 0; i < 20'000; ++i) deep += ".a";
  expect_failure(folder, train + folder.write("b.toml", "dim = 4\n" + deep + " = 1\n"), 3,
                 "b.toml:2");
  expect_failure(folder, train + folder.write("c.toml", "[" + deep + "]\nb = 1\n"), 3, "c.toml:1");
  EXPECT_EQ(
      run_mcns(folder, "train " + edges + " --quiet --out " + folder.path("m") + " --config " +
                           folder.write("d.toml",
                                        "[train]\ndim = 4\nepochs = 1\n"
                                        "[data.split]\nseed = 3\n"))
          .code,
      0);
}

}  // namespace
}  // namespace mcns
