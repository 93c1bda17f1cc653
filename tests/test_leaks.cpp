// The leak checker: every kind of defect planted alone and found with its count, nothing in clean
// splits, and the known defects of splits that others published.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"
#include "mcns/io/text_file.h"
#include "mcns/splits/interactions.h"
#include "mcns/splits/leaks.h"
#include "mcns/splits/links.h"

#include "tests/paths.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

std::string scratch() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const auto folder = fs::path(kTestScratch) / "leaks" / test->name();
  fs::create_directories(folder);
  return folder.string();
}

std::string write(const std::string& name, const std::string& text) {
  const auto path = (fs::path(scratch()) / name).string();
  std::ofstream(path) << text;
  return path;
}

struct Texts {
  std::string train, valid, test;
};

LeakReport check_files(const DatasetFiles& files, Task task, Bipartite bipartite = Bipartite::kNone,
                       bool directed = false) {
  LoadOptions options;
  options.bipartite = bipartite_word(bipartite);
  ThreadPool pool(2);
  return check_split(read_split(files, task, options, pool),
                     {task == Task::kLinkpred && !directed});
}

LeakReport check(const Texts& texts, Task task, Bipartite bipartite = Bipartite::kNone,
                 bool directed = false) {
  DatasetFiles files;
  files.train = write("train.tsv", texts.train);
  if (!texts.valid.empty()) files.valid = write("valid.tsv", texts.valid);
  if (!texts.test.empty()) files.test = write("test.tsv", texts.test);
  return check_files(files, task, bipartite, directed);
}

/// The only finding of a report that must have one.
Finding only(const LeakReport& report) {
  EXPECT_EQ(report.findings.size(), 1);
  for (const auto& finding : report.findings)
    if (report.findings.size() != 1) ADD_FAILURE() << describe(finding);
  return report.findings.empty() ? Finding{} : report.findings[0];
}

std::int64_t count_of(const LeakReport& report, const std::string& text) {
  for (const auto& finding : report.findings)
    if (describe(finding) == text) return finding.count;
  return 0;
}

using Ids = std::vector<std::vector<std::string>>;

// A ring of train, chords held out, other chords as negatives.
const Texts kClean = {"a\tb\nb\tc\nc\td\nd\te\ne\tf\nf\ta\n", "a\tc\t1\nb\td\t0\n",
                      "c\te\t1\nd\tf\t0\n"};

TEST(Leaks, NothingInACleanSplit) {
  const auto report = check(kClean, Task::kLinkpred);
  EXPECT_TRUE(report.findings.empty()) << describe(report.findings[0]);
  EXPECT_EQ(report.leaks(), 0);
}

TEST(Leaks, PairOfTrainInValid) {
  Texts texts = kClean;
  texts.valid += "c\td\t1\n";
  const auto report = check(texts, Task::kLinkpred);
  const Finding finding = only(report);
  EXPECT_EQ(describe(finding), "valid positives also in train");
  EXPECT_EQ(finding.kind, FindingKind::kSharedPair);
  EXPECT_EQ(finding.count, 1);
  EXPECT_EQ(finding.of, 2);
  EXPECT_EQ(finding.examples, (Ids{{"c", "d"}}));
  EXPECT_GT(report.leaks(), 0);
}

TEST(Leaks, PairOfTrainInTest) {
  Texts texts = kClean;
  texts.test += "f\ta\t1\na\tb\t1\n";
  const Finding finding = only(check(texts, Task::kLinkpred));
  EXPECT_EQ(describe(finding), "test positives also in train");
  EXPECT_EQ(finding.count, 2);
  EXPECT_EQ(finding.examples, (Ids{{"f", "a"}, {"a", "b"}}));
}

TEST(Leaks, PairOfValidInTest) {
  Texts texts = kClean;
  texts.test += "a\tc\t1\n";
  EXPECT_EQ(describe(only(check(texts, Task::kLinkpred))), "test positives also in valid");
}

TEST(Leaks, ReversedPairsUnlessDirected) {
  Texts texts = kClean;
  texts.valid += "b\ta\t1\n";
  texts.test += "c\tb\t1\nc\ta\t1\n";
  const auto report = check(texts, Task::kLinkpred);
  EXPECT_EQ(report.findings.size(), 3);
  EXPECT_EQ(count_of(report, "valid positives whose reverse is in train"), 1);
  EXPECT_EQ(count_of(report, "test positives whose reverse is in train"), 1);
  EXPECT_EQ(count_of(report, "test positives whose reverse is in valid"), 1);
  EXPECT_GT(report.leaks(), 0);
  EXPECT_TRUE(check(texts, Task::kLinkpred, Bipartite::kNone, true).findings.empty());
}

TEST(Leaks, NegativesThatAreTruePairsInEitherDirection) {
  Texts texts = kClean;
  texts.valid += "b\ta\t0\ne\tc\t0\n";
  texts.test += "a\tc\t0\nc\te\t0\nd\te\t0\n";
  const auto report = check(texts, Task::kLinkpred);
  EXPECT_EQ(count_of(report, "valid negatives that are true pairs of train"), 1);
  EXPECT_EQ(count_of(report, "valid negatives that are true pairs of test"), 1);
  EXPECT_EQ(count_of(report, "test negatives that are true pairs of train"), 1);
  EXPECT_EQ(count_of(report, "test negatives that are true pairs of valid"), 1);
  EXPECT_EQ(count_of(report, "test negatives that are true pairs of test"), 1);
  EXPECT_EQ(count_of(report, "test negatives also negatives of valid"), 1);
  EXPECT_EQ(report.findings.size(), 6);
  const auto directed = check(texts, Task::kLinkpred, Bipartite::kNone, true);
  EXPECT_EQ(count_of(directed, "valid negatives that are true pairs of train"), 0);
  EXPECT_EQ(count_of(directed, "test negatives that are true pairs of train"), 1);
}

TEST(Leaks, NegativesOfValidInTest) {
  Texts texts = kClean;
  texts.test += "d\tb\t0\n";
  const auto report = check(texts, Task::kLinkpred);
  EXPECT_EQ(describe(only(report)), "test negatives also negatives of valid");
  EXPECT_GT(report.leaks(), 0);
}

TEST(Leaks, RepeatedLinesAreNotices) {
  Texts texts = kClean;
  texts.train += "b\tc\nb\tc\n";
  texts.test += "d\tf\t0\n";
  const auto report = check(texts, Task::kLinkpred);
  EXPECT_EQ(report.findings.size(), 2);
  EXPECT_EQ(count_of(report, "train pairs on repeated lines"), 2);
  EXPECT_EQ(count_of(report, "test negatives on repeated lines"), 1);
  EXPECT_EQ(report.leaks(), 0);
}

TEST(Leaks, PairsInBothDirectionsAreNotices) {
  Texts texts = kClean;
  texts.train += "b\ta\n";  // usual in training files
  texts.test += "e\tc\t1\nf\td\t0\n";
  const auto report = check(texts, Task::kLinkpred);
  EXPECT_EQ(report.findings.size(), 2);
  EXPECT_EQ(count_of(report, "test positives listed in both directions"), 1);
  EXPECT_EQ(count_of(report, "test negatives listed in both directions"), 1);
  EXPECT_EQ(report.leaks(), 0);
}

TEST(Leaks, SelfPairsAreNotices) {
  Texts texts = kClean;
  texts.train += "a\ta\n";
  texts.valid += "b\tb\t1\n";
  texts.test += "c\tc\t0\nd\td\t0\n";
  const auto report = check(texts, Task::kLinkpred);
  EXPECT_EQ(report.findings.size(), 3);
  EXPECT_EQ(count_of(report, "train pairs that are self loops"), 1);
  EXPECT_EQ(count_of(report, "valid positives that are self loops"), 1);
  EXPECT_EQ(count_of(report, "test negatives that are self loops"), 2);
  EXPECT_EQ(report.leaks(), 0);
}

TEST(Leaks, NodesThatTrainNeverSeesAreNotices) {
  Texts texts = kClean;
  texts.test += "x\ty\t1\na\tx\t0\nz\tc\t1\nw\td\t0\nv\ta\t0\n";
  const auto report = check(texts, Task::kLinkpred);
  const Finding finding = only(report);
  EXPECT_EQ(describe(finding), "test nodes never in train");
  EXPECT_EQ(finding.count, 5);
  EXPECT_EQ(finding.lines, 5);
  EXPECT_EQ(finding.of, 10);  // a, c, d, e, f and v .. z
  EXPECT_EQ(finding.examples, (Ids{{"x"}, {"y"}, {"z"}}));
  EXPECT_EQ(report.leaks(), 0);
}

TEST(Leaks, UsersAndItemsApart) {
  const Texts texts = {"1\t1\n1\t2\n2\t1\n", "3\t2\n", "2\t9\n3\t9\n1\t8\n"};
  const auto report = check(texts, Task::kRecommend, Bipartite::kSeparate);
  EXPECT_EQ(report.findings.size(), 3);
  EXPECT_EQ(count_of(report, "valid users never in train"), 1);
  EXPECT_EQ(count_of(report, "test users never in train"), 1);
  EXPECT_EQ(count_of(report, "test items never in train"), 2);
  EXPECT_EQ(report.findings.back().lines, 3);
  EXPECT_EQ(report.leaks(), 0);
}

TEST(Leaks, ThirdColumnOfInteractionsIsNoLabel) {
  const Texts texts = {"1\t11\t5\n2\t12\t3\n", "", "1\t12\t0\n2\t12\t4\n"};
  EXPECT_EQ(describe(only(check(texts, Task::kRecommend, Bipartite::kShared))),
            "test positives also in train");
}

TEST(Leaks, RefusesMissingFiles) {
  ThreadPool pool(1);
  DatasetFiles files;
  EXPECT_THROW(read_split(files, Task::kRecommend, {}, pool), Error);
  files.train = write("train.tsv", "1\t2\n");
  EXPECT_THROW(read_split(files, Task::kRecommend, {}, pool), Error);
}

/// Writes a split of `graph` as files with ids that are not rows, reads it back and checks it.
LeakReport written_and_checked(const Graph& graph, const LinkSplit& split) {
  std::vector<std::string> ids;
  for (NodeId v = 0; v < graph.num_nodes(); ++v) ids.push_back(fmt::format("node {}", 7 * v));
  const Names names(ids);
  const auto path = [](const char* name) { return (fs::path(scratch()) / name).string(); };
  const auto values = [](const HeldOut& part) {
    return std::vector<float>(part.labels.begin(), part.labels.end());
  };
  const auto valid = values(split.valid), test = values(split.test);
  const DatasetFiles files{path("train.tsv"), path("valid.tsv"), path("test.tsv"), ""};
  write_text_pairs(files.train, {split.train.pairs, split.train.weights}, names);
  write_text_pairs(files.valid, {split.valid.pairs, valid, "label"}, names);
  write_text_pairs(files.test, {split.test.pairs, test, "label"}, names);
  return check_files(files, Task::kLinkpred);
}

TEST(Leaks, NothingInOurOwnLinkSplits) {
  for (const auto kind : {GraphKind::kUndirected, GraphKind::kDirected}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Rng rng(seed, Domain::kTest);
      EdgeList edges;
      for (int i = 0; i < 400; ++i) {
        edges.pairs.push_back(
            {static_cast<NodeId>(rng.below(60)), static_cast<NodeId>(rng.below(60))});
        edges.weights.push_back(static_cast<float>(1 + rng.below(5)));
      }
      ThreadPool pool(2);
      BuildOptions options;
      options.kind = kind;
      const Graph graph = build_graph(std::move(edges), 60, options, pool);
      const auto report =
          written_and_checked(graph, split_links(graph,
                                                 {.kind = SplitKind::kConnected,
                                                  .valid = 0.1,
                                                  .test = 0.3,
                                                  .reciprocal = Reciprocal::kTogether,
                                                  .seed = seed},
                                                 pool));
      for (const auto& finding : report.findings)
        // Arcs in both directions are held out together where the graph is directed.
        EXPECT_TRUE(kind == GraphKind::kDirected && finding.kind == FindingKind::kBothDirections)
            << describe(finding);
    }
  }
}

TEST(Leaks, NothingInOurOwnInteractionSplits) {
  Rng rng(1, Domain::kTest);
  std::vector<Pair> pairs;
  for (int i = 0; i < 2000; ++i)
    pairs.push_back({static_cast<NodeId>(rng.below(50)), static_cast<NodeId>(50 + rng.below(50))});
  const auto split = fold_interactions(pairs, 11, 4, 1);
  RawSplit raw;
  raw.train = split.train.pairs;
  raw.valid = {split.valid, std::vector<std::uint8_t>(split.valid.size(), 1)};
  raw.test = {split.test, std::vector<std::uint8_t>(split.test.size(), 1)};
  raw.names = Names(std::vector<std::int64_t>(100, 0));
  raw.users = 50;
  const auto report = check_split(raw, {});
  EXPECT_EQ(report.leaks(), 0);
  EXPECT_GT(count_of(report, "train pairs on repeated lines"), 0);
}

/// The files of a published split, where they are at hand.
std::optional<DatasetFiles> published(const std::string& name) {
  const char* root = std::getenv("MCNS_DATA");
  if (root == nullptr) return std::nullopt;
  const auto folder = fs::path(root) / name;
  if (!fs::exists(folder / "mcns_train.tsv")) return std::nullopt;
  return DatasetFiles{(folder / "mcns_train.tsv").string(), (folder / "mcns_valid.tsv").string(),
                      (folder / "mcns_test.tsv").string(), ""};
}

TEST(LeaksPublished, CaGrqc) {
  const auto files = published("ca-grqc");
  if (!files) GTEST_SKIP() << "needs MCNS_DATA with ca-grqc";
  const auto report = check_files(*files, Task::kLinkpred);
  EXPECT_GT(report.leaks(), 0);
  EXPECT_EQ(count_of(report, "valid positives whose reverse is in train"), 3429);
  EXPECT_EQ(count_of(report, "test positives also in train"), 0);
  EXPECT_EQ(count_of(report, "test positives whose reverse is in train"), 0);
  EXPECT_EQ(count_of(report, "test positives whose reverse is in valid"), 0);
  EXPECT_EQ(count_of(report, "train pairs that are self loops"), 6);
  EXPECT_EQ(count_of(report, "valid positives that are self loops"), 2);
  EXPECT_EQ(count_of(report, "test positives that are self loops"), 4);
  EXPECT_EQ(count_of(report, "test negatives that are self loops"), 2);
  EXPECT_EQ(count_of(report, "test negatives on repeated lines"), 4);
  EXPECT_EQ(count_of(report, "test negatives also negatives of valid"), 4);
  EXPECT_EQ(count_of(report, "valid nodes never in train"), 287);
  EXPECT_EQ(count_of(report, "test nodes never in train"), 457);
  for (const auto& finding : report.findings)
    EXPECT_NE(finding.kind, FindingKind::kFalseNegative) << describe(finding);
}

TEST(LeaksPublished, Ml100k) {
  const auto files = published("ml-100k");
  if (!files) GTEST_SKIP() << "needs MCNS_DATA with ml-100k";
  const auto report = check_files(*files, Task::kRecommend, Bipartite::kShared);
  ASSERT_EQ(report.findings.size(), 3);
  EXPECT_EQ(describe(report.findings[0]), "valid positives also in train");
  EXPECT_EQ(report.findings[0].examples, (Ids{{"942", "1412"}}));
  EXPECT_EQ(describe(report.findings[1]), "valid items never in train");
  EXPECT_EQ(report.findings[1].lines, 22);
  EXPECT_EQ(describe(report.findings[2]), "test items never in train");
  EXPECT_EQ(report.findings[2].lines, 10);
}

}  // namespace
}  // namespace mcns
