// Files of features that a reader could take for others than they are.
#include "mcns/core/graph.h"
#include "mcns/core/names.h"
#include "mcns/io/features_file.h"

#include "tests/test_io_files.h"

namespace mcns {
namespace {

class CraftedFeatureLines : public testing::Test {
 protected:
  CraftedFeatureLines() {
    ThreadPool pool(1);
    graph_ = build_graph(EdgeList{{{0, 1}, {1, 2}}, {}}, 3, {}, pool);
  }
  Features read(const std::string& text) {
    return read_features(folder_.write("f.tsv", text), graph_, names_);
  }
  void refuse(const std::string& text, const std::string& part) {
    const auto message = error_of(ErrorKind::kData, [&] { read(text); });
    EXPECT_TRUE(contains(message, part)) << message;
  }

  ScratchFolder folder_;
  Graph graph_;
  Names names_{std::vector<std::string>{"v1", "v2", "v3"}};
};

TEST_F(CraftedFeatureLines, AByteOrderMarkIsNoPartOfAnId) {
  EXPECT_EQ(read("\xEF\xBB\xBFv1\t1\t2\nv2\t3\t4\n").entries(), 4);
  EXPECT_EQ(read("\xEF\xBB\xBFid\ta\tb\nv1\t1\t2\nv2\t3\t4\n").entries(), 4);
}

TEST_F(CraftedFeatureLines, AnEmptyColumnDoesNotShiftTheOthers) {
  refuse("v1,1,,2\n", "f.tsv:1: column 3 is empty");
  refuse("v1\t1\t2\nv2\t\t2\n", "f.tsv:2: column 2 is empty");
  refuse("v1,1,2\n,1,2\n", "f.tsv:2: column 1 is empty");
  refuse("v1,,\n", "f.tsv:1: column 2 is empty");
  EXPECT_EQ(read("v1   1  2\nv2 3 4  \n").entries(), 4) << "runs of blanks are one separator";
}

TEST_F(CraftedFeatureLines, ASecondLineOfANodeIsRefusedWhateverTheFirstOneHeld) {
  refuse("v1\t0\t0\nv2\t1\t1\nv1\t5\t5\n", "f.tsv:3: a second line for node 'v1'");
  refuse("v1\t0:0\nv1\t0:5\n", "f.tsv:2: a second line for node 'v1'");
}

TEST_F(CraftedFeatureLines, IdsFollowTheRuleOfIds) {
  refuse("v1\t1\nv2\x1b[31m\t1\n", "f.tsv:2: the id 'v2\\x1b[31m'");
  refuse(std::string("v1\0\t1\nv2\t1\n", 10), "f.tsv:1: the id 'v1\\x00'");
}

TEST_F(CraftedFeatureLines, NodesOutsideTheGraphDoNotMakeItHuge) {
  EXPECT_EQ(read("v1\t3:1\nzz\t16777215:1\n").width(), 4);
  EXPECT_EQ(read("v1\t3:1\nzz\t900:1\n").width(), 901) << "to be encoded later";
  refuse("v1\t3:1\nzz\t16777216:1\n", "expected an index below 16777216");
}

}  // namespace
}  // namespace mcns
