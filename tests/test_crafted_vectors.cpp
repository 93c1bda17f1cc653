// Vectors of other tools and their lists of nodes, where one could be taken for another.
#include "mcns/io/model_directory.h"
#include "mcns/io/npz.h"
#include "mcns/io/vector_files.h"
#include "mcns/model/vector_model.h"

#include "tests/test_io_files.h"

namespace mcns {
namespace {

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

NpzStream array_of(const std::string& name, const std::string& descr,
                   const std::vector<std::int64_t>& shape, const std::string& data) {
  return {name, descr, shape, data.size(), [data](const NpzStream::Sink& sink) { sink(data); }};
}

class CraftedVectors : public testing::Test {
 protected:
  LoadedModel load(const std::string& vectors, const std::string& nodes = "") {
    return load_vectors({vectors, nodes, ""}, {}, pool_);
  }
  void refuse(const std::string& vectors, const std::string& nodes, const std::string& part) {
    const auto message = error_of(ErrorKind::kData, [&] { load(vectors, nodes); });
    EXPECT_TRUE(contains(message, part)) << message;
  }
  std::string text() { return folder_.write("v.txt", "0 1 2\n1 3 4\n2 5 6\n"); }

  ScratchFolder folder_;
  ThreadPool pool_{1};
};

TEST_F(CraftedVectors, ANodeHasOne) {
  refuse(folder_.write("v.txt", "a 1 2\nb 3 4\na 5 6\n"), "",
         "v.txt: the rows 0 and 2 (from 0) are both of 'a'");
  refuse(text(), folder_.write("ids.txt", "a\nb\nb\n"), "ids.txt: the rows 1 and 2");
  refuse(folder_.write("u.txt", "user:a 1 2\nitem:a 3 4\nitem:a 5 6\n"), "", "both of 'a'");
  EXPECT_EQ(load(folder_.write("u.txt", "user:a 1 2\nitem:a 3 4\n")).graph.num_users(), 1);
}

TEST_F(CraftedVectors, BinaryOnesEndWhereTheirFirstLineSays) {
  const std::string row = "a " + bytes_of<float>({1, 2}) + "\n";
  const std::string other = "b " + bytes_of<float>({3, 4});
  EXPECT_EQ(read_vectors(folder_.write("v.bin", "2 2\n" + row + other)).ids.size(), 2U);
  EXPECT_EQ(read_vectors(folder_.write("v.bin", "2 2\n" + row + other + "\n")).ids.size(), 2U);
  refuse(folder_.write("v.bin", "1 2\n" + row + other), "", "10 bytes after the last of 1 vectors");
  refuse(folder_.write("v.bin", "2 2\n" + row + other + "\nx"), "", "1 bytes after the last of 2");
}

TEST_F(CraftedVectors, ArchivesHaveOneArrayOfAName) {
  const auto path = folder_.path("v.npz");
  const auto vectors = array_of("vectors", "<f4", {2, 1}, bytes_of<float>({1, 2}));
  write_npz(path, std::vector<NpzStream>{vectors, vectors});
  refuse(path, "", "two of its arrays are 'vectors'");
}

TEST_F(CraftedVectors, KindsAreUserOrItem) {
  const auto path = folder_.path("v.npz");
  const auto vectors = array_of("vectors", "<f4", {2, 1}, bytes_of<float>({1, 2}));
  write_npz(path, std::vector<NpzStream>{vectors, array_of("kinds", "|S4", {2}, "useritem")});
  EXPECT_EQ(load(path).graph.num_users(), 1);
  write_npz(path, std::vector<NpzStream>{vectors, array_of("kinds", "|S4", {2}, "userItem")});
  refuse(path, "", "v.npz:kinds: 'Item', expected user or item");
}

TEST_F(CraftedVectors, ListsOfNodesKeepTheirKindsWhateverEndsTheirLines) {
  const std::string lines = "row\tid\tkind\r\n0\ta\tuser\r\n1\tb\titem\r\n2\tc\titem\r\n";
  EXPECT_EQ(read_nodes(folder_.write("nodes.tsv", lines)).users, 1);
  const auto marked = folder_.write("nodes.tsv", "\xEF\xBB\xBF" + lines);
  EXPECT_EQ(load(text(), marked).graph.num_users(), 1);
}

TEST_F(CraftedVectors, ListsOfNodesHaveNoOtherKinds) {
  const auto bad = [&](const std::string& rows, const std::string& part) {
    refuse(text(), folder_.write("nodes.tsv", "row\tid\tkind\n" + rows), part);
  };
  bad("0\ta\tuser\n1\tb\tfoo\n2\tc\titem\n",
      "nodes.tsv:3: kind 'foo', expected node, user or item");
  bad("0\ta\tUser\n1\tb\titem\n2\tc\titem\n", "nodes.tsv:2: kind 'User'");
  bad("0\ta\tuser\n1\tb\titem\tx\n2\tc\titem\n", "nodes.tsv:3: kind 'item\tx'");
  bad("0\ta\tuser\n1\tb\tnode\n2\tc\titem\n", "nodes.tsv:3: kind 'node' among users and items");
  bad("0\ta\tuser\n1\tb\n2\tc\titem\n", "nodes.tsv:3: kind '' among users and items");
}

}  // namespace
}  // namespace mcns
