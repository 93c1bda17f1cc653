// Splits, leaks and metrics through the command line.
#include <cmath>
#include <map>
#include <set>

#include "mcns/core/rng.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

/// Users with tastes of two kinds, and times: user, item and time per line, with a header.
struct TimedFile {
  explicit TimedFile(const ScratchFolder& folder) {
    Rng rng(1, Domain::kTest);
    std::string text = "user,item,timestamp\n", plain;
    std::set<std::pair<int, int>> seen;
    while (seen.size() < 600) {
      const int group = static_cast<int>(rng.below(2));
      const int user = group * 20 + static_cast<int>(rng.below(20));
      const int item = group * 30 + static_cast<int>(rng.below(30));
      if (!seen.insert({user, item}).second) continue;
      const auto line = fmt::format("u{},i{}", user, item);
      time[line] = static_cast<int>(1'000'000'000 + rng.below(1'000'000));
      text += fmt::format("{},{}\n", line, time[line]);
      plain += line + "\n";
      lines.push_back(line);
    }
    path = folder.write("ratings.csv", text);
    untimed = folder.write("plain.csv", plain);
  }
  std::map<std::string, int> time;
  std::vector<std::string> lines;
  std::string path, untimed;
};

const std::string kQuick = " --epochs 1 --dim 8 --quiet --patience 0 ";
const std::string kRecommend = "run --task recommend" + kQuick;

std::string joined_lines(const std::vector<std::string>& lines, std::size_t begin,
                         std::size_t end) {
  std::string out;
  for (std::size_t i = begin; i < end; ++i) out += lines[i] + "\n";
  return out;
}

TEST(CliLeaks, TestPairsInTrainStopTheRun) {
  const ScratchFolder folder;
  const TimedFile data(folder);
  const auto train = folder.write("train.csv", joined_lines(data.lines, 0, 500));
  const auto clean = folder.write("clean.csv", joined_lines(data.lines, 500, 600));
  const auto leaky = folder.write("leaky.csv", joined_lines(data.lines, 463, 563));
  const std::string files = kRecommend + "--train " + train + " --test ";
  expect_failure(folder, files + leaky, 3, "37 of 100 test pairs");
  expect_failure(folder, files + leaky, 3, "--allow-leaks");
  const auto allowed = run_mcns(folder, files + leaky + " --allow-leaks");
  EXPECT_EQ(allowed.code, 0);
  EXPECT_TRUE(contains(allowed.err, "37 of 100 test pairs")) << allowed.err;
  EXPECT_EQ(run_mcns(folder, files + clean).err, "");
  const auto valid = run_mcns(folder, files + clean + " --valid " + leaky);
  EXPECT_EQ(valid.code, 0);
  EXPECT_TRUE(contains(valid.err, "37 of 100 valid pairs")) << valid.err;
}

TEST(CliLeaks, LinksLeakInEitherDirectionUnlessDirected) {
  const ScratchFolder folder;
  std::string edges, reversed;
  for (int v = 0; v < 60; ++v)
    for (const int step : {1, 2, 4}) edges += fmt::format("{} {}\n", v, (v + step) % 60);
  for (int v = 0; v < 20; ++v)
    reversed += fmt::format("{} {} 1\n{} {} 0\n", (v + 1) % 60, v, v, (v + 31) % 60);
  const auto train = folder.write("edges.txt", edges), test = folder.write("pairs.txt", reversed);
  const auto run = "run --task linkpred" + kQuick + "--train " + train + " --test " + test;
  expect_failure(folder, run, 3, "20 of 20 test pairs");
  EXPECT_EQ(run_mcns(folder, run + " --directed").code, 0);
}

/// The pairs of a part that `data split` wrote, as "user,item".
std::vector<std::string> part_lines(const ScratchFolder& folder, const std::string& name) {
  std::istringstream in(content_of(folder.path("split/" + name + ".tsv")));
  std::vector<std::string> out;
  for (std::string user, item; in >> user >> item;)
    if (user[0] == 'u' && item[0] == 'i' && user != "user") out.push_back(user + "," + item);
  return out;
}

TEST(CliSplits, DataSplitByTimeWritesThePartsInOrder) {
  const ScratchFolder folder;
  const TimedFile data(folder);
  const auto split = "data split " + data.path + " --task recommend --split time --force --out " +
                     folder.path("split");
  ASSERT_EQ(run_mcns(folder, split + " --test 0.2 --valid 0.1").code, 0);
  int last = 0, count = 0;
  for (const char* part : {"train", "valid", "test"}) {
    int latest = 0;
    for (const auto& line : part_lines(folder, part)) {
      EXPECT_GT(data.time.at(line), last) << part;
      latest = std::max(latest, data.time.at(line));
      ++count;
    }
    last = latest;
  }
  EXPECT_EQ(count, 600);
  EXPECT_NEAR(static_cast<double>(part_lines(folder, "test").size()), 120, 2);
  ASSERT_EQ(run_mcns(folder, split + " --time-cut user --test 0.2").code, 0);
  std::set<std::string> users;
  for (const auto& line : part_lines(folder, "test")) users.insert(line.substr(0, line.find(',')));
  EXPECT_EQ(users.size(), 40U);
}

TEST(CliSplits, LeaveOneOutHasOneOfEachUser) {
  const ScratchFolder folder;
  const TimedFile data(folder);
  const auto split = " --task recommend --split leave-one-out --out " + folder.path("split");
  ASSERT_EQ(run_mcns(folder, "data split " + data.path + split).code, 0);
  std::map<std::string, std::string> latest;
  for (const auto& [line, time] : data.time) {
    std::string& best = latest[line.substr(0, line.find(','))];
    if (best.empty() || data.time.at(best) < time) best = line;
  }
  const auto test = part_lines(folder, "test");
  EXPECT_EQ(test.size(), 40U);
  for (const auto& line : test) EXPECT_EQ(latest[line.substr(0, line.find(','))], line);
  EXPECT_EQ(part_lines(folder, "valid").size(), 40U);
}

TEST(CliSplits, EverySplitOfATaskRuns) {
  const ScratchFolder folder;
  const TimedFile data(folder);
  for (const char* split : {"random", "time", "time --time-cut user", "leave-one-out", "paper"}) {
    const auto run =
        run_for_json(folder, kRecommend + "--train " + data.path + " --split " + split);
    EXPECT_TRUE(run["test"].contains("mrr")) << split;
    EXPECT_TRUE(run["cold"]["test"].contains("users")) << split;
  }
  const auto linkpred =
      "run --task linkpred --bipartite separate" + kQuick + "--train " + data.path;
  for (const char* split : {"connected", "hidden", "random", "paper", "time"})
    EXPECT_TRUE(run_for_json(folder, linkpred + " --split " + split)["test"].contains("auc"))
        << split;
}

TEST(CliSplits, WhatCannotBeHonouredIsRefused) {
  const ScratchFolder folder;
  const TimedFile data(folder);
  const auto run = kRecommend + "--train " + data.path + " ";
  expect_failure(folder, run + "--split connected", 2, "leave-one-out");
  expect_failure(folder, run + "--split random --fold 2", 2, "--fold");
  expect_failure(folder, run + "--split leave-one-out --test-share 0.2", 2, "--test-share");
  expect_failure(folder, run + "--time-cut user", 2, "--split time");
  expect_failure(folder, run + "--metrics ndgc@10", 2, "ndcg@K");
  expect_failure(folder, "run --task classify --data debian --learn-from both" + kQuick, 2,
                 "--learn-from");
  const auto held_out = folder.write("held_out.csv", "u1,i999\n");
  expect_failure(folder, run + "--split time --valid " + held_out + " --test " + held_out, 2,
                 "--split time");
  const auto untimed = run_mcns(folder, kRecommend + "--split time --train " + data.untimed);
  EXPECT_NE(untimed.code, 0);
  EXPECT_TRUE(contains(untimed.err, "time")) << untimed.err;
}

TEST(CliSplits, TheSplitHasASeedOfItsOwn) {
  const ScratchFolder folder;
  const TimedFile data(folder);
  const auto test_pairs = [&](const std::string& flags) {
    const auto model = folder.path("model");
    EXPECT_EQ(
        run_mcns(folder, kRecommend + "--force --out " + model + " --train " + data.untimed + flags)
            .code,
        0);
    return content_of(model + "/graph.bin");
  };
  const auto first = test_pairs(" --seed 1");
  EXPECT_NE(first, test_pairs(" --seed 2"));
  EXPECT_EQ(first, test_pairs(" --seed 2 --split-seed 1"));
  const auto plan = run_for_json(folder, kRecommend + "--plan --seed 7 --train " + data.untimed);
  EXPECT_EQ(plan["settings"]["split-seed"]["value"], 7);
  EXPECT_EQ(plan["settings"]["split-seed"]["from"], "default");
}

TEST(CliSplits, ARunWithASplitRepeatsFromItsSettings) {
  const ScratchFolder folder;
  const TimedFile data(folder);
  const auto a = folder.path("a"), b = folder.path("b");
  ASSERT_EQ(run_mcns(folder,
                     kRecommend + "--split time --metrics auc --out " + a + " --train " + data.path)
                .code,
            0);
  const auto again = run_mcns(folder, "run --quiet --config " + a + "/run.json --out " + b);
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(content_of(a + "/embeddings.npy"), content_of(b + "/embeddings.npy"));
}

/// The model of a run with these flags: its graph and its vectors.
std::pair<std::string, std::string> model_of(const ScratchFolder& folder,
                                             const std::string& command) {
  const auto out = folder.path("model");
  const auto done = run_mcns(folder, command + " --force --out " + out);
  EXPECT_EQ(done.code, 0) << command << done.err;
  return {content_of(out + "/graph.bin"), content_of(out + "/embeddings.npy")};
}

TEST(CliLearnFrom, BothIsTrainingOnOneFileWithBoth) {
  const ScratchFolder folder;
  const TimedFile data(folder);
  const auto train = folder.write("train.csv", joined_lines(data.lines, 0, 500)),
             valid = folder.write("valid.csv", joined_lines(data.lines, 480, 550)),  // some leak
      both = folder.write("both.csv", joined_lines(data.lines, 0, 550)),
             test = folder.write("test.csv", joined_lines(data.lines, 550, 600));
  const auto run = kRecommend + "--bipartite separate --test " + test + " --train ";
  const auto expected = model_of(folder, run + both + " --valid-share 0");
  EXPECT_EQ(model_of(folder, run + train + " --learn-from both --valid " + valid), expected);
  EXPECT_NE(model_of(folder, run + train + " --valid " + valid), expected);
  // Pairs that the run holds out itself come back.
  EXPECT_EQ(model_of(folder, run + both + " --learn-from both"), expected);
  EXPECT_NE(model_of(folder, run + both), expected);
}

TEST(CliLearnFrom, WeightsOfHeldOutEdgesAreKept) {
  const ScratchFolder folder;
  std::string links, test;
  for (int i = 0; i < 60; ++i)
    for (const int step : {1, 2, 5})
      links += fmt::format("n{}\tn{}\t{}\n", i, (i + step) % 60, 1 + (7 * i + step) % 9);
  for (int i = 0; i < 20; ++i) test += fmt::format("n{}\tn{}\t{}\n", i, (i + 9) % 60, i % 2);
  const auto run = "run --task linkpred" + kQuick + "--train " + folder.write("links.tsv", links) +
                   " --test " + folder.write("test.tsv", test);
  EXPECT_EQ(model_of(folder, run + " --learn-from both --valid-share 0.2"),
            model_of(folder, run + " --valid-share 0"));
  const auto valid = folder.write("valid.tsv", "n1\tn20\t1\nn2\tn30\t0\n");
  expect_failure(folder, run + " --learn-from both --valid " + valid, 2, "weights");
}

TEST(CliNonEdges, RunsAndSplitsHaveTheSameOnes) {
  const ScratchFolder folder;
  Rng rng(2, Domain::kTest);
  std::string edges;
  for (int i = 0; i < 400; ++i) edges += fmt::format("{} {}\n", rng.below(40), 40 + rng.below(50));
  const auto path = folder.write("edges.tsv", edges);
  const auto run = "run --task linkpred" + kQuick + "--train " + path;
  std::set<std::string> files;
  for (const std::string kind : {"uniform", "degree", "two-hop"}) {
    const auto split = folder.path("split-" + kind), model = folder.path("model-" + kind);
    ASSERT_EQ(run_mcns(folder, "data split " + path + " --task linkpred --non-edges " + kind +
                                   " --out " + split)
                  .code,
              0);
    files.insert(content_of(split + "/test.tsv"));
    const auto metrics = run_for_json(folder, run + " --non-edges " + kind + " --out " + model);
    EXPECT_EQ(metrics["non_edges"], kind);
    const auto evaluated = run_for_json(
        folder, "evaluate " + model + " --task linkpred --test " + split + "/test.tsv");
    EXPECT_EQ(evaluated["test"], metrics["test"]) << kind;
  }
  EXPECT_EQ(files.size(), 3U);
  const auto plan = run_for_json(folder, run + " --plan");
  EXPECT_EQ(plan["settings"]["non-edges"]["value"], "uniform");
  EXPECT_EQ(plan["settings"]["non-edges"]["from"], "default");
}

TEST(CliNonEdges, AreRefusedWhereNoneAreDrawn) {
  const ScratchFolder folder;
  const TimedFile data(folder);
  expect_failure(folder, kRecommend + "--non-edges degree --train " + data.untimed, 2,
                 "--non-edges is for --task linkpred");
  expect_failure(folder, "run --task linkpred --non-edges far --train " + data.untimed, 2,
                 "two-hop");
  const auto pairs = folder.write("pairs.csv", "u1,i31,0\nu2,i1,1\n");
  expect_failure(folder,
                 "run --task linkpred --allow-leaks --non-edges degree --train " + data.untimed +
                     " --valid " + pairs + " --test " + pairs,
                 2, "with their non-edges");
  expect_failure(
      folder,
      "run --task linkpred --bipartite separate --non-edges two-hop --train " + data.untimed, 2,
      "no common neighbour");
  expect_failure(folder,
                 "data split " + data.untimed + " --task recommend --non-edges degree" + " --out " +
                     folder.path("x"),
                 2, "--non-edges is for --task linkpred");
}

TEST(CliRepeats, MeanAndDeviationAreInTheTable) {
  const ScratchFolder folder;
  const TimedFile data(folder);
  const auto model = folder.path("model");
  const auto command = kRecommend + "--train " + data.untimed + " --seed 3 --out " + model;
  const auto done = run_mcns(folder, command + " --repeats 2");
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(contains(done.out, " ± ")) << done.out;
  const auto first = nlohmann::json::parse(content_of(model + "/metrics.json"));
  ASSERT_EQ(first["runs"].size(), 2U);
  const double a = first["runs"][0]["test"]["mrr"], b = first["runs"][1]["test"]["mrr"];
  EXPECT_NEAR(first["test"]["mrr"], (a + b) / 2, 1e-12);
  EXPECT_NEAR(first["test_deviation"]["mrr"], std::abs(a - b) / std::sqrt(2), 1e-12);
  const auto second = nlohmann::json::parse(content_of(model + "/seed-4/run.json"))["settings"];
  EXPECT_EQ(second["split-seed"]["value"], 3);
  // Repeated from its settings, byte for byte.
  const auto again = folder.path("again");
  ASSERT_EQ(run_mcns(folder, "run --quiet --config " + model + "/run.json --out " + again).code, 0);
  for (const char* file : {"/embeddings.npy", "/seed-4/embeddings.npy"})
    EXPECT_EQ(content_of(model + file), content_of(again + file)) << file;
}

TEST(CliMetrics, AreInTheFileAndInTheTable) {
  const ScratchFolder folder;
  const TimedFile data(folder);
  const auto train = folder.write("train.csv", joined_lines(data.lines, 0, 500));
  const auto test = folder.write("test.csv", joined_lines(data.lines, 500, 600));
  const auto model = folder.path("model");
  const std::string metrics = " --metrics mrr,ndcg@20,recall@50,precision@10,map@10,auc,coverage@5";
  const auto run = run_for_json(
      folder, kRecommend + "--train " + train + " --test " + test + " --out " + model + metrics);
  for (const char* name : {"mrr", "hits@5", "tie_rate", "ndcg@20", "recall@50", "precision@10",
                           "map@10", "auc", "coverage@5"})
    EXPECT_TRUE(run["test"].contains(name)) << name;
  EXPECT_TRUE(run["groups"]["users"]["5-19"].contains("map@10"));
  EXPECT_TRUE(run["groups"]["items"]["5-19"].contains("pairs"));
  const auto command = "evaluate " + model + " --task recommend --test " + test + metrics;
  const auto evaluated = run_for_json(folder, command + " --seed 1");
  EXPECT_EQ(evaluated["test"]["map@10"].get<double>() > 0, true);
  EXPECT_TRUE(evaluated["groups"]["users"].is_object());
  const auto table = run_mcns(folder, command + " --groups").out;
  EXPECT_TRUE(contains(table, "users, 5-19 training edges")) << table;
  EXPECT_TRUE(contains(table, "coverage@5")) << table;
}

}  // namespace
}  // namespace mcns
