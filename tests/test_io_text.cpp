// Text edge lists: what is accepted, and that what is not is refused with file and line.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mcns/core/rng.h"
#include "mcns/io/text_edges.h"
#include "mcns/io/text_labels.h"

#include "test_io_files.h"

namespace mcns {
namespace {

using Names2 = std::vector<std::pair<std::string, std::string>>;

class TextEdges : public ::testing::Test {
 protected:
  RawEdges read(const std::string& content, ThirdColumn third = ThirdColumn::kWeight) {
    const std::string path = folder_.write("e.tsv", content);
    return read_text_edges(Input(path), path, {third}, pool_);
  }
  /// The pairs as the file spells them.
  Names2 pairs(const std::string& content, ThirdColumn third = ThirdColumn::kWeight) {
    const RawEdges raw = read(content, third);
    const auto name = [&](NodeId id) { return raw.numeric ? std::to_string(id) : raw.names[id]; };
    Names2 out;
    for (const auto [u, v] : raw.pairs) out.emplace_back(name(u), name(v));
    return out;
  }
  std::string message(const std::string& content, ThirdColumn third = ThirdColumn::kWeight) {
    return error_of(ErrorKind::kData, [&] { read(content, third); });
  }
  void expect_bad(const std::string& content, int line, const std::string& what,
                  ThirdColumn third = ThirdColumn::kWeight) {
    const std::string got = message(content, third);
    EXPECT_TRUE(contains(got, "e.tsv:" + std::to_string(line) + ": ")) << got;
    EXPECT_TRUE(contains(got, what)) << got;
  }

  ScratchFolder folder_;
  ThreadPool pool_{2};
};

TEST_F(TextEdges, DelimitersAndLineEnds) {
  const Names2 expected = {{"1", "2"}, {"3", "10"}};
  EXPECT_EQ(pairs("1\t2\n3\t10\n"), expected);
  EXPECT_EQ(pairs("1,2\n3,10\n"), expected);
  EXPECT_EQ(pairs("1 2\n3 10"), expected);
  EXPECT_EQ(pairs("  1   2  \n3 \t 10\n"), expected);
  EXPECT_EQ(pairs("1\t2\r\n3\t10\r\n"), expected);
  EXPECT_EQ(pairs("1, 2\n3 ,10\n"), expected);
  EXPECT_EQ(pairs("\xef\xbb\xbf"
                  "1\t2\n3\t10\n"),
            expected);
  EXPECT_EQ(pairs("# a\n%b\n\n1\t2\n  # c d\n \n3\t10\n\n"), expected);
  EXPECT_TRUE(read("1\t2\r\n3\t10").numeric);
}

TEST_F(TextEdges, QuotedFields) {
  const Names2 expected = {{"a, b", "say \"x\""}, {"c", "d"}};
  EXPECT_EQ(pairs("\"a, b\",\"say \"\"x\"\"\"\n\"c\" , d\n"), expected);
  expect_bad("a,b\n\"c,d\n", 2, "not closed");
  expect_bad("a,b\n\"c\"x,d\n", 2, "after a quoted field");
}

TEST_F(TextEdges, TabsLeaveBlanksInNames) {
  EXPECT_EQ(pairs("Toy Story\tu 1\nb\tc\n"), (Names2{{"Toy Story", "u 1"}, {"b", "c"}}));
}

TEST_F(TextEdges, IdsAreNames) {
  EXPECT_TRUE(read("0\t2147483647\n").numeric);
  const Names2 lengths = {{"9", "10"},
                          {"123", "1234"},
                          {"12345", "123456"},
                          {"1234567", "12345678"},
                          {"123456789", "1234567890"},
                          {"0", "9"}};
  std::string content;
  for (const auto& [u, v] : lengths) content += u + "\t" + v + "\n";
  EXPECT_EQ(pairs(content), lengths);
  EXPECT_TRUE(read(content).numeric);
  for (const std::string id :
       {"007", "2147483648", "12345678901234567890", "-1", "+1", "1.0", "x"}) {
    const RawEdges raw = read("7\t" + id + "\n5\t7\n");
    EXPECT_FALSE(raw.numeric) << id;
    EXPECT_EQ(raw.names, (std::vector<std::string>{"7", id, "5"}));
  }
}

TEST_F(TextEdges, ThirdColumn) {
  EXPECT_EQ(read("1\t2\t0.5\n3\t4\t1e2\n").values, (std::vector<float>{0.5F, 100}));
  EXPECT_EQ(read("1\t2\t1e-3\r\n3\t4\t0\r\n").values, (std::vector<float>{0.001F, 0}));
  EXPECT_EQ(read("1\t2\t+3\t99\n3\t4\t0\tx\n").values, (std::vector<float>{3, 0}));
  EXPECT_TRUE(read("1\t2\tx\n3\t4\ty\n", ThirdColumn::kIgnore).values.empty());
  EXPECT_EQ(read("1 2 1\n3 4 0.0\n", ThirdColumn::kLabel).values, (std::vector<float>{1, 0}));
  EXPECT_EQ(read("a\tb\t3\nb\tc\t4\n").values, (std::vector<float>{3, 4}));
}

TEST_F(TextEdges, Headers) {
  EXPECT_EQ(pairs("source\ttarget\tweight\n1\t2\t3\n"), (Names2{{"1", "2"}}));
  EXPECT_EQ(pairs("user_id,Item ID,rating\nu1,i1,3\n"), (Names2{{"u1", "i1"}}));
  EXPECT_EQ(pairs("# x\nfrom to\na b\n"), (Names2{{"a", "b"}}));
  EXPECT_EQ(pairs("who,whom,weight\na,b,2\n"), (Names2{{"a", "b"}}));
  EXPECT_EQ(pairs("uid\tsid\n1\t2\n3\t4\n"), (Names2{{"1", "2"}, {"3", "4"}}));
  EXPECT_TRUE(read("uid\tsid\n1\t2\n3\t4\n").numeric);
  expect_bad("source\ttarget\n1\t2\n3\n", 3, "two columns");
}

TEST_F(TextEdges, FirstLinesThatAreNoHeaders) {
  EXPECT_EQ(pairs("alice\tbob\nbob\tcarol\n"), (Names2{{"alice", "bob"}, {"bob", "carol"}}));
  EXPECT_EQ(pairs("alice\tbob\n1\t2\n").size(), 2U);
  EXPECT_EQ(pairs("ab\tcd\n12\t34\n1f\t22\n").size(), 3U);
  EXPECT_EQ(pairs("source\titem\nx\ty\n").size(), 2U);
  expect_bad("1\t2\tabc\n3\t4\t1\n", 1, "weight 'abc'");
  expect_bad("alice\tbob\tabc\nbob\tcarol\t1\n", 1, "weight 'abc'");
}

TEST_F(TextEdges, BadLines) {
  expect_bad("1\n", 1, "at least two columns");
  expect_bad("# c\n1\t2\n\n3\n", 4, "at least two columns");
  expect_bad("a b\nc\n", 2, "at least two columns");
  expect_bad("1\t2\n\t3\n", 2, "an id is empty");
  expect_bad("1\t2\t3\n3\t4\tx\n", 2, "weight 'x' in column 3");
  expect_bad("1\t2\t3\n3\t4\tnan\n", 2, "weight 'nan'");
  expect_bad("1\t2\t3\n3\t4\tinf\n", 2, "weight 'inf'");
  expect_bad("1\t2\t3\n3\t4\t1e39\n", 2, "weight '1e39'");
  expect_bad("1\t2\t3\n3\t4\t-1\n", 2, "weight '-1'");
  expect_bad("1\t2\t3\n3\t4\t1.5x\n", 2, "weight '1.5x'");
  expect_bad("1\t2\t3\n3\t4\n", 2, "2 columns where the first line has 3");
  expect_bad("1\t2\n3\t4\t5\n", 2, "3 columns where the first line has 2");
  expect_bad("1\t2\t1\n3\t4\t2\n", 2, "expected 0 or 1", ThirdColumn::kLabel);
  expect_bad("1\t2\t1\n3\t4\tyes\n", 2, "expected 0 or 1", ThirdColumn::kLabel);
  expect_bad("1\t2\t1\n3\t4\tnan\n", 2, "expected 0 or 1", ThirdColumn::kLabel);
  expect_bad("a\tb\t1\nc\td\t-2\n", 2, "weight '-2'");
}

TEST_F(TextEdges, BinaryData) {
  using namespace std::string_literals;
  expect_bad("1\t2\n1\t\0002\n"s, 2, "binary data (byte 0x00)");
  expect_bad("1\t2\n# \001\n"s, 2, "binary data");
  expect_bad("\177ELF\002\001\001\000\000"s, 1, "binary data");
  expect_bad("1\t2\t\033[0m\n"s, 1, "binary data", ThirdColumn::kIgnore);
}

TEST_F(TextEdges, NothingInIt) {
  EXPECT_TRUE(contains(message(""), "e.tsv: the file is empty"));
  EXPECT_TRUE(contains(message("# only\n\n"), "e.tsv: no edges"));
  EXPECT_TRUE(contains(message("source\ttarget\n"), "e.tsv: no edges"));
}

/// Files of several pieces: the first bad line is named whichever piece comes first.
TEST_F(TextEdges, FirstErrorOfALargeFile) {
  for (const bool names : {false, true}) {
    std::string content;
    for (int i = 0; i < 400'000; ++i) {
      if (i == 250'000) content += names ? "x\n" : "17\n";
      if (i == 250'001 || i == 399'000) content += "1\n";
      content += std::to_string(i) + "\t" + (names ? "n" : "") + std::to_string(i % 1000) + "\n";
    }
    for (const int threads : {1, 3}) {
      ThreadPool pool(threads);
      const std::string path = folder_.write("big.tsv", content);
      const auto got =
          error_of(ErrorKind::kData, [&] { read_text_edges(Input(path), path, {}, pool); });
      EXPECT_TRUE(contains(got, "big.tsv:250001: expected at least two columns")) << got;
    }
  }
}

/// The same edges whatever the threads, with comments to leave gaps and a late name.
TEST_F(TextEdges, LargeFilesDoNotDependOnThreads) {
  for (const bool late_name : {false, true}) {
    Rng rng(1, Domain::kTest);
    std::string content;
    Names2 expected;
    for (int i = 0; i < 200'000; ++i) {
      if (rng.below(50) == 0) content += "# comment\n";
      expected.emplace_back(std::to_string(rng.below(1'000'000)), std::to_string(rng.below(500)));
      content += expected.back().first + " " + expected.back().second + "\n";
    }
    if (late_name) {
      expected.emplace_back("late", "5");
      content += "late 5";
    }
    const std::string path = folder_.write("large.txt", content);
    for (const int threads : {1, 2, 3, 7}) {
      ThreadPool pool(threads);
      const RawEdges raw = read_text_edges(Input(path), path, {}, pool);
      ASSERT_EQ(raw.numeric, !late_name);
      ASSERT_EQ(raw.pairs.size(), expected.size());
      const auto name = [&](NodeId id) { return raw.numeric ? std::to_string(id) : raw.names[id]; };
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(expected[i], std::pair(name(raw.pairs[i].source), name(raw.pairs[i].target)));
    }
  }
}

TEST_F(TextEdges, Labels) {
  const auto lines =
      read_labels(folder_.write("l.tsv", "# c\nnode\tlabel\na\tx y\r\nb\t1\na\tz\n"));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].node, "a");
  EXPECT_EQ(lines[0].label, "x y");
  EXPECT_EQ(lines[2].label, "z");
  const auto bad = [&](const std::string& content) {
    return error_of(ErrorKind::kData, [&] { read_labels(folder_.write("l.tsv", content)); });
  };
  EXPECT_TRUE(contains(bad("a\tx\nb\n"), "l.tsv:2: expected two columns"));
  EXPECT_TRUE(contains(bad("a\tx\nb\t\n"), "l.tsv:2: expected two columns"));
  EXPECT_TRUE(contains(bad("a\tx\nb\ty\tz\n"), "l.tsv:2: expected two columns"));
  EXPECT_TRUE(contains(bad("a\tx\nb\t\001\n"), "l.tsv:2: binary data"));
  EXPECT_TRUE(contains(bad("# none\n"), "l.tsv: no labels"));
}

}  // namespace
}  // namespace mcns
