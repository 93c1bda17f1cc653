// The commands over a model, end to end: run, evaluate, recommend, neighbors, list, info, doctor.
#include <set>

#include "mcns/io/npy.h"
#include "mcns/samplers/negative_sampler.h"
#include "mcns/samplers/registry.h"

#include "tests/graph_support.h"
#include "tests/run_binary.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

/// Random edges between two groups of users and items, cut in three files.
struct UserItemFiles {
  explicit UserItemFiles(const ScratchFolder& folder) {
    Rng rng(1, Domain::kTest);
    std::set<std::pair<int, int>> seen;
    std::string parts[3];
    while (seen.size() < 600) {
      const int group = static_cast<int>(rng.below(2));
      const int user = group * 20 + static_cast<int>(rng.below(20));
      const int item = group * 30 + static_cast<int>(rng.below(30));
      if (!seen.insert({user, item}).second) continue;
      parts[seen.size() % 10 == 0   ? 2
            : seen.size() % 10 == 1 ? 1
                                    : 0] += fmt::format("user{}\titem{}\n", user, item);
    }
    train = folder.write("train.tsv", parts[0]);
    valid = folder.write("valid.tsv", parts[1]);
    test = folder.write("test.tsv", parts[2]);
  }
  std::string train, valid, test;
};

struct NodeFiles {
  explicit NodeFiles(const ScratchFolder& folder) {
    Rng rng(2, Domain::kTest);
    std::string edges, pairs, label_lines;
    std::set<std::pair<std::uint64_t, std::uint64_t>> linked;
    for (int i = 0; i < 700; ++i) {
      const auto group = rng.below(3);
      const auto a = group * 30 + rng.below(30), b = group * 30 + rng.below(30);
      edges += fmt::format("{} {}\n", a, b);
      linked.insert({{a, b}, {b, a}});
    }
    for (int i = 0; i < 200;) {
      const auto a = rng.below(90), b = rng.below(90);
      if (!linked.contains({a, b})) pairs += fmt::format("{} {} {}\n", a, b, i++ % 2);
    }
    // Numbers out of order, several per node and one line twice.
    for (int v = 89; v >= 0; --v) {
      label_lines += fmt::format("{}\t{}\n", v, 12 - v / 30);
      if (v % 4 == 0) label_lines += fmt::format("{}\t{}\n", v, 7);
    }
    label_lines += "3\t12\n";
    train = folder.write("edges.tsv", edges);
    test = folder.write("pairs.tsv", pairs);
    labels = folder.write("labels.tsv", label_lines);
  }
  std::string train, test, labels;
};

constexpr const char* kQuick = " --quiet --dim 8 --epochs 4 --threads 2 ";

TEST(Evaluate, ReproducesTheRecommendationFiguresOfTheRun) {
  const ScratchFolder folder;
  const UserItemFiles files(folder);
  for (const std::string candidates : {"0", "7"})
    for (const std::string seed : {"1", "5"}) {
      const auto model = folder.path("model" + candidates + seed);
      const auto held_out = " --valid " + files.valid + " --test " + files.test + " --candidates " +
                            candidates + " --seed " + seed;
      const auto run =
          run_for_json(folder, "run --task recommend --bipartite separate --train " + files.train +
                                   held_out + " --out " + model + kQuick);
      const auto again = run_for_json(folder, "evaluate " + model + " --task recommend" + held_out);
      EXPECT_EQ(again["test"], run["test"]);
      EXPECT_EQ(again["task"], "recommend");
      for (const char* key :
           {"mrr", "hits@5", "hits@10", "hits@30", "ndcg@10", "recall@20", "tie_rate"})
        EXPECT_TRUE(run["test"].contains(key)) << key;
      EXPECT_GT(run["test"]["mrr"], 0.05);
    }
}

TEST(Evaluate, ReproducesTheLinkPredictionFiguresOfTheRun) {
  const ScratchFolder folder;
  const NodeFiles files(folder);
  for (const std::string scores : {"in-in", "in-out"}) {
    const auto model = folder.path("model-" + scores), flags = " --scores " + scores;
    const auto run =
        run_for_json(folder, "run --task linkpred --train " + files.train + " --test " +
                                 files.test + " --out " + model + flags + kQuick);
    const auto again =
        run_for_json(folder, "evaluate " + model + " --task linkpred --test " + files.test + flags);
    EXPECT_EQ(again["test"], run["test"]);
    EXPECT_TRUE(run["test"].contains("auc") && run["test"].contains("ap") &&
                run["test"].contains("auc_warm"));
  }
}

TEST(Evaluate, ScoresAsTheRunDidWithoutScores) {
  const ScratchFolder folder;
  const NodeFiles files(folder);
  const auto model = folder.path("model");
  const auto run = run_for_json(folder, "run --task linkpred --directed --train " + files.train +
                                            " --test " + files.test + " --out " + model + kQuick);
  const auto evaluate = "evaluate " + model + " --task linkpred --test " + files.test;
  EXPECT_EQ(run_for_json(folder, evaluate)["test"], run["test"]);
  EXPECT_NE(run_for_json(folder, evaluate + " --scores in-in")["test"], run["test"]);
}

TEST(Evaluate, ReproducesTheClassificationFiguresOfTheRun) {
  const ScratchFolder folder;
  const NodeFiles files(folder);
  const auto model = folder.path("model");
  const auto run =
      run_for_json(folder, "run --task classify --train " + files.train + " --labels " +
                               files.labels + " --out " + model + kQuick);
  const auto again =
      run_for_json(folder, "evaluate " + model + " --task classify --labels " + files.labels);
  EXPECT_EQ(again["test"], run["test"]);
  for (const char* ratio : {"10", "50", "90"})
    EXPECT_TRUE(run["test"][ratio].contains("micro_f1") && run["test"][ratio].contains("macro_f1"));
}

TEST(Evaluate, SaysWhatIsMissing) {
  const ScratchFolder folder;
  const NodeFiles files(folder);
  const auto model = folder.path("model");
  run_mcns(folder, "train " + files.train + " --out " + model + kQuick);
  expect_failure(folder, "evaluate " + model + " --task linkpred", 2, "--test");
  expect_failure(folder, "evaluate " + model + " --task classify", 2, "--labels");
  expect_failure(folder, "evaluate " + model + " --task recommend --test " + files.test, 2,
                 "user-item");
  const auto unknown = folder.write("unknown.tsv", "1 2 1\n1 nobody 0\n");
  expect_failure(folder, "evaluate " + model + " --task linkpred --test " + unknown, 3, "'nobody'");
}

TEST(Run, WritesTheWholeModelDirectory) {
  const ScratchFolder folder;
  const UserItemFiles files(folder);
  const auto model = folder.path("model");
  const auto done =
      run_mcns(folder, "run --task recommend --train " + files.train + " --test " + files.test +
                           " --out " + model + " --json --dim 9 --epochs 3");
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(nlohmann::json::parse(done.out),
            nlohmann::json::parse(content_of(model + "/metrics.json")));
  EXPECT_TRUE(contains(done.err, "epoch")) << "progress goes to stderr";
  const auto metrics = nlohmann::json::parse(done.out);
  for (const char* key :
       {"task", "model", "encoder", "sampler", "loss", "seed", "threads", "epochs", "best_epoch",
        "train_seconds", "sample_seconds", "eval_seconds", "positives", "negatives",
        "positives_per_second", "resumed_from_epoch", "peak_rss_mb", "valid", "test"})
    EXPECT_TRUE(metrics.contains(key)) << key;
  const Matrix embeddings = read_npy(model + "/embeddings.npy");
  EXPECT_EQ(embeddings.rows(), 100);
  EXPECT_EQ(embeddings.dim(), 9);
  std::istringstream history(content_of(model + "/history.jsonl"));
  int epochs = 0;
  for (std::string line; std::getline(history, line); ++epochs)
    EXPECT_EQ(nlohmann::json::parse(line)["epoch"], epochs + 1);
  EXPECT_EQ(epochs, 3);
  const auto run = nlohmann::json::parse(content_of(model + "/run.json"));
  EXPECT_EQ(run["settings"]["dim"]["value"], 9);
  EXPECT_EQ(run["data"]["train"]["sha256"].get<std::string>().size(), 64U);
  EXPECT_EQ(
      run_mcns(folder, "run --task recommend --train " + files.train + " --quiet --epochs 1").err,
      "");
}

TEST(Run, BytesDoNotDependOnThreads) {
  const ScratchFolder folder;
  const NodeFiles files(folder);
  std::string node, context;
  for (const std::string threads : {"1", "2", "3", "7"}) {
    const auto model = folder.path("model" + threads);
    ASSERT_EQ(
        run_mcns(folder, "train " + files.train + " --tables 2 --quiet --dim 12 --epochs 2 --out " +
                             model + " --threads " + threads)
            .code,
        0);
    if (node.empty()) {
      node = content_of(model + "/embeddings.npy");
      context = content_of(model + "/context.npy");
    }
    EXPECT_EQ(content_of(model + "/embeddings.npy"), node);
    EXPECT_EQ(content_of(model + "/context.npy"), context);
  }
  EXPECT_FALSE(context.empty());
}

TEST(Recommend, LeavesOutWhatTheUserHas) {
  const ScratchFolder folder;
  const UserItemFiles files(folder);
  const auto model = folder.path("model");
  run_mcns(folder, "train " + files.train + " --bipartite separate --out " + model +
                       " --quiet --dim 16 --epochs 20");
  const auto top = run_for_json(folder, "recommend " + model + " --user user3 -k 5");
  EXPECT_EQ(top["user"], "user3");
  ASSERT_EQ(top["results"].size(), 5U);
  const auto train = content_of(files.train);
  double last = 1e30;
  int own_group = 0;
  for (const auto& entry : top["results"]) {
    const auto item = entry["id"].get<std::string>();
    EXPECT_TRUE(item.starts_with("item"));
    EXPECT_FALSE(contains(train, "user3\t" + item + "\n"));
    EXPECT_LE(entry["score"], last);
    last = entry["score"];
    own_group += std::stoi(item.substr(4)) < 30;
  }
  EXPECT_GE(own_group, 4) << "the user's own group comes first";
  EXPECT_TRUE(contains(run_mcns(folder, "recommend " + model + " --user user3 -k 2").out, "item"));
  expect_failure(folder, "recommend " + model + " --user nobody", 2, "nobody");
  expect_failure(folder, "recommend " + model + " --user user3 -k 0", 2, "-k");
  EXPECT_EQ(
      run_for_json(folder, "recommend " + model + " --user user3 -k 1000")["results"].size(),
      60U - std::count(train.begin(), train.end(), '\n') + [&] {
        std::int64_t others = 0;
        std::istringstream lines(train);
        for (std::string line; std::getline(lines, line);) others += !line.starts_with("user3\t");
        return others;
      }());
}

TEST(Neighbors, AreOfTheSameKindAndGroup) {
  const ScratchFolder folder;
  const UserItemFiles files(folder);
  const auto model = folder.path("model");
  run_mcns(folder, "train " + files.train + " --bipartite separate --out " + model +
                       " --quiet --dim 16 --epochs 40");
  const auto near = run_for_json(folder, "neighbors " + model + " --node item3 -k 5");
  int own_group = 0;
  for (const auto& entry : near["results"]) {
    const auto id = entry["id"].get<std::string>();
    ASSERT_TRUE(id.starts_with("item")) << id;
    EXPECT_NE(id, "item3");
    EXPECT_LE(entry["score"], 1.0001);
    own_group += std::stoi(id.substr(4)) < 30;
  }
  EXPECT_GE(own_group, 4);
  EXPECT_TRUE(run_for_json(folder, "neighbors " + model + " --node user3")["results"][0]["id"]
                  .get<std::string>()
                  .starts_with("user"));
}

TEST(List, NamesEveryComponentWithItsDefaults) {
  const ScratchFolder folder;
  for (const std::string kind :
       {"samplers", "encoders", "losses", "optimizers", "positives", "datasets"}) {
    const auto list = run_for_json(folder, "list " + kind);
    ASSERT_FALSE(list.empty()) << kind;
    const auto text = run_mcns(folder, "list " + kind).out;
    for (const auto& entry : list) {
      EXPECT_FALSE(entry["help"].get<std::string>().empty());
      EXPECT_TRUE(contains(text, entry["name"].get<std::string>()));
    }
  }
  const auto samplers = run_for_json(folder, "list samplers");
  ASSERT_EQ(samplers.size(), builtin_samplers().size());
  for (const auto& entry : samplers)
    if (entry["name"] == "degree") {
      EXPECT_EQ(entry["parameters"]["power"]["default"], "0.75");
    }
}

TEST(Info, CountsAndJsonAlone) {
  const ScratchFolder folder;
  const auto edges = folder.write("edges.tsv", "a b\nb c\nb a\nc c\nd e\n");
  const auto info = run_for_json(folder, "info " + edges);
  EXPECT_EQ(info["nodes"], 5);
  EXPECT_EQ(info["edges"], 3);
  EXPECT_EQ(info["components"], 2);
  const auto doctor = run_for_json(folder, "doctor");
  EXPECT_TRUE(doctor.contains("version") && doctor.contains("kernels"));
}

}  // namespace
}  // namespace mcns
