// Ids, names and messages whose bytes a terminal would take for commands, or for lines of their
// own.
#include <algorithm>

#include "mcns/core/plain_text.h"
#include "mcns/io/delimited.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

TEST(CraftedTexts, BytesOfOtherEncodingsBecomeTextWithoutControls) {
  EXPECT_EQ(as_utf8("a\x9b"), "a\xEF\xBF\xBD");
  EXPECT_EQ(as_utf8("\x80\x9f\xa0"), "\xEF\xBF\xBD\xEF\xBF\xBD\xC2\xA0");
  EXPECT_EQ(as_utf8("caf\xe9"), "café");
  EXPECT_EQ(as_utf8("café"), "café");
}

TEST(CraftedTexts, AMessageIsOneLineWhateverItQuotes) {
  const ScratchFolder folder;
  const auto pairs = folder.write("pairs.tsv", "0 1 1\n1 0 0\n");
  std::string header = "{'descr': 'x\nmcns: done', 'fortran_order': False, 'shape': (2, 2), }";
  header.resize(118, ' ');
  const auto table = folder.write(
      "v.npy", std::string("\x93NUMPY\x01\0\x76\0", 10) + header + std::string(16, '\0'));
  expect_failure(folder, "evaluate " + table + " --task linkpred --test " + pairs, 3,
                 "'x\\x0amcns: done'");
  expect_failure(folder, "info 'no\nmcns: done'", 4, "no\\x0amcns: done");
}

class CraftedTerminal : public testing::Test {
 protected:
  CraftedTerminal() {
    std::string edges;
    for (int u = 0; u < 12; ++u)
      for (const int step : {1, 3}) edges += fmt::format("u\x9b{}\ti\x9d{}\n", u, u * step % 7);
    edges_ = folder_.write("g.tsv", edges);
    model_ = folder_.path("model");
    const auto done = run_mcns(folder_, "train " + edges_ +
                                            " --bipartite separate --epochs 1 --dim 4 --quiet "
                                            "--out " +
                                            model_);
    EXPECT_EQ(done.code, 0) << done.err;
  }

  static void expect_plain(std::string text, const std::string& where) {
    EXPECT_NE(text, "") << where;
    for (const char blank : {'\t', '\n'}) std::ranges::replace(text, blank, ' ');
    EXPECT_EQ(printable(text), text) << where;
  }

  ScratchFolder folder_;
  std::string edges_, model_;
};

TEST_F(CraftedTerminal, NoIdReachesItAsACommand) {
  for (const std::string& command : std::vector<std::string>{"recommend " + model_ +
                                                                 " --user 'u\x9b"
                                                                 "1'",
                                                             "neighbors " + model_ +
                                                                 " --node 'i\x9d"
                                                                 "1'",
                                                             "score " + model_ + " " + edges_,
                                                             "explain 'u\x9b"
                                                             "1' --rounds 1 --from " +
                                                                 model_})
    for (const char* form : {"", " --json"}) {
      const auto done = run_mcns(folder_, command + " --quiet" + form);
      EXPECT_EQ(done.code, 0) << done.err;
      expect_plain(done.out, command + form);
    }
  const auto lists = folder_.path("lists.jsonl");
  ASSERT_EQ(run_mcns(folder_, "recommend " + model_ + " --all -k 2 --out " + lists).code, 0);
  expect_plain(content_of(lists), lists);
}

TEST_F(CraftedTerminal, FilesKeepIdsAsTheyAre) {
  const auto out = folder_.path("scores.tsv");
  ASSERT_EQ(run_mcns(folder_, "score " + model_ + " " + edges_ + " --out " + out).code, 0);
  EXPECT_TRUE(contains(content_of(out),
                       "u\x9b"
                       "1\ti\x9d"
                       "1\t"));
}

TEST_F(CraftedTerminal, NamesFollowTheRuleOfIds) {
  const std::string command = "recommend " + model_ +
                              " --user 'u\x9b"
                              "1' -k 7 --json --names ";
  for (const std::string name : {"\x1b[31m", "c1\xc2\x9b", "rtl\xe2\x80\xae", "sep\xe2\x80\xa8"}) {
    const auto names = folder_.write("names.tsv",
                                     "id\tname\n\ni\x9d"
                                     "0\t" +
                                         name + "\n");
    expect_failure(folder_, command + names, 3, "names.tsv:3: the name '");
  }
  const auto names = folder_.write("names.tsv",
                                   "id\tname\ni\x9d"
                                   "0\t\x9b\xe9\n");
  const auto done = run_mcns(folder_, command + names);
  EXPECT_EQ(done.code, 0) << done.err;
  expect_plain(done.out, command);
}

}  // namespace
}  // namespace mcns
