// recommend, neighbors and score as a user calls them, on a small model of the embedded data.
#include <map>
#include <set>

#include "tests/run_binary.h"

namespace mcns {
namespace {

/// One model for all tests of the suite.
class Answers : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new ScratchFolder;
    model_ = folder_->path("model");
    const auto done = run_mcns(
        *folder_, "run --task recommend --data debian --epochs 4 --dim 16 --quiet --out " + model_);
    ASSERT_EQ(done.code, 0) << done.err;
  }
  static void TearDownTestSuite() { delete folder_; }

  static std::vector<std::string> ids(const nlohmann::json& document) {
    std::vector<std::string> out;
    for (const auto& entry : document["results"]) out.push_back(entry["id"]);
    return out;
  }
  /// Lines of a table, by the first column.
  static std::map<std::string, std::vector<std::vector<std::string>>> table(
      const std::string& text) {
    std::map<std::string, std::vector<std::vector<std::string>>> out;
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      std::vector<std::string> fields;
      std::istringstream in(line);
      for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
      out[fields[0]].push_back(fields);
    }
    return out;
  }

  static ScratchFolder* folder_;
  static std::string model_;
};

ScratchFolder* Answers::folder_ = nullptr;
std::string Answers::model_;

TEST_F(Answers, AllUsersHaveTheListsThatTheyHaveAlone) {
  const auto out = folder_->path("recs.tsv");
  const auto done = run_mcns(*folder_, "recommend " + model_ + " --all -k 20 --out " + out);
  ASSERT_EQ(done.code, 0) << done.err;
  const std::string text = content_of(out);
  EXPECT_TRUE(text.starts_with("user\trank\titem\tscore\n"));
  const auto lists = table(text);
  EXPECT_GT(lists.size(), 11000U);
  for (const std::string user : {"git", "vim"}) {
    const auto one = run_for_json(*folder_, "recommend " + model_ + " -k 20 --user " + user);
    ASSERT_EQ(one["results"].size(), 20U);
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_EQ(one["results"][i]["rank"], i + 1);
      EXPECT_EQ(lists.at(user)[i][2], one["results"][i]["id"]) << user << i;
      EXPECT_EQ(std::stof(lists.at(user)[i][3]), one["results"][i]["score"].get<float>());
    }
  }
  const auto again = folder_->path("again.tsv");
  EXPECT_EQ(
      run_mcns(*folder_, "recommend " + model_ + " --all -k 20 --threads 1 --out " + again).code,
      0);
  EXPECT_EQ(content_of(again), text) << "same bytes for any number of threads";
}

TEST_F(Answers, UnknownUsersGetThePopularListAndNamesAreJoined) {
  const auto users = folder_->write("users.txt", "user\ngit\nsomebody-new\n");
  const auto names = folder_->write("names.csv", "id,title\nlibc6,\"The C library, GNU\"\n");
  const auto out = folder_->path("some.jsonl");
  const auto done = run_mcns(*folder_, "recommend " + model_ + " --users " + users +
                                           " -k 4 --out " + out + " --names " + names);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(contains(done.err, "popular"));
  std::istringstream lines(content_of(out));
  std::string line;
  std::getline(lines, line);
  const auto known = nlohmann::json::parse(line);
  EXPECT_EQ(known["user"], "git");
  EXPECT_EQ(known["source"], "model");
  std::getline(lines, line);
  const auto unknown = nlohmann::json::parse(line);
  EXPECT_EQ(unknown["user"], "somebody-new");
  EXPECT_EQ(unknown["source"], "popular");
  EXPECT_EQ(unknown["results"].size(), 4U);
  EXPECT_EQ(unknown["results"][0]["name"],
            unknown["results"][0]["id"] == "libc6" ? "The C library, GNU" : "");
  EXPECT_FALSE(std::getline(lines, line));
}

/// Somebody with the training items of a known user is like this user.
TEST_F(Answers, FoldingInTheItemsOfAUserGivesNearlyTheirList) {
  std::map<std::string, std::set<std::string>> items;
  const auto edges = folder_->path("edges.tsv");
  ASSERT_EQ(run_mcns(*folder_, "data convert " + model_ + "/graph.bin " + edges).code, 0);
  for (const auto& [user, rows] : table(content_of(edges)))
    for (const auto& row : rows) items[user].insert(row[1]);
  int asked = 0;
  double shared = 0;
  for (const auto& [user, own] : items) {
    if (own.size() < 8 || ++asked > 12) continue;
    std::string list;
    for (const auto& item : own) list += (list.empty() ? "" : ",") + item;
    const auto known = ids(run_for_json(*folder_, "recommend " + model_ + " -k 20 --user " + user));
    const auto folded = run_for_json(*folder_, "recommend " + model_ + " -k 20 --items " + list);
    for (const auto& id : ids(folded)) {
      shared += std::ranges::count(known, id);
      EXPECT_FALSE(own.contains(id)) << "known items are left out";
    }
  }
  EXPECT_GT(shared / (20 * 12), 0.6);
}

TEST_F(Answers, NeighborsOfManyAreThoseOfOne) {
  const auto out = folder_->path("near.tsv");
  ASSERT_EQ(run_mcns(*folder_, "neighbors " + model_ + " --all -k 6 --out " + out).code, 0);
  EXPECT_TRUE(content_of(out).starts_with("node\trank\tneighbor\tscore\n"));
  const auto lists = table(content_of(out));
  const auto one = run_for_json(*folder_, "neighbors " + model_ + " -k 6 --node zlib1g");
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(lists.at("zlib1g")[i][2], one["results"][i]["id"]);
    EXPECT_EQ(one["results"][i]["rank"], i + 1);
  }
  const auto users = folder_->path("users.tsv");
  const auto done =
      run_mcns(*folder_, "neighbors " + model_ + " --all --kind user -k 2 --out " + users);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(table(content_of(users)).contains("git"));
}

TEST_F(Answers, WrongUsageIsSaid) {
  const std::string recommend = "recommend " + model_;
  expect_failure(*folder_, recommend, 2, "--user ID, --users FILE, --all, --items");
  expect_failure(*folder_, recommend + " --all --user git", 2, "got 2");
  expect_failure(*folder_, recommend + " --all", 2, "need --out");
  expect_failure(*folder_, recommend + " --all --out recs.xls", 2, ".tsv, .jsonl or .npz");
  expect_failure(*folder_, recommend + " --user nobody", 2, "no user 'nobody'");
  expect_failure(*folder_, recommend + " --items nothing", 2, "no item 'nothing'");
  expect_failure(*folder_, recommend + " --all --out /nowhere/recs.tsv", 4, "/nowhere/recs.tsv");
  const auto nodes = folder_->write("nodes.txt", "nobody\n");
  expect_failure(*folder_, "neighbors " + model_ + " --nodes " + nodes + " --out near.tsv", 3,
                 "'nobody'");
}

}  // namespace
}  // namespace mcns
