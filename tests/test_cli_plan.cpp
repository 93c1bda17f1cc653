// --plan and run.json through the command line: every setting with its origin, nothing written, and
// a run that its run.json repeats byte for byte.
#include <set>

#include "tests/graph_support.h"
#include "tests/run_binary.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Random links inside two groups: of 40 users with 60 items, and of 60 nodes with labels.
struct Inputs {
  explicit Inputs(const ScratchFolder& folder) {
    Rng rng(7, Domain::kTest);
    std::string lines, edge_lines, label_lines;
    for (int i = 0; i < 500; ++i) {
      const auto group = rng.below(2);
      lines += fmt::format("u{}\ti{}\n", group * 20 + rng.below(20), group * 30 + rng.below(30));
      edge_lines += fmt::format("{}\t{}\n", group * 30 + rng.below(30), group * 30 + rng.below(30));
    }
    for (int v = 0; v < 60; ++v) label_lines += fmt::format("{}\t{}\n", v, v / 30);
    ratings = folder.write("ratings.tsv", lines);
    edges = folder.write("edges.tsv", edge_lines);
    labels = folder.write("labels.tsv", label_lines);
  }
  std::string ratings, edges, labels;
};

constexpr const char* kQuick = " --quiet --dim 8 --epochs 2 ";

void expect_setting(const json& plan, const std::string& name, const json& value,
                    const std::string& from) {
  ASSERT_TRUE(plan["settings"].contains(name)) << name;
  EXPECT_EQ(plan["settings"][name]["value"], value) << name;
  EXPECT_EQ(plan["settings"][name]["from"], from) << name;
}

TEST(Plan, HasEverySettingWithItsOriginTheMemoryAndTheData) {
  const ScratchFolder folder;
  const Inputs in(folder);
  const auto plan = run_for_json(folder, "run --task recommend --plan --sampler dns:candidates=8 " +
                                             ("--lr 0.25 --train " + in.ratings));
  expect_setting(plan, "task", "recommend", "given");
  expect_setting(plan, "train", in.ratings, "given");
  expect_setting(plan, "sampler", "dns", "given");
  expect_setting(plan, "sampler.candidates", 8, "given");
  expect_setting(plan, "lr", 0.25, "given");
  expect_setting(plan, "loss", "bpr", "default");
  expect_setting(plan, "negatives", 3, "default");  // of a hard sampler
  expect_setting(plan, "seed", 1, "default");
  expect_setting(plan, "bipartite", "separate", "default");
  expect_setting(plan, "directed", false, "default");
  expect_setting(plan, "parts", 11, "default");
  ASSERT_TRUE(plan["memory"].is_number_unsigned());
  std::uint64_t sum = 0;
  for (const auto& part : plan["memory_parts"]) sum += part.get<std::uint64_t>();
  EXPECT_EQ(plan["memory"], sum);
  EXPECT_EQ(plan["data"]["users"], 40);
  EXPECT_EQ(plan["data"]["items"], 60);
  EXPECT_GT(plan["data"]["test"], 0);
  EXPECT_EQ(plan["data"]["read"], 500);
}

TEST(Plan, TellsAPresetAndAConfigFile) {
  const ScratchFolder folder;
  const Inputs in(folder);
  const auto config = folder.write(
      "c.toml", "l2 = 0.5\nseed = 9\nduplicates = \"keep\"\n[run]\nsampler = \"degree:power=1\"\n");
  const auto plan = run_for_json(folder, "run --task linkpred --plan --model gcn --preset paper " +
                                             ("--config " + config + " --train " + in.edges));
  expect_setting(plan, "encoder", "gcn", "preset");
  expect_setting(plan, "loss", "hinge", "preset");
  expect_setting(plan, "encoder.length", 0.0, "preset");
  expect_setting(plan, "l2", 0.5, "config");
  expect_setting(plan, "seed", 9, "config");
  expect_setting(plan, "duplicates", "keep", "config");
  expect_setting(plan, "sampler", "degree", "config");
  expect_setting(plan, "sampler.power", 1.0, "config");
  expect_setting(plan, "model", "gcn", "given");
  expect_setting(plan, "valid-share", 0.02, "default");
}

TEST(Plan, OfTrainIsWhatTheRunThenSaves) {
  const ScratchFolder folder;
  const Inputs in(folder);
  const auto command = "train " + in.edges + " --sampler dns --out " + folder.path("out") + kQuick;
  const auto plan = run_for_json(folder, command + "--plan");
  EXPECT_FALSE(plan["settings"].contains("task"));
  expect_setting(plan, "graph", in.edges, "given");
  EXPECT_EQ(plan["data"]["nodes"], 60);
  ASSERT_EQ(run_mcns(folder, command).code, 0);
  EXPECT_EQ(json::parse(content_of(folder.path("out/run.json")))["settings"], plan["settings"]);
}

TEST(Plan, OfExplainIsThatOfTheRun) {
  const ScratchFolder folder;
  const Inputs in(folder);
  const auto flags = " --task linkpred --plan --train " + in.edges;
  const auto plan = run_for_json(folder, "explain 3" + flags);
  EXPECT_EQ(plan["settings"], run_for_json(folder, "run" + flags)["settings"]);
}

TEST(Plan, WritesNothing) {
  const ScratchFolder folder;
  const Inputs in(folder);
  const auto out = folder.path("out");
  const auto command = "run --task linkpred --plan --train " + in.edges + " --out ";
  const auto done = run_mcns(folder, command + out);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(contains(done.out, "setting") && contains(done.out, "memory: ")) << done.out;
  EXPECT_FALSE(fs::exists(out));
  fs::create_directory(out);
  EXPECT_EQ(run_mcns(folder, command + out).code, 0);
  EXPECT_TRUE(fs::is_empty(out));
  EXPECT_EQ(run_mcns(folder, "train " + in.edges + " --plan").code, 0) << "needs no --out";
}

/// Runs `command`, then again by its run.json with another number of threads.
void expect_repeats(const ScratchFolder& folder, const std::string& command,
                    const std::string& extra = "") {
  SCOPED_TRACE(command);
  static int count = 0;
  const auto first = folder.path(fmt::format("first{}", ++count)), again = first + "-again";
  const auto done = run_mcns(folder, command + kQuick + "--threads 1 --out " + first);
  ASSERT_EQ(done.code, 0) << done.err;
  const auto verb = command.substr(0, command.find(' '));
  const auto repeated = run_mcns(
      folder, verb + " --quiet --threads 2 --config " + first + "/run.json --out " + again + extra);
  ASSERT_EQ(repeated.code, 0) << repeated.err;
  for (const char* file : {"/embeddings.npy", "/context.npy", "/weights.npz"}) {
    ASSERT_EQ(fs::exists(first + file), fs::exists(again + file)) << file;
    EXPECT_EQ(content_of(first + file), content_of(again + file)) << file;
  }
  EXPECT_FALSE(content_of(first + "/embeddings.npy").empty());
  const auto before = json::parse(content_of(first + "/run.json"))["settings"],
             after = json::parse(content_of(again + "/run.json"))["settings"];
  for (const auto& [name, setting] : after.items())
    EXPECT_EQ(setting["value"], before[name]["value"]) << name;
}

TEST(RunJson, RepeatsARunByteForByte) {
  const ScratchFolder folder;
  const Inputs in(folder);
  std::string list;
  for (int u = 0; u < 40; ++u) list += fmt::format("u{}\ti{}\ti{}\n", u, (u + 45) % 60, u);
  const auto negatives = folder.write("a=b,c.tsv", list);
  const auto recommend = "run --task recommend --train " + in.ratings;
  const auto linkpred = "run --task linkpred --train " + in.edges;
  expect_repeats(folder, recommend + " --sampler dns:candidates=7 --l2 1e-5 --init-scale 0.3");
  expect_repeats(folder, recommend + " --filter none --sampler 'file:" + negatives + "'");
  expect_repeats(folder, recommend + " --sampler 'mix:0.25*degree:power=1+0.75*dns:candidates=3'");
  expect_repeats(folder, linkpred + " --positives walks:length=9,window=3 --tables 2 --seed 5");
  expect_repeats(folder, linkpred + " --directed --self-loops keep --duplicates keep");
  expect_repeats(folder, linkpred + " --encoder gcn:layers=2,fanout=4 --positives edges");
  expect_repeats(folder, linkpred + " --model graphsage --preset paper --positives edges");
  expect_repeats(folder, "run --task classify --train " + in.edges + " --labels " + in.labels);
  fs::create_directory(folder.path("set"));
  fs::copy(in.ratings, folder.path("set/ratings.tsv"));
  expect_repeats(folder, "run --task recommend --data " + folder.path("set"));
  expect_repeats(folder,
                 "train " + in.edges + " --sampler degree:power=0.3 --loss softmax --log-q on");
  expect_repeats(folder, "train " + in.ratings + " --bipartite separate");
}

TEST(RunJson, KeepsSeedsOfSixtyFourBits) {
  const ScratchFolder folder;
  const Inputs in(folder);
  expect_repeats(folder,
                 "train " + in.edges + " --sampler mcns:form=paper --seed 18446744073709551615");
}

TEST(RunJson, RepeatsARunOfAGraphFile) {
  const ScratchFolder folder;
  const Inputs in(folder);
  const auto graph = folder.path("graph.bin");
  ASSERT_EQ(run_mcns(folder, "data convert " + in.edges + " " + graph + " --directed").code, 0);
  expect_repeats(folder, "train " + graph);
}

TEST(RunJson, IsReplacedByTheCommandLine) {
  const ScratchFolder folder;
  const Inputs in(folder);
  ASSERT_EQ(run_mcns(folder, "train " + in.edges + " --sampler dns:candidates=7 --out " +
                                 folder.path("a") + kQuick)
                .code,
            0);
  const auto config = " --plan --config " + folder.path("a/run.json");
  const auto plan = run_for_json(folder, "train --dim 5 --sampler=degree --seed 3" + config);
  expect_setting(plan, "dim", 5, "given");
  expect_setting(plan, "sampler", "degree", "given");
  expect_setting(plan, "sampler.power", 0.75, "default");
  expect_setting(plan, "seed", 3, "given");
  expect_setting(plan, "epochs", 2, "config");
  expect_setting(plan, "graph", in.edges, "config");
  const auto other = folder.write("other.tsv", "a b\nb c\nc d\nd a\na e\n");
  for (const auto& line : {"train " + other + config, "train --dim 5 " + other + config,
                           "train" + config + " " + other}) {
    const auto changed = run_for_json(folder, line);
    expect_setting(changed, "graph", other, "given");
    EXPECT_EQ(changed["data"]["nodes"], 5);
  }
}

TEST(Config, NamesTheGraphOfACommandThatHasAFlagForIt) {
  const ScratchFolder folder;
  const Inputs in(folder);
  const auto model = folder.path("model"), vectors = folder.path("vectors.npy");
  ASSERT_EQ(run_mcns(folder, "train " + in.edges + " --encoder gcn --out " + model + kQuick).code,
            0);
  const auto config = folder.write("c.toml", "graph = \"" + in.edges + "\"\n");
  const auto done =
      run_mcns(folder, "encode " + model + " --config " + config + " --out " + vectors);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(fs::exists(vectors));
}

TEST(RunJson, FilesAndADatasetReplaceEachOther) {
  const ScratchFolder folder;
  const Inputs in(folder);
  const auto out = folder.path("a");
  ASSERT_EQ(
      run_mcns(folder, "run --task linkpred --train " + in.edges + " --out " + out + kQuick).code,
      0);
  const auto config = " --plan --config " + out + "/run.json";
  const auto plan = run_for_json(folder, "run --data debian" + config);
  expect_setting(plan, "data", "debian", "given");
  EXPECT_FALSE(plan["settings"].contains("train"));
  expect_failure(folder, "train" + config, 2, "mcns run");
}

TEST(RunJson, DamagedSettingsAreThreeWithTheFile) {
  const ScratchFolder folder;
  const Inputs in(folder);
  const auto out = folder.path("a");
  ASSERT_EQ(
      run_mcns(folder, "run --task linkpred --train " + in.edges + " --out " + out + kQuick).code,
      0);
  const auto whole = json::parse(content_of(out + "/run.json"));
  const auto expect_damaged = [&](const std::string& name, const json& setting) {
    SCOPED_TRACE(name + " " + setting.dump());
    json damaged = whole;
    damaged["settings"][name] = setting;
    const auto path = folder.write("damaged.json", damaged.dump());
    expect_failure(folder, "run --plan --config " + path, 3, path);
  };
  expect_damaged("dim", 8);
  expect_damaged("dim", {{"value", nullptr}});
  expect_damaged("dim", {{"value", "many"}});
  expect_damaged("dim", {{"value", 0}});
  expect_damaged("lr", {{"value", json::array({1, 2})}});
  expect_damaged("seed", {{"value", -1}});
  expect_damaged("task", {{"value", "nonsense"}});
  expect_damaged("bipartite", {{"value", "both"}});
  expect_damaged("directed", {{"value", "perhaps"}});
  expect_damaged("sampler", {{"value", "nonsense"}});
  expect_damaged("sampler.hardness", {{"value", "hard"}});
  expect_damaged("sampler.nonsense", {{"value", 1}});
  expect_damaged("dim.nonsense", {{"value", 1}});
  expect_damaged("nonsense", {{"value", 1}});
  for (const char* text : {"", "{", "[]", "{\"settings\": 3}", "{\"settings\": {}}"}) {
    const auto path = folder.write("damaged.json", text);
    expect_failure(folder, "run --plan --config " + path, 3, path);
  }
  expect_failure(folder, "run --plan --config " + folder.path("none.json"), 4, "none.json");
}

TEST(Plan, RefusesBeforeDataAreRead) {
  const ScratchFolder folder;
  const auto missing = folder.path("missing.tsv");
  for (const std::string plan : {"", " --plan"}) {
    const auto run = "run --task linkpred --train " + missing + plan;
    expect_failure(folder, run + " --sampler rnss", 2, "did you mean 'rns'");
    expect_failure(folder, run + " --sampler dns:candidate=3", 2, "did you mean 'candidates'");
    expect_failure(folder, run + " --encoder gnc", 2, "did you mean 'gcn'");
    expect_failure(folder, run + " --valid-share 2", 2, "--valid-share");
    const auto taken = folder.path("taken");
    fs::create_directories(taken);
    folder.write("taken/run.json", "{}");
    expect_failure(folder, run + " --out " + taken, 2, "exists already");
    expect_failure(folder, run, 4, "missing.tsv");
  }
}

TEST(Plan, TwoTablesDoNotFitAUserItemGraph) {
  const ScratchFolder folder;
  const Inputs in(folder);
  for (const std::string plan : {"", " --plan"})
    expect_failure(folder, "run --task recommend --tables 2 --train " + in.ratings + plan, 2,
                   "--tables 2 does not fit a user-item graph");
}

}  // namespace
}  // namespace mcns
