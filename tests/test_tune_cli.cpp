// `mcns tune` and `mcns run --tune` as a user calls them.
#include "tests/run_binary.h"

namespace mcns {
namespace {

const std::string kData = " --task recommend --data debian --dim 8 --epochs 2 --candidates 50";

/// `degree` with a parameter has other defaults than without.
class TuneCommandOf : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Samplers, TuneCommandOf, testing::Values("dns", "degree"));

TEST_P(TuneCommandOf, WritesAFileForConfigAndSaysHowToUseIt) {
  const ScratchFolder folder;
  const auto out = folder.path("what I found");
  const auto done = run_mcns(
      folder, fmt::format("tune {} --sampler {} --settings 4 --out '{}'", kData, GetParam(), out));
  ASSERT_EQ(done.code, 0) << done.err;
  for (const char* part : {"setting", "lr", "sampler.", "best", "full runs", "tuned.toml"})
    EXPECT_TRUE(contains(done.out, part)) << part << "\n" << done.out;
  EXPECT_TRUE(contains(done.err, "rung 1/2: 4 settings, 1 epoch each")) << done.err;
  EXPECT_TRUE(contains(done.err, "setting 3 (")) << done.err;
  // The printed command, as it stands, is the run that was found.
  const std::string marker = "use it: mcns ", validation = "# validation mrr ";
  ASSERT_TRUE(contains(done.out, marker)) << done.out;
  std::string command = done.out.substr(done.out.find(marker) + marker.size());
  command = command.substr(0, command.find('\n'));
  command.replace(command.find("MODEL"), 5, folder.path("model"));
  ASSERT_EQ(run_mcns(folder, command + " --quiet").code, 0) << command;
  const auto toml = content_of(out + "/tuned.toml");
  EXPECT_TRUE(toml.starts_with("# mcns tune --task recommend --data debian")) << toml;
  const double found = std::stod(toml.substr(toml.find(validation) + validation.size()));
  const auto metrics = nlohmann::json::parse(content_of(folder.path("model/metrics.json")));
  EXPECT_NEAR(metrics["valid"]["mrr"].get<double>(), found, 1e-6) << toml;
  const auto run = nlohmann::json::parse(content_of(folder.path("model/run.json")))["settings"];
  for (const char* name : {"lr", "l2", "similarity", "negatives", "epochs"})
    EXPECT_EQ(run[name]["from"], std::string(name) == "epochs" ? "given" : "config") << name;
}

TEST(TuneCommand, JsonIsOneDocument) {
  const ScratchFolder folder;
  const auto document =
      run_for_json(folder, "tune" + kData + " --settings 3 --lr 0.1 --out " + folder.path("found"));
  EXPECT_EQ(document["metric"], "mrr");
  ASSERT_EQ(document["settings"].size(), 3U);
  EXPECT_EQ(document["settings"][0]["changes"].size(), 0U);
  for (const auto& setting : document["settings"]) EXPECT_FALSE(setting["changes"].contains("lr"));
  EXPECT_EQ(document["rung_epochs"], nlohmann::json({1, 2}));
  EXPECT_LE(document["full_runs"], 3.5);
  const auto plan = run_for_json(folder, "tune" + kData + " --plan --lr 0.1");
  ASSERT_EQ(plan["dimensions"].size(), 4U);
  EXPECT_EQ(plan["dimensions"][0]["setting"], "similarity");
  EXPECT_EQ(plan["dimensions"][1]["setting"], "temperature");
  EXPECT_EQ(plan["dimensions"][1]["scale"], "log");
  EXPECT_EQ(plan["dimensions"][2]["setting"], "popularity");
  EXPECT_EQ(plan["dimensions"][3]["setting"], "log-q");
}

TEST(TuneCommand, RefusesWhatItCannotDo) {
  const ScratchFolder folder;
  expect_failure(folder, "tune" + kData, 2, "--out DIR");
  const std::string x = folder.path("x");
  expect_failure(folder, "tune" + kData + " --settings 0 --out " + x, 2, "--settings");
  expect_failure(folder, "tune" + kData + " --tensorboard x --out " + x, 2, "--tensorboard");
  expect_failure(folder, "tune --task classify --data debian --valid-share 0 --out " + x, 2,
                 "--valid-share above 0");
  expect_failure(folder, "tune" + kData + " --repeats 2 --out " + x, 2, "--repeats");
  expect_failure(folder, "run" + kData + " --tune -1", 2, "--tune");
  expect_failure(folder, "train x.tsv --tune 3 --out x", 2, "--tune");
}

TEST(RunTune, TrainsWithWhatWasFound) {
  const ScratchFolder folder;
  const auto out = folder.path("model");
  const auto metrics = run_for_json(folder, "run" + kData + " --tune 3 --quiet --out " + out);
  EXPECT_TRUE(metrics["test"].contains("mrr"));
  const auto toml = content_of(out + "/tune/tuned.toml");
  EXPECT_TRUE(toml.starts_with("# mcns run --task recommend")) << toml;
  const auto settings = nlohmann::json::parse(content_of(out + "/run.json"))["settings"];
  int tuned = 0;
  for (const auto& [name, setting] : settings.items()) tuned += setting["from"] == "tuned" ? 1 : 0;
  EXPECT_EQ(tuned > 0, contains(toml, " = ")) << toml;
  EXPECT_EQ(settings["dim"]["from"], "given");
  // The file and run.json repeat the run.
  ASSERT_EQ(
      run_mcns(folder, fmt::format("run {} --config {}/tune/tuned.toml --learn-from {} "
                                   "--quiet --out {}",
                                   kData, out, settings["learn-from"]["value"].get<std::string>(),
                                   folder.path("again")))
          .code,
      0);
  ASSERT_EQ(run_mcns(folder, fmt::format("run --config {}/run.json --quiet --out {}", out,
                                         folder.path("repeated")))
                .code,
            0);
  for (const char* other : {"again/embeddings.npy", "repeated/embeddings.npy"})
    EXPECT_EQ(content_of(out + "/embeddings.npy"), content_of(folder.path(other))) << other;
  // A finished folder is refused like any other; --force replaces the search too.
  expect_failure(folder, "run" + kData + " --tune 3 --out " + out, 2, "exists already");
  ASSERT_EQ(run_mcns(folder, "run" + kData + " --force --quiet --out " + out).code, 0);
  EXPECT_FALSE(std::filesystem::exists(out + "/tune"));
}

TEST(RunTune, LearnsFromTheValidPairsOnceTheyAreFree) {
  const ScratchFolder folder;
  struct Found {
    nlohmann::json learn_from, valid;
    std::int64_t edges;
  };
  const auto run = [&](const std::string& flags) {
    const auto out = folder.path("model");
    const auto metrics =
        run_for_json(folder, "run" + kData + " --tune 2 --quiet --force --out " + out + flags);
    const auto graph = run_for_json(folder, "info " + out + "/graph.bin");
    const auto settings = nlohmann::json::parse(content_of(out + "/run.json"))["settings"];
    return Found{settings["learn-from"], metrics["valid"], graph["edges"].get<std::int64_t>()};
  };
  const Found both = run(""), train = run(" --learn-from train"), patient = run(" --patience 3");
  EXPECT_EQ(both.learn_from, (nlohmann::json{{"value", "both"}, {"from", "tuned"}}));
  EXPECT_EQ(train.learn_from, (nlohmann::json{{"value", "train"}, {"from", "given"}}));
  EXPECT_EQ(patient.learn_from, (nlohmann::json{{"value", "train"}, {"from", "default"}}));
  EXPECT_GT(both.edges, train.edges);
  EXPECT_EQ(patient.edges, train.edges);
  // The figure of validation is that of the search: of a model that did not see the pairs.
  EXPECT_EQ(both.valid.size(), 1U);
  EXPECT_EQ(both.valid["mrr"], train.valid["mrr"]);
}

TEST(RunTune, PlanShowsWhatWasTunedAndWritesNothing) {
  const ScratchFolder folder;
  const auto out = folder.path("model");
  const auto plan = run_for_json(folder, "run" + kData + " --tune 8 --plan --seed 3 --out " + out);
  int tuned = 0;
  for (const auto& [name, setting] : plan["settings"].items())
    tuned += setting["from"] == "tuned" ? 1 : 0;
  EXPECT_GE(tuned, 1);
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(run_for_json(folder, "run" + kData + " --tune 0 --plan")["settings"]["lr"]["from"],
            "default");
}

TEST(RunTune, ASignalSavesTheTrials) {
  const ScratchFolder folder;
  const auto out = folder.path("model");
  const auto command =
      "run --task recommend --data debian --dim 8 --epochs 30 --candidates 50"
      " --tune 3 --out " +
      out;
  Process process(folder, command);
  ASSERT_TRUE(process.wait_for(out + "/tune/trials.jsonl"));
  process.signal(SIGINT);
  const auto stopped = process.wait();
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_TRUE(contains(stopped.err, "--resume continues from " + out)) << stopped.err;
  EXPECT_FALSE(std::filesystem::exists(out + "/.lock"));
  expect_failure(folder, command, 2, "--resume");
}

}  // namespace
}  // namespace mcns
