// Records, the store that processes share, verdicts, and `mcns compare` as a user calls it.
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "mcns/compare/compare.h"
#include "mcns/compare/plan_digest.h"
#include "mcns/compare/record_store.h"
#include "mcns/compare/run_record.h"
#include "mcns/compare/verdict.h"
#include "mcns/core/error.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

RunRecord record_of(int repeat, double valid, double test, std::vector<UserValue> users = {}) {
  RunRecord out;
  out.name = "a";
  out.kind = "default";
  out.repeat = repeat;
  out.key = "k";
  out.metric = "mrr";
  out.valid = {{"mrr", valid}};
  out.test = {{"mrr", test}, {"hits@30", 2 * test}};
  out.users = std::move(users);
  return out;
}

TEST(RunRecord, ReadsBackWhatItWrote) {
  RunRecord record = record_of(3, 0.25, 0.125, {{4, 0.5}, {9, 0.25}});
  record.command = "mcns run --sampler 'a b'";
  record.curve = {{1, 0.5, 0.1}, {2, 1.5, 0.2}};
  record.settings = {{"lr", "0.01"}};
  record.figures = {{"acceptance", 0.5}};
  record.seconds = 12;
  const RunRecord read = parse_record(record_json(record), "file");
  EXPECT_EQ(read.name, record.name);
  EXPECT_EQ(read.repeat, 3);
  EXPECT_EQ(read.command, record.command);
  EXPECT_EQ(read.test, record.test);
  EXPECT_EQ(read.users, record.users);
  EXPECT_EQ(read.curve, record.curve);
  EXPECT_EQ(read.settings, record.settings);
  EXPECT_EQ(read.figures, record.figures);
  EXPECT_THROW(parse_record("{}", "file"), Error);
  EXPECT_THROW(parse_record("[1", "file"), Error);
  const auto refuse = [&](const char* pointer, const nlohmann::json& value, const char* part) {
    auto changed = nlohmann::json::parse(record_json(record));
    changed[nlohmann::json::json_pointer(pointer)] = value;
    const auto message =
        error_of(ErrorKind::kData, [&] { parse_record(changed.dump(), "runs/a.json"); });
    EXPECT_TRUE(contains(message, std::string("runs/a.json: ") + part)) << message;
    EXPECT_FALSE(contains(message, "json.exception")) << message;
  };
  refuse("/test/mrr", "x", "not the record of a run; remove the file");
  refuse("/curve", 3, "not the record of a run; remove the file");
  refuse("/test/mrr", 1.5, "not the record of a run: mrr is 1.5, expected a number from 0 to 1");
  refuse("/valid/mrr", -0.5, "not the record of a run: mrr is -0.5");
  refuse("/users/values/1", 7, "not the record of a run: the value of a user is 7");
  refuse("/curve/0/2", 1e300, "not the record of a run: a value of the curve is 1e+300");
  refuse("/metric", "none", "not the record of a run: unknown metric 'none'");
}

TEST(RecordStore, DoesAPieceOnceAndAnewForAnotherKey) {
  const ScratchFolder folder;
  const RecordStore store(folder.path("out"));
  int calls = 0;
  const auto piece = [&](const std::string& key) {
    return Piece{"a/b.json", key, [&, key]() -> std::optional<std::string> {
                   ++calls;
                   return "{\"key\": \"" + key + "\"}";
                 }};
  };
  EXPECT_EQ(store.run(piece("1")), RecordStore::Outcome::kDone);
  EXPECT_EQ(store.run(piece("1")), RecordStore::Outcome::kThere);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(store.run(piece("2")), RecordStore::Outcome::kDone);
  EXPECT_FALSE(store.find("a/b.json", "1"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("out") + "/a/b.json.lock"));
}

TEST(RecordStore, AnOpenKeyIsTheBeginningOfOne) {
  const ScratchFolder folder;
  const RecordStore store(folder.path("out"));
  const Piece piece{"a.json", "flags-plan",
                    [] { return std::optional<std::string>(R"({"key": "flags-plan"})"); }};
  EXPECT_EQ(store.run(piece), RecordStore::Outcome::kDone);
  EXPECT_TRUE(store.find("a.json", "flags-"));
  EXPECT_TRUE(store.find("a.json", "flags-plan"));
  EXPECT_FALSE(store.find("a.json", "flags-other"));
  EXPECT_FALSE(store.find("a.json", "flag"));
  EXPECT_FALSE(store.find("a.json", "other-"));
}

TEST(PlanDigest, FollowsSettingsAndTheContentOfFiles) {
  const ScratchFolder folder;
  std::string edges;
  for (int i = 0; i < 400; ++i) edges += fmt::format("{} {}\n", i % 40, (i * i) % 47);
  Experiment one;
  one.task = Task::kRecommend;
  one.files.train = folder.write("edges.tsv", edges);
  one.load.bipartite = "separate";
  const auto digest = [](const Experiment& e) { return PlanDigests().of(e); };
  const std::string first = digest(one);
  EXPECT_EQ(digest(one), first);
  Experiment other = one;
  other.seed = 7;  // the key of a run has it already
  EXPECT_EQ(digest(other), first);
  other.train.lr = 0.123;
  EXPECT_NE(digest(other), first);
  other = one;
  other.split.test_share = 0.2;
  other.split.split = "random";
  EXPECT_NE(digest(other), first);
  PlanDigests both;  // which keeps data
  EXPECT_EQ(both.of(one), first);
  EXPECT_EQ(both.of(other), digest(other));
  // Another file of the same name and path.
  folder.write("edges.tsv", edges + "3 46\n");
  EXPECT_NE(digest(one), first);
}

TEST(RecordStore, InterruptedWorkLeavesNothing) {
  const ScratchFolder folder;
  const RecordStore store(folder.path("out"));
  const Piece piece{"a.json", "1", [] { return std::optional<std::string>(); }};
  EXPECT_EQ(store.run(piece), RecordStore::Outcome::kInterrupted);
  EXPECT_FALSE(store.find("a.json", "1"));
}

TEST(RecordStore, SeveralWorkersShareTheWork) {
  const ScratchFolder folder;
  std::atomic<int> calls[20] = {};
  std::vector<Piece> pieces;
  for (int i = 0; i < 20; ++i)
    pieces.push_back({fmt::format("p{}.json", i), "k", [&calls, i]() -> std::optional<std::string> {
                        ++calls[i];
                        std::this_thread::sleep_for(std::chrono::milliseconds(5));
                        return R"({"key": "k"})";
                      }});
  std::vector<std::thread> workers;
  for (int w = 0; w < 4; ++w)
    workers.emplace_back(
        [&] { EXPECT_TRUE(RecordStore(folder.path("out")).run_all(pieces, {}, nullptr)); });
  for (std::thread& worker : workers) worker.join();
  for (const auto& count : calls) EXPECT_EQ(count, 1);
}

TEST(Verdict, PairsRepeatsAndUsers) {
  const std::vector<RunRecord> a = {record_of(1, 0.2, 0.30, {{1, 0.5}, {2, 0.4}, {3, 0.6}}),
                                    record_of(2, 0.2, 0.32, {{1, 0.7}, {3, 0.6}})};
  const std::vector<RunRecord> b = {record_of(2, 0.3, 0.30, {{1, 0.5}, {3, 0.4}}),
                                    record_of(1, 0.3, 0.27, {{1, 0.3}, {2, 0.3}, {3, 0.2}}),
                                    record_of(7, 0.3, 0.99)};
  const Comparison found = compare_runs(a, b, "mrr", 0);
  EXPECT_EQ(found.count, 2);
  EXPECT_NEAR(found.repeats.difference, 0.025, 1e-12);
  const std::vector<double> first = {0.30, 0.32}, second = {0.27, 0.30};
  EXPECT_DOUBLE_EQ(found.repeats.p_value, paired_t_test(first, second).p_value);
  // Means by user: 0.6, 0.4, 0.6 against 0.4, 0.3, 0.3.
  ASSERT_TRUE(found.users);
  EXPECT_EQ(found.user_count, 3);
  EXPECT_NEAR(found.users->difference, 0.2, 1e-12);
  EXPECT_EQ(strongest({a, b}, 0), 1U);
  EXPECT_EQ(strongest({a, b}, 1), 0U);
  EXPECT_EQ(strongest({a, {}}, 0), std::nullopt);
}

TEST(Verdict, NeedsASmallPValue) {
  EXPECT_EQ(judge(0.1, 0.2), Verdict::kTied);
  EXPECT_EQ(judge(0.1, 0.01), Verdict::kWon);
  EXPECT_EQ(judge(-0.1, 0.01), Verdict::kLost);
}

constexpr const char* kSmall =
    "compare --task recommend --data debian --dim 8 --epochs 2 --patience 0 --threads 2 ";

TEST(CompareCli, RacesStoresAndResumes) {
  const ScratchFolder folder;
  const std::string out = folder.path("race");
  const std::string command = std::string(kSmall) +
                              "--samplers mcns:hardness=8,pool=32,rns --samplers dns " +
                              "--baselines popularity,als --seeds 2 --out " + out;
  const auto first = run_for_json(folder, command);
  ASSERT_EQ(first["rows"].size(), 5U);
  EXPECT_EQ(first["rows"][0]["label"], "mcns:hardness=8,pool=32");
  EXPECT_EQ(first["rows"][1]["label"], "rns");
  EXPECT_EQ(first["rows"][4]["label"], "als");
  EXPECT_TRUE(first["rows"][1]["first_minus_this"].contains("p_users"));
  EXPECT_GT(first["rows"][4]["test"]["mrr"]["mean"].get<double>(),
            first["rows"][3]["test"]["mrr"]["mean"].get<double>());
  EXPECT_TRUE(std::filesystem::exists(out + "/report.html"));
  // One split for all seeds, other vectors.
  const auto record = [&](const char* name) {
    return nlohmann::json::parse(content_of(out + "/runs/" + name));
  };
  const auto one = record("rns.seed01.json"), two = record("rns.seed02.json");
  EXPECT_EQ(one["users"]["ids"], two["users"]["ids"]);
  EXPECT_NE(one["test"]["mrr"], two["test"]["mrr"]);

  expect_failure(folder, command, 2, "--resume");
  std::filesystem::remove(out + "/runs/dns.seed02.json");
  const auto before = std::filesystem::last_write_time(out + "/runs/dns.seed01.json");
  const auto second = run_for_json(folder, command + " --resume");
  EXPECT_EQ(second["rows"][2]["test"]["mrr"], first["rows"][2]["test"]["mrr"]);
  EXPECT_EQ(std::filesystem::last_write_time(out + "/runs/dns.seed01.json"), before);
}

TEST(CompareCli, EpochsAreTheSameForAllAndNothingStopsEarly) {
  const ScratchFolder folder;
  std::string edges;
  for (int i = 0; i < 600; ++i) edges += fmt::format("{} {}\n", i % 60, (i * i) % 47);
  const std::string base = "compare --task recommend --bipartite separate --dim 4 --threads 2 " +
                           ("--train " + folder.write("edges.tsv", edges)) + " --seeds 1 ";
  const auto found =
      run_for_json(folder, base + "--samplers mcns,dns --out " + folder.path("epochs"));
  // Alone, the two have 25 and 60.
  EXPECT_EQ(found["epochs"], 60);
  EXPECT_TRUE(found["differing_settings"].contains("similarity")) << found.dump();
  EXPECT_FALSE(found["differing_settings"].contains("epochs")) << found.dump();
  for (const char* name : {"mcns", "dns"}) {
    const auto record =
        nlohmann::json::parse(content_of(folder.path("epochs") + "/runs/" + name + ".seed01.json"));
    EXPECT_EQ(record["settings"]["epochs"], "60") << name;
    EXPECT_EQ(record["settings"]["patience"], "0") << name;
    EXPECT_EQ(record["epochs"], 60) << name;
  }
  const std::string out = " --out " + folder.path("none");
  expect_failure(folder, base + "--samplers mcns,dns --patience 3" + out, 2, "--patience");
  expect_failure(folder, base + "--samplers mcns --patience 3 --budget seconds --seconds 1" + out,
                 2, "--patience");
  std::ofstream(folder.path("a.toml")) << "sampler = \"rns\"\nepochs = 3\n";
  std::ofstream(folder.path("b.toml")) << "sampler = \"rns\"\nepochs = 4\n";
  expect_failure(
      folder,
      base + "--settings " + folder.path("a.toml") + " --settings " + folder.path("b.toml") + out,
      2, "a has 3");
}

TEST(CompareCli, SettingsFilesAndSecondsAndErrors) {
  const ScratchFolder folder;
  std::ofstream(folder.path("a.toml")) << "sampler = \"rns\"\nlr = 0.1\n";
  std::ofstream(folder.path("b.toml")) << "sampler = \"dns:candidates=4\"\n";
  const std::string files =
      "--settings " + folder.path("a.toml") + " --settings " + folder.path("b.toml");
  const auto found = run_for_json(
      folder, std::string(kSmall) + files + " --seeds 1 --out " + folder.path("files"));
  EXPECT_EQ(found["rows"][0]["label"], "a");
  const auto record =
      nlohmann::json::parse(content_of(folder.path("files") + "/runs/b.seed01.json"));
  EXPECT_EQ(record["settings"]["sampler.candidates"], "4");
  const std::string out = " --out " + folder.path("none");
  expect_failure(folder, std::string(kSmall) + "--seeds 1" + out, 2, "needs samplers");
  expect_failure(folder, std::string(kSmall) + "--samplers rns,rns" + out, 2, "twice");
  expect_failure(folder, std::string(kSmall) + "--samplers rnss" + out, 2, "rns");
  expect_failure(folder, std::string(kSmall) + "--samplers rns --baselines svd" + out, 2,
                 "popularity");
  expect_failure(folder, std::string(kSmall) + "--samplers rns --budget seconds" + out, 2,
                 "--seconds");
}

}  // namespace
}  // namespace mcns
