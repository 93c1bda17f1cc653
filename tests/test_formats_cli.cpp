// The commands over formats and datasets, as a user calls them: exit codes, messages, what they
// leave.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "mcns/io/input.h"

#include "tests/paths.h"
#include "tests/test_io_files.h"

namespace mcns {
namespace {

struct Outcome {
  int code = -1;
  std::string out, err;
};

/// Runs the binary with `arguments`, by the shell.
Outcome run(const ScratchFolder& folder, const std::string& arguments) {
  const auto err = folder.path("stderr.txt"), out = folder.path("stdout.txt");
  const auto command = fmt::format("'{}' {} >'{}' 2>'{}'", kBinary, arguments, out, err);
  const int status = std::system(command.c_str());
  const auto text = [](const std::string& path) { return std::string(MappedFile(path).bytes()); };
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, text(out), text(err)};
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return outcome;
}

nlohmann::json run_json(const ScratchFolder& folder, const std::string& arguments) {
  const auto outcome = run(folder, arguments + " --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

TEST(DataCommand, ConvertsAndCounts) {
  const ScratchFolder folder;
  const auto in = folder.write("in.tsv", "a b 1\nb a 2\na a 1\nb c 4\n"),
             out = folder.path("out.bin");
  const auto counts = run_json(folder, "data convert " + in + " " + out);
  EXPECT_EQ(counts["nodes"], 3);
  EXPECT_EQ(counts["edges"], 2);
  EXPECT_EQ(counts["read"], 4);
  EXPECT_EQ(counts["merged"], 1);
  EXPECT_EQ(counts["self_loops"], 1);
  EXPECT_EQ(run(folder, "data convert " + out + " " + folder.path("out.csv")).code, 0);
  EXPECT_EQ(Input(folder.path("out.csv")).bytes(), "source,target,weight\na,b,3\nb,c,4\n");
  const auto kept = run_json(
      folder, "data convert " + in + " " + out + " --duplicates keep --self-loops keep --directed");
  EXPECT_EQ(kept["edges"], 4);
  EXPECT_EQ(kept["directed"], true);
}

TEST(DataCommand, SaysWhatIsWrongAndLeavesNothing) {
  const ScratchFolder folder;
  const auto good = folder.write("good.tsv", "1 2\n");
  const auto bad =
      folder.write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n9 9 9\n");
  const auto out = folder.path("out.bin");
  const auto expect = [&](const std::string& arguments, int code, const std::string& part) {
    const auto outcome = run(folder, "data convert --quiet " + arguments);
    EXPECT_EQ(outcome.code, code) << arguments << outcome.err;
    EXPECT_TRUE(contains(outcome.err, part)) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(out));
  };
  expect(bad + " " + out, 3, bad + ":3:");
  expect(folder.path("missing.tsv") + " " + out, 4, "missing.tsv");
  expect(good + " " + folder.path("out.xyz"), 2, "out.xyz");
  expect(good + " " + folder.path("no/out.tsv"), 4, "No such file");
  expect(good + " " + out + " --format nope", 2, "unknown format 'nope'");
  expect(good + " " + out + " --labels-out x", 2, "--labels-out");
  EXPECT_EQ(run(folder, "data").code, 2);
}

TEST(DataCommand, GeneratesTheSameForAnyThreads) {
  const ScratchFolder folder;
  const auto generate = [&](const std::string& flags, const std::string& name) {
    const auto path = folder.path(name);
    const auto outcome = run(folder, "data generate sbm " + path +
                                         " --nodes 500 --edges 20000 --seed 3 --labels-out " +
                                         folder.path("labels.tsv") + " " + flags);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return std::string(MappedFile(path).bytes());
  };
  const auto one = generate("--threads 1", "a.bin");
  EXPECT_EQ(one, generate("--threads 3", "b.bin"));
  EXPECT_NE(one, generate("--threads 1 --within 0.5", "c.bin"));
  EXPECT_TRUE(Input(folder.path("labels.tsv")).bytes().starts_with("node\tlabel\n0\t0\n"));
  const auto outcome =
      run(folder, "data generate smb " + folder.path("d.bin") + " --nodes 5 --edges 2");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "did you mean 'sbm'")) << outcome.err;
}

TEST(DataCommand, ListsAndRefusesUnknownDownloads) {
  const ScratchFolder folder;
  const auto list = run_json(folder, "data list");
  EXPECT_TRUE(std::ranges::any_of(list, [](const auto& entry) {
    return entry["name"] == "debian" && entry["kind"] == "embedded";
  }));
  const auto outcome = run(folder, "data get ml100k");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "did you mean 'ml-100k'")) << outcome.err;
}

TEST(InfoCommand, ShowsStatisticsAndMemory) {
  const ScratchFolder folder;
  const auto path = folder.write("u.data", "1\t1\t5\t0\n2\t1\t3\t0\n2\t9\t3\t0\n");
  const auto info = run_json(folder, "info " + path + " --dim 20 --optimizer sgd --tables 1");
  EXPECT_EQ(info["kind"], "user-item");
  EXPECT_EQ(info["users"], 2);
  EXPECT_EQ(info["items"], 2);
  EXPECT_EQ(info["degree"]["max"], 2);
  EXPECT_EQ(info["components"], 1);
  EXPECT_EQ(info["memory"]["bytes"]["parameters"], 4 * 32 * 4);
  const auto text = run(folder, "info " + path);
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(contains(text.out, "4 = 2 users + 2 items")) << text.out;
  EXPECT_EQ(run(folder, "info " + path + " --dim 0").code, 2);
}

TEST(DoctorCommand, KnowsTheMachine) {
  const ScratchFolder folder;
  const auto facts = run_json(folder, "doctor");
  EXPECT_GE(facts["threads"], 1);
  EXPECT_GT(facts["memory"], 0);
  EXPECT_FALSE(facts["libraries"].empty());
  EXPECT_TRUE(contains(run(folder, "doctor").out, "datasets"));
}

}  // namespace
}  // namespace mcns
