// Readers of other projects' text formats, on small files in the original layouts.
#include <functional>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/io/formats/formats.h"

namespace mcns {
namespace {

using Parser = std::function<RawEdges(std::string_view, const std::string&)>;
using Nodes = std::vector<NodeId>;
using Pairs = std::vector<Pair>;
using Values = std::vector<float>;

/// The message of the data error that `content` must give.
std::string refusal(const Parser& parse, const std::string& content) {
  try {
    parse(content, "dir/some.file");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    return error.what();
  }
  return "accepted";
}

void expect_refused(const Parser& parse, const std::string& content, const std::string& start,
                    const std::string& part) {
  const auto what = refusal(parse, content);
  EXPECT_EQ(what.rfind("dir/some.file" + start, 0), 0U) << what;
  EXPECT_NE(what.find(part), std::string::npos) << what;
}

TEST(MatrixMarket, ReadsAGeneralRealMatrix) {
  const auto raw = parse_matrix_market(
      "%%MatrixMarket matrix coordinate real general\n% a comment\n\n4 4 3\n1 2 0.5\n2 1 2e0\n "
      "3\t3 1\n",
      "f");
  EXPECT_EQ(raw.pairs, (Pairs{{1, 2}, {2, 1}, {3, 3}}));
  EXPECT_EQ(raw.values, (Values{0.5F, 2, 1}));
  EXPECT_TRUE(raw.numeric);
  EXPECT_FALSE(raw.user_item);
  EXPECT_FALSE(raw.symmetric);
  EXPECT_EQ(raw.isolated, (Nodes{4}));
}

TEST(MatrixMarket, ReadsASymmetricPatternWithWindowsLines) {
  const auto raw = parse_matrix_market(
      "%%matrixmarket MATRIX Coordinate pattern Symmetric\r\n3 3 2\r\n2 1\r\n3 1", "f");
  EXPECT_EQ(raw.pairs, (Pairs{{2, 1}, {3, 1}}));
  EXPECT_TRUE(raw.values.empty());
  EXPECT_TRUE(raw.symmetric);
  EXPECT_TRUE(raw.isolated.empty());
}

TEST(MatrixMarket, ARectangularMatrixIsUserItem) {
  const auto raw = parse_matrix_market(
      "%%MatrixMarket matrix coordinate integer general\n3 5 2\n1 5 4\n3 1 2\n", "f");
  EXPECT_TRUE(raw.user_item);
  EXPECT_EQ(raw.pairs, (Pairs{{1, 5}, {3, 1}}));
  EXPECT_EQ(raw.isolated, (Nodes{2}));
  EXPECT_EQ(raw.isolated_items, (Nodes{2, 3, 4}));
}

TEST(MatrixMarket, RefusesWithTheLine) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  const auto refused = [](const std::string& content, const std::string& start,
                          const std::string& part) {
    expect_refused(parse_matrix_market, content, start, part);
  };
  refused("", ":", "not a Matrix Market file");
  refused("1 2\n", ":1:", "not a Matrix Market file");
  refused("%%MatrixMarket matrix array real general\n", ":1:", "'array'");
  refused("%%MatrixMarket matrix coordinate complex general\n", ":1:", "'complex'");
  refused("%%MatrixMarket matrix coordinate real hermitian\n", ":1:", "'hermitian'");
  refused(banner, ":1:", "size line");
  refused(banner + "3 3\n", ":2:", "entries");
  refused(banner + "3 3 1000000000000\n1 1 1\n", ":3:", "ends where an entry");
  refused(banner + "3000000000 3 1\n1 1 1\n", ":2:", "rows");
  refused(banner + "3 3 2\n1 1 1\n", ":3:", "ends where an entry");
  refused(banner + "3 3 1\n1 1 1\n2 2 2\n", ":4:", "more entries than the 1");
  refused(banner + "3 3 1\n0 1 1\n", ":3:", "row must be an integer in 1..3, got '0'");
  refused(banner + "3 3 1\n1 4 1\n", ":3:", "column");
  refused(banner + "3 3 1\n1 x 1\n", ":3:", "'x'");
  refused(banner + "3 3 1\n1 1 nan\n", ":3:", "value");
  refused(banner + "3 3 1\n1 1 -2\n", ":3:", "-2");
  refused(banner + "3 3 1\n1 1\n", ":3:", "value");
  refused(banner + "3 3 1\n1 1 1 1\n", ":3:", "more columns");
  refused("%%MatrixMarket matrix coordinate real symmetric\n3 4 1\n1 1 1\n", ":2:", "3 x 4");
  refused(banner + std::string("3 3 1\n1 1 \0001\n", 13), ":3:", "binary");
}

RawEdges parse_reviews(std::string_view content, const std::string& path) {
  TextOptions options;
  options.columns = ColumnSpec("weight=overall");
  return parse_amazon(content, path, options);
}

TEST(Amazon, ReadsReviews) {
  const auto raw = parse_reviews(
      R"({"reviewerID": "A1", "asin": "0528881469", "helpful": [0, 0], "overall": 5.0, "x": null})"
      "\n"
      R"({"asin": "B2", "style": {"asin": "no", "overall": "no"}, "overall": 2, "reviewerID": "A1",)"
      R"( "reviewText": "\"quoted\" \u00e9"})"
      "\n\n",
      "reviews.json");
  EXPECT_EQ(raw.names, (std::vector<std::string>{"A1", "0528881469", "B2"}));
  EXPECT_EQ(raw.pairs, (Pairs{{0, 1}, {0, 2}}));
  EXPECT_EQ(raw.values, (Values{5, 2}));
  EXPECT_FALSE(raw.numeric);
  EXPECT_TRUE(raw.user_item);
}

TEST(Amazon, RefusesWithTheLine) {
  const std::string good = R"({"reviewerID": "A", "asin": "B", "overall": 1})"
                           "\n";
  const auto refused = [&](const std::string& line, const std::string& part) {
    expect_refused(parse_reviews, good + line + "\n", ":2:", part);
  };
  refused(R"({"reviewerID": "A", "asin": "B", "overall": 1)", "not a JSON object");
  refused(R"({'reviewerID': 'A'})", "not a JSON object");
  refused("[1]", "not a JSON object");
  refused("3", "not a JSON object");
  refused(R"({"asin": "B", "overall": 1})", "without a user");
  refused(R"({"reviewerID": "A", "overall": 1})", "without an item");
  refused(R"({"reviewerID": "A", "asin": "B"})", "without a weight");
  refused(R"({"reviewerID": "A", "asin": "B", "overall": -1})", "without a weight");
  refused(R"({"reviewerID": "A", "asin": "B", "overall": "5"})", "text where a weight");
  refused(R"({"reviewerID": null, "asin": "B", "overall": 5})", "null where an id");
  expect_refused(parse_reviews, "\n", ":", "no reviews");
}

TEST(LightGcn, ReadsAdjacencyLists) {
  const auto raw = parse_lightgcn("0 5 3 5 \n1\n2 0\n", "train.txt");
  EXPECT_EQ(raw.pairs, (Pairs{{0, 5}, {0, 3}, {0, 5}, {2, 0}}));
  EXPECT_TRUE(raw.values.empty());
  EXPECT_EQ(raw.isolated, (Nodes{1}));
  EXPECT_TRUE(raw.user_item);
  EXPECT_TRUE(raw.numeric);
}

TEST(LightGcn, TextIdsAlsoForAUserWithoutItems) {
  const auto raw = parse_lightgcn("7 8\nbob\n7 x", "train.txt");
  EXPECT_EQ(raw.names, (std::vector<std::string>{"7", "8", "bob", "x"}));
  EXPECT_EQ(raw.pairs, (Pairs{{0, 1}, {0, 3}}));
  EXPECT_EQ(raw.isolated, (Nodes{2}));
}

TEST(LightGcn, Refuses) {
  expect_refused(parse_lightgcn, "1\n2\n", ":", "no user with an item");
  expect_refused(parse_lightgcn, std::string("1 2\n1 \0 3\n", 10), ":2:", "binary");
}

}  // namespace
}  // namespace mcns
