// Similarity, temperature and shared pools as a user calls them: all commands agree on the score,
// and what cannot be is refused.
#include <cmath>

#include "mcns/core/rng.h"
#include "mcns/io/npy.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

const std::string kData = " --task recommend --data debian --dim 8 --candidates 50";

nlohmann::json json_of(const std::string& path) { return nlohmann::json::parse(content_of(path)); }

double length_of(const Matrix& vectors, std::int64_t row) {
  double square = 0;
  for (int d = 0; d < vectors.dim(); ++d)
    square += double(vectors.row(row)[d]) * vectors.row(row)[d];
  return std::sqrt(square);
}

/// Pairs of users and items, most of them within one of three groups.
std::string pairs(std::uint64_t seed, int count) {
  std::string out;
  Rng rng(seed, Domain::kTest);
  for (int i = 0; i < count; ++i) {
    const auto user = rng.below(60), group = rng.below(5) == 0 ? rng.below(3) : user % 3;
    out += fmt::format("u{}\ti{}\n", user, 3 * rng.below(30) + group);
  }
  return out;
}

TEST(Similarity, AllCommandsGiveTheSameScores) {
  const ScratchFolder folder;
  const auto model = folder.path("model"), train = folder.write("train.tsv", pairs(1, 600)),
             test = folder.write("test.tsv", pairs(2, 80));
  const auto done = run_mcns(
      folder,
      fmt::format("run --task recommend --train {} --test {} --bipartite separate --dim 8 "
                  "--epochs 3 --similarity cosine --temperature 0.25 --popularity 0 --allow-leaks "
                  "--out {} --quiet",
                  train, test, model));
  ASSERT_EQ(done.code, 0) << done.err;
  const Matrix vectors = read_npy(model + "/embeddings.npy");
  for (std::int64_t v = 0; v < vectors.rows(); ++v)
    ASSERT_NEAR(length_of(vectors, v), 2.0, 1e-5) << "1 / sqrt(0.25)";
  const auto metrics = json_of(model + "/metrics.json");
  EXPECT_EQ(metrics["negatives"], 512);
  EXPECT_EQ(metrics["shared"], true);
  EXPECT_EQ(metrics["loss"], "softmax");
  const auto lists = run_for_json(folder, "recommend " + model + " --user u1 -k 3");
  const double score = lists["results"][0]["score"];
  EXPECT_LE(std::fabs(score), 4.0) << "1 / 0.25";
  const auto item = lists["results"][0]["id"].get<std::string>();
  const auto scored =
      run_mcns(folder, fmt::format("score {} {}", model, folder.write("one.tsv", "u1\t" + item)));
  ASSERT_EQ(scored.code, 0) << scored.err;
  EXPECT_NEAR(std::stod(scored.out.substr(scored.out.rfind('\t') + 1)), score, 1e-4) << scored.out;
}

TEST(Similarity, ThePopularityOfItemsIsAdded) {
  const ScratchFolder folder;
  const auto train = folder.write("train.tsv", "a x\na y\na z\nb x\nb y\nc x\nc y\nd x\n"),
             model = folder.path("model"), encoded = folder.path("encoded.npy");
  for (const char* encoder : {"lookup", "lightgcn"}) {
    const auto done = run_mcns(
        folder, fmt::format("train {} --bipartite separate --encoder {} --dim 8 --epochs 1 --quiet "
                            "--similarity cosine --temperature 0.25 --popularity 0.5 --out {} "
                            "--force --saturated skip",
                            train, encoder, model));
    ASSERT_EQ(done.code, 0) << done.err;
    const Matrix vectors = read_npy(model + "/embeddings.npy");
    const double mean = std::log(5.0 * 4.0 * 2.0) / 3;  // of 1 + degree
    const double expected[] = {1,
                               1,
                               1,
                               1,
                               0.5 * (std::log(5.0) - mean),
                               0.5 * (std::log(4.0) - mean),
                               0.5 * (std::log(2.0) - mean)};
    for (int v = 0; v < 7; ++v) {
      EXPECT_NEAR(vectors.row(v)[7], expected[v], 1e-5) << encoder << " " << v;
      EXPECT_NEAR(length_of(vectors, v), std::hypot(2.0, expected[v]), 1e-4) << encoder << " " << v;
    }
  }
  // Neighbours are near by direction, not by popularity.
  const Matrix table = read_npy(model + "/embeddings.npy");
  const auto near = run_for_json(folder, "neighbors " + model + " --node x -k 2");
  for (const auto& one : near["results"]) {
    double dot = 0;
    for (int d = 0; d < 7; ++d)
      dot += double{table.row(4)[d]} * table.row(one["id"] == "y" ? 5 : 6)[d];
    EXPECT_NEAR(one["score"].get<double>(), dot / 4.0, 1e-4) << near;
  }
  const auto out =
      run_mcns(folder, fmt::format("encode {} --graph {} --out {} --quiet", model, train, encoded));
  ASSERT_EQ(out.code, 0) << out.err;
  const Matrix a = read_npy(model + "/embeddings.npy"), b = read_npy(encoded);
  for (int v = 0; v < 7; ++v)
    for (int d = 0; d < 8; ++d) EXPECT_NEAR(a.row(v)[d], b.row(v)[d], 1e-5) << v;
}

TEST(Similarity, EncodeScalesLikeTraining) {
  const ScratchFolder folder;
  std::string edges;
  Rng rng(1, Domain::kTest);
  for (int i = 0; i < 300; ++i) edges += fmt::format("{} {}\n", rng.below(60), rng.below(60));
  const auto graph = folder.write("edges.txt", edges);
  const auto model = folder.path("model");
  for (const char* scoring : {"--similarity cosine --temperature 0.5", "--temperature 2"}) {
    const auto done = run_mcns(
        folder, fmt::format("train {} --encoder gcn --dim 8 --epochs 1 --force {} --out {} --quiet",
                            graph, scoring, model));
    ASSERT_EQ(done.code, 0) << done.err;
    const auto encoded = folder.path("encoded.npy");
    const auto out = run_mcns(
        folder, fmt::format("encode {} --graph {} --out {} --quiet", model, graph, encoded));
    ASSERT_EQ(out.code, 0) << out.err;
    const Matrix a = read_npy(model + "/embeddings.npy"), b = read_npy(encoded);
    ASSERT_EQ(a.rows(), b.rows());
    for (std::int64_t v = 0; v < a.rows(); ++v)
      for (int d = 0; d < a.dim(); ++d) ASSERT_NEAR(a.row(v)[d], b.row(v)[d], 1e-5) << scoring;
  }
}

TEST(Similarity, AModelToStartFromKeepsItsScores) {
  const ScratchFolder folder;
  const auto graph = folder.write("train.tsv", pairs(1, 200));
  const auto first = folder.path("first"), second = folder.path("second");
  for (const char* scoring : {"--similarity dot --temperature 0.25", "--similarity cosine",
                              "--similarity dot --temperature 1"}) {
    const auto train =
        fmt::format("train {} --bipartite separate --dim 8 --force --quiet {}", graph, scoring);
    const auto done = run_mcns(folder, train + " --epochs 2 --out " + first);
    ASSERT_EQ(done.code, 0) << done.err;
    const auto again =
        run_mcns(folder, fmt::format("{} --epochs 0 --init {} --out {}", train, first, second));
    ASSERT_EQ(again.code, 0) << again.err;
    const Matrix a = read_npy(first + "/embeddings.npy"), b = read_npy(second + "/embeddings.npy");
    for (std::int64_t v = 0; v < a.rows(); ++v)
      for (int d = 0; d < a.dim(); ++d) ASSERT_NEAR(a.row(v)[d], b.row(v)[d], 1e-5) << scoring;
  }
}

TEST(Similarity, EveryTaskAndEncoderRuns) {
  const ScratchFolder folder;
  for (const char* flags :
       {"--task linkpred --encoder lookup", "--task linkpred --encoder gcn", "--task classify",
        "--task recommend --encoder graphsage", "--task recommend --encoder lightgcn --loss bpr",
        "--task linkpred --sampler dns --loss logistic",
        "--task linkpred --negatives shared:50 --sampler degree --log-q on"}) {
    const auto done = run_mcns(
        folder,
        fmt::format("run {} --data debian --core 12 --dim 8 --epochs 1 --similarity cosine --quiet",
                    flags));
    EXPECT_EQ(done.code, 0) << flags << ": " << done.err;
  }
}

TEST(Similarity, WhatCannotBeIsRefused) {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& flags, const std::string& says) {
    expect_failure(folder, "run" + kData + " --epochs 1 " + flags, 2, says);
  };
  refused("--similarity cosine --l2 0.1", "--l2 0.1 would have no effect");
  refused("--similarity cosine --update async", "--update batch");
  refused("--temperature 0", "temperature");
  refused("--similarity angle", "cosine");
  refused("--similarity dot --popularity 0.1", "--popularity 0.1 is for --similarity cosine");
  expect_failure(folder, "run --task linkpred --data debian --similarity cosine --popularity 0.1",
                 2, "needs a user-item graph");
  refused("--negatives shared:10 --loss bpr", "needs --loss softmax");
  refused("--negatives shared:10 --sampler dns", "samplers with a pool");
  refused("--negatives shared:10 --sampler mcns:pool=20", "pool=20 beside it");
  refused("--negatives shared:10 --sampler mcns:form=quantile", "form=exp");
  refused("--negatives shared:10 --sampler mcns:alpha=0.3", "alpha=0.5");
  refused("--negatives shared", "shared:N");
  refused("--negatives shared:0", "shared:N");
  refused("--negatives 3x", "--negatives must be");
  refused("--sampler mcns:chains=2", "needs step=ensemble");
  refused("--sampler mcns:step=ensemble,steps=4", "needs step=metropolis");
}

/// All targets of a pool count by their weights: of a source that is seen in every batch they add
/// up to its part of the batches.
TEST(Similarity, ExplainShowsTheWeightsOfAPool) {
  const ScratchFolder folder;
  for (const std::string sampler : {"rns", "mcns"}) {
    const auto seen =
        run_for_json(folder, "explain apache2" + kData +
                                 " --epochs 1 --negatives shared:40 --sampler " + sampler)["all"];
    EXPECT_GT(seen["draws"], 30) << sampler;
    EXPECT_GT(seen["hardness"], 0.6) << sampler << ": high scores weigh more";
    EXPECT_LT(seen["hardness"], 1) << sampler;
  }
}

TEST(Similarity, ThePlanSaysWhatFollows) {
  const ScratchFolder folder;
  const auto thin =
      run_for_json(folder, "run --task recommend --data debian --dim 1 --plan")["settings"];
  EXPECT_EQ(thin["popularity"]["value"], 0) << "there is no coordinate for it";
  const auto plan =
      run_for_json(folder, "run" + kData + " --negatives shared:100 --plan")["settings"];
  EXPECT_EQ(plan["loss"]["value"], "softmax");
  EXPECT_EQ(plan["negatives"]["value"], "shared:100");
  EXPECT_EQ(plan["sampler.step"]["value"], "ensemble");
  EXPECT_EQ(plan["sampler.pool"]["value"], 100);
  const auto plain = run_for_json(folder, "run" + kData + " --plan")["settings"];
  EXPECT_EQ(plain["similarity"]["value"], "cosine");
  EXPECT_EQ(plain["negatives"]["value"], "shared:512");
  // What is given of the classic recipe brings the rest of it.
  for (const char* flags : {"--sampler mcns:hardness=8", "--loss bpr", "--negatives 3"}) {
    const auto classic = run_for_json(folder, "run" + kData + " --plan " + flags)["settings"];
    EXPECT_EQ(classic["similarity"]["value"], "dot") << flags;
    EXPECT_EQ(classic["negatives"]["value"], 3) << flags << ": a number";
  }
}

}  // namespace
}  // namespace mcns
