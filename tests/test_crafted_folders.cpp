// Crafted folders, archives and options: pipes and links where files belong, names that no node can
// have, archives that unpack to far more than they are, options of any length, too little memory.
#include <cstring>

#include <sys/stat.h>
#include <zlib.h>

#include "mcns/io/directory_lock.h"
#include "mcns/io/graph_file.h"
#include "mcns/io/npy.h"
#include "mcns/io/npz.h"
#include "mcns/io/vector_files.h"

#include "tests/graph_support.h"
#include "tests/run_binary.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

std::string number(std::uint64_t value, int bytes) {
  return {reinterpret_cast<const char*>(&value), static_cast<std::size_t>(bytes)};
}

/// A zip file whose directory lists its one member `times` times.
std::string zip_of(const std::string& name, const std::string& bytes, int times) {
  std::string packed(compressBound(bytes.size()), '\0');
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  const std::string about =
      number(sum, 4) + number(packed.size(), 4) + number(bytes.size(), 4) + number(name.size(), 2);
  std::string out =
      "PK\3\4" + number(20, 2) + number(0, 2) + number(8, 2) + number(0, 4) + about + number(0, 2);
  out += name + packed;
  const std::size_t directory = out.size();
  for (int i = 0; i < times; ++i)
    out += "PK\1\2" + number(20, 2) + number(20, 2) + number(0, 2) + number(8, 2) + number(0, 4) +
           about + number(0, 2) + number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4) +
           number(0, 4) + name;
  return out + "PK\5\6" + number(0, 4) + number(times, 2) + number(times, 2) +
         number(out.size() - directory, 4) + number(directory, 4) + number(0, 2);
}

TEST(CraftedArchives, MembersTogetherUnpackToNoMoreThanTheirFileMay) {
  const ScratchFolder folder;
  const std::string table = npy_header(1 << 20, 4) + std::string(std::size_t{16} << 20, '\0');
  EXPECT_EQ(read_npz(folder.write("one.npz", zip_of("a.npy", table, 1))).size(), 1);
  const auto bomb = folder.write("bomb.npz", zip_of("a.npy", table, 400));
  EXPECT_LT(fs::file_size(bomb), 100'000);
  EXPECT_TRUE(contains(error_of(ErrorKind::kData, [&] { read_npz(bomb); }), "unpacks to more"));
}

TEST(CraftedArchives, WidthsAndCharactersOfIdsAreChecked) {
  const ScratchFolder folder;
  const auto refuse = [&](const std::string& type, const std::string& data, int ids) {
    const std::string path = folder.path("x");
    const NpyArray array{type, false, {ids}, data};
    error_of(ErrorKind::kData, [&] { ids_of_npy(path, array); });
  };
  const std::string a("a\0\0\0", 4);
  // 4 bytes a character: 2^62 + 1 of them are as wide as one.
  refuse("<U4611686018427387905", a, 1);
  refuse("<U18446744073709551615", a + a, 2);
  refuse("<U0", a, 1);
  refuse("<U1", std::string("\0\0\x11\0", 4), 1);  // beyond the last character
  refuse("<U1", std::string("\0\xd8\0\0", 4), 1);  // half of a pair
  const std::vector<std::string> read = ids_of_npy("x", {"<U1", false, {2}, a + a});
  EXPECT_EQ(read, (std::vector<std::string>{"a", "a"}));
}

std::string saved(const ScratchFolder& folder, const Names& names, GraphKind kind, NodeId users) {
  const std::vector<EdgeId> offsets = {0, 1, 2, 3, 4};
  const std::vector<NodeId> neighbors = {2, 3, 0, 1};
  save_graph(folder.path("g.bin"), Graph({offsets, neighbors, {}}, kind, users, nullptr), names);
  return folder.path("g.bin");
}

TEST(CraftedNames, OfASideAreDistinctAndNotEmpty) {
  const ScratchFolder folder;
  using Texts = std::vector<std::string>;
  using Numbers = std::vector<std::int64_t>;
  const auto refuse = [&](const Names& names, GraphKind kind, NodeId users, const char* part) {
    const auto path = saved(folder, names, kind, users);
    EXPECT_TRUE(contains(error_of(ErrorKind::kData, [&] { load_graph_file(path); }), part));
  };
  constexpr GraphKind kOne = GraphKind::kUndirected, kTwo = GraphKind::kBipartite;
  refuse(Names(Texts{"a", "b", "c", "a"}), kOne, 0, "nodes 0 and 3 have the same id");
  refuse(Names(Texts{"a", "a", "c", "d"}), kTwo, 2, "nodes 0 and 1 have the same id");
  refuse(Names(Texts{"a", "", "c", "d"}), kOne, 0, "node 1 has no id");
  refuse(Names(Numbers{1, 2, 3, 1}), kOne, 0, "nodes 0 and 3 have the same id");
  refuse(Names(Numbers{1, 2, 3, 3}), kTwo, 2, "nodes 2 and 3 have the same id");
  // The two sides have ids of their own.
  EXPECT_EQ(load_graph_file(saved(folder, Names(Texts{"a", "b", "b", "a"}), kTwo, 2)).names.name(3),
            "a");
  EXPECT_EQ(load_graph_file(saved(folder, Names(Numbers{9, 1, 9, 1}), kTwo, 2)).names.name(2), "9");
}

class CraftedFolders : public testing::Test {
 protected:
  CraftedFolders() {
    for (int v = 0; v < 12; ++v) edges_ += fmt::format("v{}\tv{}\n", v, (v + 1) % 12);
    train_ = "train " + folder_.write("g.tsv", edges_) + " --dim 4 --epochs 1 --quiet --out " +
             folder_.path("model");
  }
  ScratchFolder folder_;
  std::string edges_, train_;
};

TEST_F(CraftedFolders, APipeInThePlaceOfAFileIsNotWaitedFor) {
  ASSERT_EQ(run_mcns(folder_, train_).code, 0);
  const std::string pipe = folder_.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_failure(folder_, "info " + pipe, 4, "not a regular file");
  for (const std::string name : {"embeddings.npy", "graph.bin", "run.json"}) {
    const std::string file = folder_.path("model/" + name), kept = folder_.path("kept");
    fs::rename(file, kept);
    fs::rename(pipe, file);
    expect_failure(folder_, "neighbors " + folder_.path("model") + " --node v1", 4,
                   "not a regular file");
    fs::rename(file, pipe);
    fs::rename(kept, file);
  }
}

TEST_F(CraftedFolders, LinksAreNotFollowedToFilesOfOthers) {
  ASSERT_EQ(run_mcns(folder_, train_).code, 0);
  const std::string precious = folder_.write("precious", "do not touch\n");
  fs::create_symlink(precious, folder_.path("model/") + DirectoryLock::kName);
  expect_failure(folder_, train_ + " --force", 4, "cannot write");
  EXPECT_EQ(content_of(precious), "do not touch\n");
  fs::create_symlink(precious, folder_.path("lists.tsv.partial"));
  expect_failure(
      folder_,
      "recommend " + folder_.path("model") + " --all -k 2 --out " + folder_.path("lists.tsv"), 4,
      "cannot write");
  EXPECT_EQ(content_of(precious), "do not touch\n");
}

TEST_F(CraftedFolders, OptionsOfAnyLengthAreRefusedAtOnce) {
  const auto refuse = [&](const std::string& text, int code, const std::string& part) {
    expect_failure(folder_, train_ + " --config " + folder_.write("c.toml", text), code, part);
    EXPECT_LT(content_of(folder_.path("stderr.txt")).size(), 10'000);
  };
  refuse(std::string(3 << 20, 'x'), 3, "expected options");
  refuse(std::string(900'000, 'x') + " = 1\n", 2, "unknown flag");
  refuse("batch = \"" + std::string(900'000, '9') + "\"\n", 2, "batch");
}

TEST_F(CraftedFolders, FilesThatMayNotGrowAreAnErrorOfTheirWrites) {
  expect_failure(folder_, train_ + " --force", 4, "cannot write " + folder_.path("model"),
                 "ulimit -f 1;");
  EXPECT_FALSE(fs::exists(folder_.path("model/metrics.json")));
}

TEST_F(CraftedFolders, MoreThanThereIsOfMemoryIsRefusedBeforeTheRun) {
  expect_failure(folder_, train_ + " --memory 1M", 1, "MiB of memory");
  EXPECT_FALSE(fs::exists(folder_.path("model"))) << "nothing was begun";
  expect_failure(folder_, train_ + " --memory 5Q", 2, "memory");
  EXPECT_EQ(run_mcns(folder_, train_ + " --memory 4G").code, 0);
}

}  // namespace
}  // namespace mcns
