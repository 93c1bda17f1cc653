// `mcns reproduce` as a user calls it: killed, resumed, shared, in part, with cells that fail.
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "mcns/compare/tuned_piece.h"
#include "mcns/reproduce/reproduce.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

const std::string kFolder = std::string(kSourceFolder) + "/tests/data/experiments";

std::map<std::string, fs::file_time_type> fold_files(const std::string& folder) {
  std::map<std::string, fs::file_time_type> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".json" && contains(entry.path().string(), "fold"))
      out[entry.path().string()] = entry.last_write_time();
  return out;
}

TEST(SlowReproduce, AKilledRunGoesOnWhereItWas) {
  const ScratchFolder folder;
  const std::string out = folder.path("again");
  const std::string command = "reproduce table-small --experiments " + kFolder +
                              " --folds 3 --threads 2 --quiet --out " + out;
  Process first(folder, command);
  ASSERT_TRUE(first.wait_for(out + "/table-small/packages/deepwalk/dns.paper.fold01.json"));
  first.signal(SIGKILL);
  first.wait();
  const auto before = fold_files(out);
  ASSERT_GE(before.size(), 2U);
  ASSERT_LT(before.size(), 21U);
  // Two at a time.
  Process second(folder, command);
  const ScratchFolder other;
  const Finished third = run_mcns(other, command);
  const Finished done = second.wait();
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(third.code, 0) << third.err;
  const auto after = fold_files(out);
  EXPECT_EQ(after.size(), 3U * (3 * 2 + 1));
  for (const auto& [path, time] : before) EXPECT_EQ(after.at(path), time) << path;
  EXPECT_TRUE(contains(done.out, "packages/deepwalk"));
  const bool judged =
      contains(done.out, "won") || contains(done.out, "tied") || contains(done.out, "lost");
  EXPECT_TRUE(judged) << done.out;
  EXPECT_TRUE(fs::exists(out + "/report.html"));
  // Both processes see the same folds.
  EXPECT_EQ(done.out, third.out);
}

TEST(ReproduceCli, PicksCellsAndFolds) {
  const ScratchFolder folder;
  const std::string base =
      "reproduce fig-small --experiments " + kFolder + " --threads 2 --out " + folder.path("x");
  const auto json = run_for_json(folder, base + " --folds 1 --only '*/inverse-dns@4'");
  int run = 0;
  for (const auto& cell : json["cells"]) run += cell["folds"] == 1;
  EXPECT_EQ(run, 1);
  EXPECT_TRUE(fs::exists(folder.path("x") +
                         "/fig-small/packages/deepwalk/inverse-dns_4.paper.fold01.json"));
  expect_failure(folder, base + " --only nothing", 2, "packages/deepwalk/inverse-dns");
  expect_failure(folder, "reproduce fig-none --experiments " + kFolder + " --out x", 2,
                 "fig-small");
  expect_failure(folder, base + " --kinds best", 2, "paper");
  expect_failure(folder, base + " --seed 3", 2, "--seed");
}

TEST(ReproduceCli, ACellThatFailsDoesNotEndTheOthers) {
  const ScratchFolder folder;
  folder.write("paper_figures.toml", "");
  folder.write("table-broken.toml", R"(title = "x"
task = "recommend"
metrics = ["mrr"]
kinds = ["paper"]
samplers = ["rns", "mcns"]
[[row]]
name = "broken"
kinds = ["paper"]
settings = { sampler = "file:no/such/file" }
[[dataset]]
name = "packages"
data = "debian"
models = ["deepwalk"]
settings = { dim = 8, epochs = 1, batch = 4096 }
[[dataset]]
name = "missing"
data = "no-such-dataset"
models = ["deepwalk"]
[models.deepwalk]
both = { model = "deepwalk" }
)");
  const std::string command = "reproduce table-broken --experiments " + folder.path(".") +
                              " --threads 2 --quiet --json --out " + folder.path("x");
  const Finished done = run_mcns(folder, command);
  EXPECT_EQ(done.code, 1) << done.err;
  EXPECT_TRUE(contains(done.err, "no/such/file")) << done.err;
  int run = 0, without_data = 0, failed = 0;
  const auto json = nlohmann::json::parse(done.out);
  for (const auto& cell : json["cells"]) {
    run += cell["folds"] == 1;
    const std::string trouble = cell.value("trouble", "");
    without_data += trouble == "no data";
    failed += contains(trouble, "failed: ");
  }
  EXPECT_EQ(run, 2);
  EXPECT_EQ(without_data, 3);
  EXPECT_EQ(failed, 1);
  expect_failure(folder, command + " --only missing", 2, "MCNS_DATA");
}

TEST(SlowReproduce, AStoppedSearchGoesOn) {
  const ScratchFolder folder;
  const RecordStore store(folder.path("x"));
  const ExperimentSpec spec = read_experiment(kFolder, "table-small");
  const Experiment one = cell_experiment(spec, spec.cells.back(), 1);
  std::atomic<bool> interrupted = false;
  struct Counter : TuneObserver {
    std::atomic<bool>* stop = nullptr;
    int trials = 0;
    void trial_done(const Trial& trial) override {
      trials += trial.from_before ? 0 : 1;
      if (stop != nullptr) *stop = true;
    }
  } first, second;
  first.stop = &interrupted;
  const auto piece = [&](Counter& counter, const std::atomic<bool>* stop) {
    return tuned_piece(store, "a.json", one, "plan", 6,
                       {.observer = &counter, .interrupted = stop, .ready = {}, .warning = {}});
  };
  ASSERT_EQ(store.run(piece(first, &interrupted)), RecordStore::Outcome::kInterrupted);
  ASSERT_EQ(store.run(piece(second, nullptr)), RecordStore::Outcome::kDone);
  const Piece whole = piece(second, nullptr);
  const int trials = parse_tuned(*store.find(whole.file, whole.key), "a.json").trials;
  EXPECT_GE(first.trials, 1);
  EXPECT_EQ(first.trials + second.trials, trials);
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder.path("x"))) {
    EXPECT_TRUE(entry.is_regular_file()) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 1);
}

}  // namespace
}  // namespace mcns
