// A search on a small graph: the same for any threads, after an interruption, and whatever the test
// pairs are; what it writes and what it refuses.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "mcns/tune/tune.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

/// Users and items of two groups that like each other.
std::string pairs(int seed, int count, int users = 60) {
  std::string text;
  Rng rng(seed, Domain::kTest);
  for (int i = 0; i < count; ++i) {
    const auto user = rng.below(users), item = rng.below(20) * 2 + user % 2;
    text += fmt::format("u{}\ti{}\n", user, item);
  }
  return text;
}

class Tune : public testing::Test {
 protected:
  Tune() {
    experiment_.task = Task::kRecommend;
    experiment_.files = {.train = folder_.write("train.tsv", pairs(1, 700)),
                         .valid = folder_.write("valid.tsv", pairs(2, 80)),
                         .test = folder_.write("test.tsv", pairs(3, 80)),
                         .labels = ""};
    experiment_.load.bipartite = "separate";
    experiment_.split.allow_leaks = true;
    experiment_.train.epochs = 10;
    experiment_.train.dim = 8;
    experiment_.train.batch = 64;
    experiment_.threads = 2;
  }
  Experiment into(const std::string& out) const {
    Experiment e = experiment_;
    e.output.out = folder_.path(out);
    return e;
  }
  TuneResult tune(const std::string& out, int settings = 8) const {
    return tune_experiment(into(out), {settings, "mcns tune"});
  }
  /// The lines that are no comments.
  std::string found(const std::string& out) const {
    return std::regex_replace(content_of(folder_.path(out + "/tuned.toml")),
                              std::regex("#[^\n]*\n"), "");
  }
  /// What every trial gave, without the seconds and in order.
  std::vector<std::string> trials(const std::string& out) const {
    std::vector<std::string> lines;
    std::istringstream in(content_of(folder_.path(out + "/trials.jsonl")));
    std::string line;
    std::getline(in, line);  // the experiment
    while (std::getline(in, line)) {
      auto trial = nlohmann::json::parse(line);
      trial.erase("seconds");
      lines.push_back(trial.dump());
    }
    std::ranges::sort(lines);
    return lines;
  }

  ScratchFolder folder_;
  Experiment experiment_;
};

TEST_F(Tune, FindsTheBestOfTheLastRung) {
  const TuneResult result = tune("a");
  ASSERT_TRUE(result.finished);
  EXPECT_EQ(result.metric, "mrr");
  EXPECT_EQ(result.rung_epochs, (std::vector<int>{1, 3, 10}));
  // The defaults are in the last rung, even where they were not in the one before.
  const int last = result.rows[0].values.size() == 3 ? 2 : 3;
  EXPECT_EQ(result.trials, 8 + 2 + last);
  EXPECT_LE(result.full_runs, 0.8 + 0.6 + last);
  const auto& best = result.rows[result.best];
  ASSERT_EQ(best.values.size(), result.best == 0 && last == 3 ? 2U : 3U);
  for (const auto& row : result.rows)
    if (row.values.size() == 3) EXPECT_LE(row.values[2], best.values.back());
  EXPECT_EQ(result.tuned, best.changes);
  EXPECT_TRUE(contains(result.toml, "the best of 8 settings"));
  EXPECT_TRUE(result.toml.starts_with("# mcns tune\n"));
  EXPECT_EQ(std::ssize(trials("a")), result.trials);
}

TEST_F(Tune, IsTheSameForAnyThreads) {
  for (const int threads : {1, 2, 3}) {
    experiment_.threads = threads;
    tune(std::to_string(threads));
  }
  for (const char* other : {"2", "3"}) {
    EXPECT_EQ(found("1"), found(other));
    EXPECT_EQ(trials("1"), trials(other));
  }
}

TEST_F(Tune, DoesNotLookAtTestPairs) {
  tune("a");
  folder_.write("test.tsv", pairs(99, 30, 10));
  tune("b");
  EXPECT_EQ(found("a"), found("b"));
  std::vector<double> values[2];
  for (const int i : {0, 1})
    for (const std::string& line : trials(i == 0 ? "a" : "b"))
      values[i].push_back(nlohmann::json::parse(line)["value"]);
  std::ranges::sort(values[0]);
  std::ranges::sort(values[1]);
  EXPECT_EQ(values[0], values[1]);
}

/// Stops after some trials.
class StopAfter final : public TuneObserver {
 public:
  explicit StopAfter(int trials) : left_(trials) {}
  void trial_done(const Trial& trial) override {
    if (!trial.from_before) ++fresh;
    if (--left_ == 0) interrupted = true;
  }
  std::atomic<bool> interrupted{false};
  int fresh = 0;

 private:
  int left_;
};

TEST_F(Tune, AnInterruptedSearchGoesOn) {
  const TuneResult whole = tune("whole");
  for (const int stop : {1, 7, 8, 9, 11}) {
    const std::string out = "stopped-" + std::to_string(stop);
    Experiment e = into(out);
    e.threads = 1;
    StopAfter first(stop), second(0);
    EXPECT_FALSE(
        tune_experiment(e, {8, ""}, {.observer = &first, .interrupted = &first.interrupted})
            .finished);
    EXPECT_FALSE(std::filesystem::exists(folder_.path(out + "/tuned.toml")));
    const auto before = trials(out).size();
    EXPECT_EQ(before, static_cast<std::size_t>(stop));
    // A line that was cut off, as by a power failure.
    std::ofstream(folder_.path(out + "/trials.jsonl"), std::ios::app) << R"({"setting":3,"epo)";
    e.output.resume = true;
    e.threads = 2;
    const TuneResult rest = tune_experiment(e, {8, ""}, {.observer = &second});
    EXPECT_TRUE(rest.finished);
    EXPECT_EQ(second.fresh + static_cast<int>(before), whole.trials);
    EXPECT_EQ(rest.from_before, static_cast<int>(before));
    EXPECT_EQ(rest.tuned, whole.tuned);
    EXPECT_EQ(found(out), found("whole"));
    EXPECT_EQ(trials(out), trials("whole"));
  }
}

TEST_F(Tune, MoreSettingsGoOnFromFewer) {
  tune("a", 4);
  Experiment e = into("a");
  e.output.resume = true;
  StopAfter observer(0);
  const TuneResult more = tune_experiment(e, {8, ""}, {.observer = &observer});
  EXPECT_GE(more.from_before, 4);
  tune("b", 8);
  EXPECT_EQ(found("a"), found("b"));
}

TEST_F(Tune, OtherSettingsOrADamagedLogAreRefused) {
  tune("a", 2);
  EXPECT_TRUE(contains(error_of(ErrorKind::kUsage, [&] { tune("a", 2); }), "exists already"));
  Experiment e = into("a");
  e.output.resume = true;
  e.train.dim = 9;
  EXPECT_TRUE(contains(error_of(ErrorKind::kUsage,
                                [&] {
                                  tune_experiment(e, {2, ""});
                                }),
                       "cannot resume: dim was 8 and is now 9"));
  e.train.dim = 8;
  const auto path = folder_.path("a/trials.jsonl");
  std::string text = content_of(path);
  text.insert(text.find('\n') + 1, "{\"setting\":1}\n");
  folder_.write("a/trials.jsonl", text);
  EXPECT_TRUE(contains(error_of(ErrorKind::kData,
                                [&] {
                                  tune_experiment(e, {2, ""});
                                }),
                       "trials.jsonl:2: not a trial"));
  e.output.resume = false;
  e.output.force = true;
  EXPECT_TRUE(tune_experiment(e, {2, ""}).finished);
}

TEST_F(Tune, WithoutAFolderNothingIsWritten) {
  const TuneResult result = tune_experiment(experiment_, {3, "mcns tune --names 'a\nlr = 9'"});
  EXPECT_TRUE(result.finished);
  EXPECT_TRUE(result.toml.starts_with("# mcns tune --names 'a lr = 9'\n")) << result.toml;
}

/// Half of the settings let the loss overflow.
TEST_F(Tune, ASettingThatFailsIsRecordedAndLast) {
  Components mine = builtin_components();
  SamplerEntry entry = mine.samplers.find("rns");
  entry.name = "fragile";
  entry.parameters = {
      choice_parameter("works", {"yes", "no"}, "yes", "").tuned_among({"yes", "no"})};
  entry.make = [make = entry.make](const Parameters& p, const SamplerContext& context) {
    require(p.text("works") == "yes", "does not work");
    return make(p, context);
  };
  mine.samplers.add(entry);
  experiment_.components = &mine;
  experiment_.train.sampler = "fragile";
  const TuneResult result = tune("a", 8);
  int failed = 0;
  for (const auto& row : result.rows) {
    if (row.error.empty()) continue;
    ++failed;
    EXPECT_EQ(row.error, "does not work");
    EXPECT_EQ(row.changes.at("sampler.works"), "no");
    EXPECT_EQ(row.values.size(), 1U);
  }
  EXPECT_GE(failed, 2);
  EXPECT_FALSE(result.tuned.contains("sampler.works"));
  EXPECT_TRUE(contains(content_of(folder_.path("a/trials.jsonl")), "does not work"));
  experiment_.train.sampler = "fragile:works=no";
  EXPECT_TRUE(contains(error_of(ErrorKind::kRuntime, [&] { tune("b", 4); }),
                       "every setting failed; the defaults: does not work"));
}

TEST_F(Tune, RefusesWhatCannotBeTuned) {
  const auto message = [&](const Experiment& e, int settings = 3) {
    return error_of(ErrorKind::kUsage, [&] { tune_experiment(e, {settings, ""}); });
  };
  EXPECT_TRUE(contains(message(experiment_, 0), "between 1 and 10000, got 0"));
  EXPECT_TRUE(contains(message(experiment_, 10001), "got 10001"));
  Experiment e = experiment_;
  e.task.reset();
  EXPECT_TRUE(contains(message(e), "training on a whole graph"));
  e = experiment_;
  e.files.valid.clear();
  e.split.valid_share = 0;
  EXPECT_TRUE(contains(message(e), "--valid-share above 0"));
  e = experiment_;
  e.train.epochs = 0;
  EXPECT_TRUE(contains(message(e), "--epochs 0"));
  e = experiment_;
  e.train.sampler = "rns";
  e.train.similarity = "dot";
  e.train.lr = 0.1;
  e.train.l2 = 0.1;
  EXPECT_TRUE(contains(message(e), "nothing to tune"));
}

/// Two groups of nodes, each linked within; the labels are the groups.
class TuneClassify : public testing::Test {
 protected:
  TuneClassify() {
    std::string edges;
    Rng rng(5, Domain::kTest);
    for (int i = 0; i < 400; ++i) {
      const auto group = rng.below(2) * 40;
      edges += fmt::format("{} {}\n", group + rng.below(40), group + rng.below(40));
    }
    e_.task = Task::kClassify;
    e_.files.train = folder_.write("links.txt", edges);
    e_.train = {.positives = "walks:walks=10,length=10,window=3",
                .sampler = "degree",
                .dim = 8,
                .epochs = 3};
    e_.threads = 2;
    write_labels({});
  }
  /// Nodes of `turned` get the label of the other group.
  void write_labels(const std::set<int>& turned) {
    std::string labels;
    for (int v = 0; v < 80; ++v)
      labels += fmt::format("{} {}\n", v, (v < 40) == turned.contains(v) ? "a" : "b");
    e_.files.labels = folder_.write("labels.txt", labels);
  }

  ScratchFolder folder_;
  Experiment e_;
};

TEST_F(TuneClassify, UsesAShareOfTheTrainingLabels) {
  const TuneResult result = tune_experiment(e_, {6, ""});
  EXPECT_EQ(result.metric, "50/micro_f1");
  const double best = result.rows[result.best].values.back();
  EXPECT_GT(best, 0.8);
  EXPECT_LE(best, 1);
  // The same seeds, the best setting: the value is what a run with a validation share reports.
  Experiment run = e_;
  run.tuned = result.tuned;
  run.split.valid_share = 0.2;
  const ExperimentResult again = run_experiment(run, {});
  EXPECT_EQ(value_of(again.valid, "50/micro_f1"), best);
  EXPECT_EQ(again.valid.size(), 6U);
  // The test figures are those of a run without validation: fitted on the whole share.
  run.split.valid_share = 0;
  const ExperimentResult plain = run_experiment(run, {});
  EXPECT_TRUE(plain.valid.empty());
  EXPECT_EQ(plain.test, again.test);
}

TEST_F(TuneClassify, PatienceStopsOnValidation) {
  e_.train.epochs = 30;
  e_.train.patience = 2;
  const ExperimentResult result = run_experiment(e_, {});
  EXPECT_EQ(result.valid.size(), 6U);
  const auto metrics = nlohmann::json::parse(result.metrics_json);
  EXPECT_LT(metrics["epochs"], 30);
}

TEST_F(TuneClassify, RepeatsAreOneFigure) {
  e_.train.loss = "logistic";  // does not tell all nodes apart, so that seeds differ
  e_.split.repeats = 3;
  e_.split.valid_share = 0.2;
  e_.seed = 4;
  e_.output.out = folder_.path("model");
  const ExperimentResult whole = run_experiment(e_, {});
  std::vector<Metrics> single;
  for (const std::uint64_t seed : {4, 5, 6}) {
    Experiment one = e_;
    one.split.repeats.reset();
    one.output.out.clear();
    one.seed = seed;
    one.split.split_seed = 4;
    single.push_back(run_experiment(one, {}).test);
  }
  ASSERT_EQ(whole.test.size(), 6U);
  for (std::size_t i = 0; i < whole.test.size(); ++i) {
    double mean = 0, variance = 0;
    for (const Metrics& one : single) mean += one[i].value / 3;
    for (const Metrics& one : single) variance += std::pow(one[i].value - mean, 2) / 2;
    EXPECT_NEAR(whole.test[i].value, mean, 1e-12);
    EXPECT_NEAR(whole.test_deviation[i].value, std::sqrt(variance), 1e-9);
  }
  EXPECT_NE(single[0], single[1]);
  const auto metrics = nlohmann::json::parse(content_of(folder_.path("model/metrics.json")));
  EXPECT_EQ(metrics["repeats"], 3);
  EXPECT_EQ(metrics["runs"].size(), 3U);
  EXPECT_EQ(metrics["runs"][2]["seed"], 6);
  EXPECT_EQ(metrics["test"]["50"]["micro_f1"], value_of(whole.test, "50/micro_f1"));
  EXPECT_EQ(metrics["test_deviation"]["50"]["micro_f1"],
            value_of(whole.test_deviation, "50/micro_f1"));
  const auto third = nlohmann::json::parse(content_of(folder_.path("model/seed-6/metrics.json")));
  EXPECT_EQ(third["test"], metrics["runs"][2]["test"]);
}

TEST_F(Tune, LinkPredictionIsTunedOnItsOwnMetric) {
  std::string edges;
  Rng rng(5, Domain::kTest);
  for (int i = 0; i < 300; ++i) edges += fmt::format("{} {}\n", rng.below(50), rng.below(50));
  Experiment e;
  e.task = Task::kLinkpred;
  e.files.train = folder_.write("links.txt", edges);
  e.train = {.sampler = "degree", .dim = 8, .epochs = 2};
  e.threads = 1;
  const TuneResult result = tune_experiment(e, {5, ""});
  EXPECT_EQ(result.metric, "auc");
  EXPECT_EQ(result.dimensions.size(), 3U);
  EXPECT_EQ(result.dimensions[2].name, "sampler.power");
}

}  // namespace
}  // namespace mcns
