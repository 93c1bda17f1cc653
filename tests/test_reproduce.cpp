// Experiments as data, and `mcns reproduce` as a user calls it: killed, resumed, shared.
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/reproduce/summary.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

const std::string kFolder = std::string(kSourceFolder) + "/tests/data/experiments";
const std::string kShipped = std::string(kSourceFolder) + "/experiments";

TEST(ExperimentFiles, EveryShippedOneCanBeRead) {
  const auto names = experiment_names(kShipped);
  for (const char* name :
       {"table-recommend", "table-linkpred", "table-classify", "fig-degree", "fig-params",
        "fig-runtime", "fig-negatives", "fig-inverse-dns", "fig-mixing"})
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  for (const std::string& name : names) EXPECT_NO_THROW(read_experiment(kShipped, name)) << name;
  const ExperimentSpec table = read_experiment(kShipped, "table-recommend");
  EXPECT_EQ(table.cells.size(), 7U * 9 * 2);
  EXPECT_EQ(table.cells[0].name(), "movielens/deepwalk/degree");
  const PaperFigures paper = read_paper_figures(kShipped);
  EXPECT_EQ(paper.at("recommend/movielens/deepwalk/mcns/mrr"), 0.053);
  EXPECT_EQ(paper.at("linkpred/arxiv/graphsage/mcns/auc"), 0.835);
  EXPECT_EQ(paper.at("classify/blogcatalog/gcn/dns/50/micro_f1"), 0.46);
  EXPECT_EQ(paper.size(), 7U * 9 * 2 + 3 * 9 + 3 * 9 * 3);
}

TEST(ExperimentFiles, FoldsAreWhatTheTaskHas) {
  const ExperimentSpec table = read_experiment(kShipped, "table-recommend");
  const Experiment one = cell_experiment(table, table.cells[0], 3);
  EXPECT_EQ(one.split.fold, 3);
  EXPECT_EQ(one.split.split_seed, 1);
  EXPECT_EQ(one.train.preset, "paper");
  EXPECT_EQ(one.train.sampler, "degree");
  const ExperimentSpec links = read_experiment(kShipped, "table-linkpred");
  const Experiment other = cell_experiment(links, links.cells[0], 3);
  EXPECT_EQ(other.split.split_seed, 3);
  EXPECT_FALSE(other.split.fold.has_value());
}

TEST(ExperimentFiles, PatternsPickCells) {
  EXPECT_TRUE(matches("a/b/c", {}));
  EXPECT_TRUE(matches("a/b/c", {"a"}));
  EXPECT_TRUE(matches("a/b/c", {"x", "a/b"}));
  EXPECT_TRUE(matches("a/b/c@1", {"a/b/c"}));
  EXPECT_TRUE(matches("a/b/c", {"*/c"}));
  EXPECT_FALSE(matches("a/b/cd", {"a/b/c"}));
  EXPECT_FALSE(matches("a/b/c", {"b"}));
}

TEST(ExperimentFiles, WrongFilesAreRefusedWithTheirLine) {
  const ScratchFolder folder;
  const auto message = [&](const std::string& text) {
    folder.write("table-x.toml", text);
    try {
      read_experiment(folder.path("."), "table-x");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_TRUE(contains(message("title = \"x\"\nfoo = 1\ntask = \"recommend\"\n"), "foo"));
  EXPECT_TRUE(contains(message("title = \n"), ":1"));
  EXPECT_TRUE(
      contains(message("title = \"x\"\ntask = \"recommend\"\nmetrics = [\"mrr\"]\n"), "no cells"));
  EXPECT_THROW(read_experiment(folder.path("."), "table-y"), Error);
}

RunRecord fold(int number, double valid, double test) {
  RunRecord out;
  out.repeat = number;
  out.metric = "mrr";
  out.valid = {{"mrr", valid}};
  out.test = {{"mrr", test}};
  return out;
}

/// rns, dns, mcns with three folds each; dns is best on validation, rns on test.
ReproduceResult made_up() {
  ReproduceResult out;
  out.spec = read_experiment(kFolder, "table-small");
  for (const CellSpec& cell : out.spec.cells) {
    CellResult result{cell, {}, true};
    const double valid = cell.sampler == "dns" ? 0.3 : 0.2;
    const double test = cell.sampler == "rns" ? 0.5 : cell.sampler == "dns" ? 0.2 : 0.3;
    for (int f = 1; f <= 3 && cell.kind == "paper"; ++f)
      result.runs.push_back(fold(f, valid, test + 0.001 * f * (cell.sampler == "mcns" ? 1 : 2)));
    out.cells.push_back(std::move(result));
  }
  return out;
}

TEST(Summary, TheRivalIsChosenOnValidation) {
  const auto verdicts = judge_columns(made_up());
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].rival, "dns");
  EXPECT_EQ(verdicts[0].verdict, Verdict::kWon);
  EXPECT_EQ(verdicts[0].comparison.count, 3);
  const auto claims = claims_of(made_up());
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_TRUE(contains(claims[0], "does not hold: rns"));
}

TEST(Summary, TablesHaveThePapersFiguresAndSayWhatWasNotRun) {
  const PaperFigures paper = read_paper_figures(kFolder);
  const auto rows = table_rows(made_up(), "paper", "mrr", paper);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"mrr", "packages/deepwalk", "paper"}));
  EXPECT_EQ(rows[1], (std::vector<std::string>{"rns", "0.5040 ± 0.0020", "0.5000"}));
  EXPECT_EQ(rows[2][2], "-");
  EXPECT_EQ(table_rows(made_up(), "tuned", "mrr", paper)[1][1], "not run");
  const AgainstPaper counts = against_paper(made_up(), "paper", "mrr", paper);
  EXPECT_EQ(counts.above, 2);
  EXPECT_EQ(counts.below, 0);
}

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
  ASSERT_LT(before.size(), 18U);
  // Two at a time.
  Process second(folder, command);
  const ScratchFolder other;
  const Finished third = run_mcns(other, command);
  const Finished done = second.wait();
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(third.code, 0) << third.err;
  const auto after = fold_files(out);
  EXPECT_EQ(after.size(), 3U * 3 * 2);
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
}

}  // namespace
}  // namespace mcns
