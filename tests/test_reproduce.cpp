// Experiments as data, and what is made of their results: verdicts, claims, tables.
#include <cmath>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/reproduce/summary.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

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
  EXPECT_EQ(table.cells.size(), 7U * (9 * 2 + 1));  // and a control with the paper's settings
  EXPECT_EQ(table.controls, std::vector<std::string>{"mcns-control"});
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

TEST(ExperimentFiles, TheQuickPartOfEachFitsTenMinutes) {
  const ScratchFolder folder;
  for (const std::string& name : experiment_names(kShipped)) {
    ReproduceOptions options;
    options.out = folder.path("none");
    options.quick = options.plan = true;
    // The data need not be here for an estimate.
    ExperimentSpec spec = read_experiment(kShipped, name);
    for (CellSpec& cell : spec.cells) cell.data = "debian";
    ReproduceHooks hooks;
    ReproducePlan plan;
    hooks.planned = [&](const ReproducePlan& p) { plan = p; };
    reproduce(spec, options, hooks);
    EXPECT_GT(plan.runs, 0) << name;
    EXPECT_LE(plan.seconds, 600) << name;
    if (name == "fig-mixing") EXPECT_EQ(plan.runs, 1);  // one measurement has all points
  }
}

TEST(ExperimentFiles, RemarksStandUnderBeginningsOfNames) {
  const Remarks remarks = {{"below/recommend/movielens", "general"},
                           {"below/recommend/movielens/gcn/dns", "special"}};
  EXPECT_EQ(remark_on(remarks, "below/recommend/movielens/gcn/dns"), "special");
  EXPECT_EQ(remark_on(remarks, "below/recommend/movielens/gcn/mcns"), "general");
  EXPECT_EQ(remark_on(remarks, "below/linkpred/arxiv"), "");
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
    const double valid = cell.sampler == "dns" ? 0.3 : cell.sampler == "control" ? 0.9 : 0.2;
    const double test = cell.sampler == "rns" ? 0.5 : cell.sampler == "dns" ? 0.2 : 0.3;
    for (int f = 1; f <= 3 && cell.kind == "paper"; ++f)
      result.runs.push_back(fold(f, valid, test + 0.001 * f * (cell.sampler == "mcns" ? 1 : 2)));
    out.cells.push_back(std::move(result));
  }
  return out;
}

CellResult& cell_of(ReproduceResult& result, const std::string& sampler) {
  for (CellResult& cell : result.cells)
    if (cell.cell.sampler == sampler && cell.cell.kind == "paper") return cell;
  throw std::out_of_range(sampler);
}

Reading reading_of(const ReproduceResult& result) {
  return {read_paper_figures(kFolder), {}, judge_columns({result})};
}

TEST(Summary, TheRivalIsChosenOnValidationAndIsNoControl) {
  const auto verdicts = judge_columns({made_up()});
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].rival, "dns");
  EXPECT_EQ(verdicts[0].verdict, Verdict::kWon);
  EXPECT_EQ(verdicts[0].comparison.count, 3);
  const auto claims = claims_of(made_up(), verdicts);
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].outcome, Outcome::kHolds);
  EXPECT_TRUE(contains(claims[0].text, "holds: MCNS won against dns"));
}

TEST(Summary, OnlyFoldsThatBothHaveCount) {
  ReproduceResult result = made_up();
  auto& dns = cell_of(result, "dns").runs;
  dns.erase(dns.begin());
  auto& own = cell_of(result, "mcns").runs;
  own.push_back(fold(4, 0.2, 0.9));
  const auto verdicts = judge_columns({result});
  EXPECT_EQ(verdicts[0].comparison.count, 2);
  EXPECT_NEAR(verdicts[0].own, 0.3025, 1e-12);
  EXPECT_NEAR(verdicts[0].other, 0.205, 1e-12);
  // rns has an easy fold that mcns has not: it is not the rival for that.
  cell_of(result, "rns").runs.push_back(fold(9, 5, 0.1));
  EXPECT_EQ(judge_columns({result})[0].rival, "dns");
}

TEST(Summary, AllTablesOfAKindOfSettingsAreOneFamily) {
  ReproduceResult first = made_up(), second = made_up();
  second.spec.name = "table-other";
  second.spec.judged = {"mrr", "mrr"};
  const auto alone = judge_columns({first}), both = judge_columns({first, second});
  ASSERT_EQ(both.size(), 3U);
  EXPECT_EQ(both[0].family, 3);
  EXPECT_NEAR(both[0].p_value, 3 * alone[0].p_value, 1e-12);
}

TEST(Summary, SeedsOfOneSplitDoNotOverlap) {
  ReproduceResult result = made_up();
  const double folds = judge_columns({result})[0].comparison.repeats.t;
  for (CellResult& cell : result.cells) cell.cell.fixed_split = true;
  const double seeds = judge_columns({result})[0].comparison.repeats.t;
  EXPECT_NEAR(seeds / folds, std::sqrt((1.0 / 3 + 0.1111) / (1.0 / 3)), 1e-9);
}

TEST(Summary, TheShippedTablesGiveNineteenVerdicts) {
  std::vector<ReproduceResult> results;
  for (const char* name : {"table-recommend", "table-linkpred", "table-classify"}) {
    ReproduceResult result;
    result.spec = read_experiment(kShipped, name);
    for (const CellSpec& cell : result.spec.cells) {
      CellResult one{cell, {}, true};
      RunRecord run = fold(1, 0.5, 0.5);
      run.test.clear();
      for (const std::string& metric : result.spec.metrics) run.test.push_back({metric, 0.5});
      if (cell.kind == "paper") one.runs = {run};
      result.cells.push_back(std::move(one));
    }
    results.push_back(std::move(result));
  }
  const auto verdicts = judge_columns(results);
  EXPECT_EQ(verdicts.size(), 19U);
  for (const ColumnVerdict& verdict : verdicts) EXPECT_EQ(verdict.family, 19);
  // Ten divisions of half of the labels: ten times test over train.
  EXPECT_EQ(results[2].spec.overlap("50/micro_f1"), 10);
  EXPECT_EQ(results[2].spec.overlap("10/micro_f1"), 90);
}

TEST(Summary, TablesHaveThePapersFiguresAndSayWhatWasNotRun) {
  ReproduceResult result = made_up();
  const Reading reading = reading_of(result);
  const auto rows = table_rows(result, "paper", "mrr", reading.paper);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"mrr", "packages/deepwalk", "paper"}));
  EXPECT_EQ(rows[1], (std::vector<std::string>{"rns", "0.5040 ± 0.0020", "0.5000, above"}));
  EXPECT_EQ(rows[2][2], "-");
  EXPECT_EQ(table_rows(result, "tuned", "mrr", reading.paper)[1][1], "not run");
  const AgainstPaper counts = against_paper(result, "paper", "mrr", reading.paper);
  EXPECT_EQ(counts.above, 2);
  EXPECT_EQ(counts.below, 0);
  cell_of(result, "mcns").runs.clear();
  cell_of(result, "mcns").trouble = "failed: no memory";
  EXPECT_EQ(table_rows(result, "paper", "mrr", reading.paper)[3][1], "failed: no memory");
}

TEST(Summary, BelowThePaperHasASentence) {
  ReproduceResult result = made_up();
  Reading reading = reading_of(result);
  for (RunRecord& run : cell_of(result, "rns").runs) run.test[0].value -= 0.1;
  EXPECT_TRUE(contains(below_paper(result, "paper", reading).at(0), "No reason is known."));
  reading.remarks["below/recommend/packages"] = "The split is another.";
  const auto lines = below_paper(result, "paper", reading);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0], "packages/deepwalk/rns: mrr 0.4040 below 0.5000. The split is another.");
}

/// inverse-dns at 1, 4 and 16, two folds each, and mcns.
ReproduceResult made_up_figure(const std::vector<double>& values, double noise) {
  ReproduceResult out;
  out.spec = read_experiment(kFolder, "fig-small");
  std::size_t i = 0;
  for (const CellSpec& cell : out.spec.cells) {
    CellResult result{cell, {}, true};
    const double value = cell.x ? values[i++] : 0.6;
    for (int f = 1; f <= 4; ++f)
      result.runs.push_back(fold(f, value, value + noise * ((f * 7 + i * 3) % 5)));
    out.cells.push_back(std::move(result));
  }
  return out;
}

TEST(Summary, ClaimsAboutCurvesNeedATest) {
  const auto claim = [](const ReproduceResult& result) { return claims_of(result, {}).at(0); };
  EXPECT_EQ(claim(made_up_figure({0.5, 0.4, 0.3}, 0.001)).outcome, Outcome::kHolds);
  EXPECT_EQ(claim(made_up_figure({0.3, 0.4, 0.5}, 0.001)).outcome, Outcome::kFails);
  EXPECT_EQ(claim(made_up_figure({0.5, 0.4, 0.499}, 0.1)).outcome, Outcome::kOpen);
  // The same differences as a claim that is highest in the middle.
  ReproduceResult peaks = made_up_figure({0.3, 0.5, 0.4}, 0.001);
  peaks.spec.series[0].claim = "peaks";
  EXPECT_EQ(claim(peaks).outcome, Outcome::kHolds);
  peaks.spec.series[0].claim = "below";
  EXPECT_EQ(claim(peaks).outcome, Outcome::kHolds);  // mcns has 0.6
  const Reading reading = reading_of(made_up());
  EXPECT_TRUE(failed_claims({peaks}, reading).empty());
  const auto failed = failed_claims({made_up_figure({0.3, 0.4, 0.5}, 0.001)}, reading);
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_TRUE(contains(failed[0], "fig-small: packages/deepwalk, inverse-dns")) << failed[0];
}

}  // namespace
}  // namespace mcns
