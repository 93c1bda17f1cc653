// Times of edges: how they are spelled, which column they are, and where they go.
#include <gtest/gtest.h>

#include "mcns/io/dataset.h"
#include "mcns/io/read_edges.h"
#include "mcns/io/select_edges.h"
#include "mcns/io/times.h"

#include "tests/test_io_files.h"

namespace mcns {
namespace {

TEST(Times, NumbersAndIsoDates) {
  EXPECT_EQ(parse_time("881250949"), 881250949);
  EXPECT_EQ(parse_time("-1.5"), -1.5);
  EXPECT_EQ(parse_time("1970-01-02"), 86400);
  EXPECT_EQ(parse_time("1970/01/02"), 86400);
  EXPECT_EQ(parse_time("1969-12-31 23:59:59"), -1);
  EXPECT_EQ(parse_time("2024-02-29T12:30"), 1709209800);
  EXPECT_EQ(parse_time("2024-02-29T12:30:00.25Z"), 1709209800.25);
  EXPECT_EQ(parse_time("2024-02-29T14:30:00+02:00"), 1709209800);
  EXPECT_EQ(parse_time("2024-02-29T10:00:00-0230"), 1709209800);
  for (const char* bad : {"", "nan", "2023-02-29", "2024-13-01", "01.02.2024", "1/2/2024", "today",
                          "2024-02-29T", "2024-02-29T25:00", "2024-02-29x", "2024-02/29"})
    EXPECT_EQ(parse_time(bad), std::nullopt) << bad;
}

TEST(Times, NumbersThatLookLikeOne) {
  for (const double time : {881250949.0, 1600000000.0, 1.6e12, 1.6e15, 1.6e18, 20240531.0})
    EXPECT_TRUE(looks_like_time(time)) << time;
  for (const double amount : {0.0, 5.0, 1999.0, 123456.0, 20241399.0, 5e8, 1e10, -1.6e9})
    EXPECT_FALSE(looks_like_time(amount)) << amount;
}

class EdgesWithTimes : public ::testing::Test {
 protected:
  RawEdges read(const std::string& content, const std::string& columns, Times times) {
    TextOptions options;
    options.columns = ColumnSpec(columns);
    options.times = times;
    return read_edges(folder_.write("e.csv", content), options, pool_);
  }
  Dataset load(const std::string& content, const LoadOptions& options) {
    return load_dataset({folder_.write("e.csv", content), "", "", ""}, {}, options, pool_,
                        Times::kNeed);
  }

  ScratchFolder folder_;
  ThreadPool pool_{2};
};

using Doubles = std::vector<double>;

TEST_F(EdgesWithTimes, AreThoseOfTheColumn) {
  EXPECT_EQ(read("1,2,30\n3,4,20\n", "time=3", Times::kDrop).times, (Doubles{30, 20}));
  EXPECT_EQ(read("a,7,b\nc,8,d\n", "source=1,target=3,time=2", Times::kDrop).times,
            (Doubles{7, 8}));
  const std::string named = "user,item,timestamp\n1,2,30\n3,4,20\n";
  EXPECT_EQ(read(named, "", Times::kNeed).times, (Doubles{30, 20}));
  EXPECT_EQ(read(named, "", Times::kIfAny).times, (Doubles{30, 20}));
  EXPECT_TRUE(read(named, "", Times::kDrop).times.empty()) << "nobody asked";
  EXPECT_EQ(read("who,what,when\nann,x,1970-01-01\nbob,y,1970-01-02\n", "", Times::kNeed).times,
            (Doubles{0, 86400}));
  EXPECT_TRUE(read("1,2\n3,4\n", "", Times::kIfAny).times.empty());
}

TEST_F(EdgesWithTimes, AreRefusedWithTheLine) {
  const auto bad = error_of(ErrorKind::kData, [&] {
    read("user,item,time\n1,2,30\n3,4,soon\n", "time=time", Times::kDrop);
  });
  EXPECT_TRUE(contains(bad, "e.csv:3: time 'soon' in column 3")) << bad;
  const auto none = error_of(ErrorKind::kUsage, [&] { read("1,2\n", "", Times::kNeed); });
  EXPECT_TRUE(contains(none, "--columns time=COLUMN")) << none;
}

TEST_F(EdgesWithTimes, StandBesideTheEdgesOfTheGraph) {
  const std::string table = "3,1,50\n1,2,10\n2,1,40\n1,2,20\n2,2,99\n";
  const Dataset merged = load(table, {.columns = "time=3"});
  EXPECT_EQ(edge_list(merged.graph).pairs, (std::vector<Pair>{{0, 1}, {0, 2}}));
  EXPECT_EQ(merged.times, (Doubles{40, 50})) << "the latest of merged ones";
  const Dataset kept = load(table, {.duplicates = "keep", .columns = "time=3"});
  EXPECT_EQ(kept.times, (Doubles{10, 20, 40, 50}));
  const Dataset arcs = load(table, {.directed = true, .columns = "time=3"});
  EXPECT_EQ(edge_list(arcs.graph).pairs, (std::vector<Pair>{{0, 1}, {1, 0}, {2, 0}}));
  EXPECT_EQ(arcs.times, (Doubles{20, 40, 50}));
  const Dataset items = load(table, {.bipartite = "separate", .columns = "time=3"});
  EXPECT_EQ(items.times, (Doubles{20, 40, 99, 50}));
}

TEST_F(EdgesWithTimes, ChooseTheLastOfRepeatedEdges) {
  const std::string table = "source,target,weight,time\na,b,1,30\nb,a,2,20\na,c,3,1\na,b,4,10\n";
  const Dataset last = load(table, {.duplicates = "last"});
  EXPECT_EQ(edge_list(last.graph).weights, (std::vector<float>{1, 3}));
  EXPECT_EQ(last.times, (Doubles{30, 1}));
  EXPECT_EQ(last.report.read.merged, 2);
  const auto by_line = load_graph(folder_.write("l.csv", "a,b,1\nb,a,2\na,c,3\na,b,4\n"),
                                  {.duplicates = "last"}, pool_);
  EXPECT_EQ(edge_list(by_line.graph).weights, (std::vector<float>{3, 4})) << "a-c, then a-b";
}

}  // namespace
}  // namespace mcns
