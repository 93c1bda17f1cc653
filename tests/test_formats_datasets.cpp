// Datasets by name: where they are looked for, what is found in a folder, and how they are fetched.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "mcns/io/get_dataset.h"
#include "mcns/io/input.h"
#include "mcns/io/sha256.h"

#include "tests/test_io_files.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

/// Sets a variable for the time of a test.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (old_)
      setenv(name_, old_->c_str(), 1);
    else
      unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

std::string name_of(const std::string& path) { return fs::path(path).filename().string(); }

TEST(Datasets, AFolderIsReadByTheNamesOfItsFiles) {
  const ScratchFolder scratch;
  const auto find = [&](const std::vector<std::string>& files) {
    const ScratchFolder folder;
    for (const auto& file : files) folder.write(file, "x");
    const auto found = resolve_dataset(folder.path(""), Task::kLinkpred).files;
    return std::vector{name_of(found.train), name_of(found.valid), name_of(found.test),
                       name_of(found.labels)};
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(find({"train.tsv", "val.csv.gz", "test.txt.zst", "edges.tsv"}),
            (Names{"train.tsv", "val.csv.gz", "test.txt.zst", ""}));
  EXPECT_EQ(find({"edges.tsv.gz", "labels.tsv", "ratings.tsv", "test.tsv"}),
            (Names{"edges.tsv.gz", "", "", "labels.tsv"}));
  EXPECT_EQ(find({"ratings.csv", "u.data"}), (Names{"ratings.csv", "", "", ""}));
  EXPECT_EQ(find({"train.bin", "valid.tsv"}), (Names{"train.bin", "valid.tsv", "", ""}));
  error_of(ErrorKind::kIo, [&] { find({"readme.txt", "mcns_train.tsv"}); });
  error_of(ErrorKind::kIo, [&] { resolve_dataset(scratch.path("no/such"), Task::kLinkpred); });
}

TEST(Datasets, NamesAreFoundEmbeddedThenInMcnsData) {
  const ScratchFolder embedded, data;
  fs::create_directories(embedded.path("gowalla"));
  embedded.write("gowalla/train.tsv", "1\t2\n");
  for (const std::string name : {"gowalla", "mine", "empty"})
    fs::create_directories(data.path(name));
  data.write("gowalla/train.tsv", "1\t2\n");
  data.write("mine/edges.tsv", "1\t2\n");
  const Environment first("MCNS_EMBEDDED", embedded.path("")), second("MCNS_DATA", data.path(""));

  const auto gowalla = resolve_dataset("gowalla", Task::kRecommend);
  EXPECT_EQ(gowalla.folder, embedded.path("gowalla"));
  EXPECT_EQ(gowalla.bipartite, Bipartite::kSeparate);
  const auto mine = resolve_dataset("mine", Task::kRecommend);
  EXPECT_EQ(mine.files.train, data.path("mine/edges.tsv"));
  EXPECT_EQ(mine.bipartite, std::nullopt);
  // A folder of a known name is of the known kind, wherever it lies.
  EXPECT_EQ(resolve_dataset(data.path("gowalla/"), Task::kRecommend).bipartite,
            Bipartite::kSeparate);
  const auto what =
      error_of(ErrorKind::kUsage, [] { resolve_dataset("gowala", Task::kRecommend); });
  EXPECT_TRUE(contains(what, "did you mean 'gowalla'")) << what;
  EXPECT_TRUE(contains(what, "mine")) << what;
  EXPECT_FALSE(contains(what, "empty")) << what;
  EXPECT_TRUE(contains(
      error_of(ErrorKind::kUsage, [] { resolve_dataset("amazon-electronics", Task::kRecommend); }),
      "mcns data get amazon-electronics"));
}

TEST(Datasets, TheEmbeddedOneServesAllTasks) {
  const auto recommend = resolve_dataset("debian", Task::kRecommend);
  EXPECT_EQ(recommend.bipartite, Bipartite::kSeparate);
  const auto classify = resolve_dataset("debian", Task::kClassify);
  EXPECT_EQ(classify.bipartite, Bipartite::kNone);
  EXPECT_FALSE(classify.files.labels.empty());
}

TEST(Download, Sha256IsTheStandardOne) {
  const ScratchFolder folder;
  EXPECT_EQ(sha256_of_file(folder.write("abc", "abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  error_of(ErrorKind::kIo, [&] { sha256_of_file(folder.path("missing")); });
}

TEST(Download, AppearsOnlyWholeAndRight) {
  const ScratchFolder folder;
  const auto url = "file://" + folder.write("source", "abc");
  const auto path = folder.path("copy");
  const auto digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_TRUE(contains(
      error_of(ErrorKind::kData, [&] { download(url, path, std::string(64, '0')); }), digest));
  EXPECT_FALSE(fs::exists(path));
  error_of(ErrorKind::kIo, [&] { download(url + "x", path, ""); });
  error_of(ErrorKind::kIo, [&] { download("ftp://localhost/x", path, ""); });
  error_of(ErrorKind::kIo, [&] { download(url, folder.path("no/such/folder"), ""); });
  error_of(ErrorKind::kIo,
           [&] { download(url, path, "", [](std::int64_t, std::int64_t) { return false; }); });
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path("")), {}), 1);
  std::int64_t reported = -1;
  EXPECT_EQ(download(url, path, digest,
                     [&](std::int64_t done, std::int64_t) {
                       reported = done;
                       return true;
                     }),
            digest);
  EXPECT_EQ(Input(path).bytes(), "abc");
  EXPECT_EQ(reported, 3);
}

TEST(Download, ADatasetIsFetchedConvertedAndFound) {
  const ScratchFolder folder;
  Downloadable dataset{.name = "tiny",
                       .help = "",
                       .url = "file://" + folder.write("u.data", "1\t1\t5\t0\n2\t1\t3\t0\n"),
                       .file = "u.data",
                       .sha256 = "",
                       .format = "movielens",
                       .edges = "ratings.tsv.gz",
                       .licence = ""};
  ThreadPool pool(1);
  const auto out = folder.path("data/tiny");
  const auto first = get_dataset(dataset, out, false, pool);
  EXPECT_TRUE(first.downloaded);
  EXPECT_FALSE(first.pinned);
  EXPECT_EQ(first.edges, 2);
  EXPECT_EQ(first.nodes, 3);
  const auto found = resolve_dataset(out, Task::kRecommend);
  EXPECT_EQ(Input(found.files.train).bytes(), "1\t1\n2\t1\n");

  dataset.sha256 = first.digest;
  EXPECT_FALSE(get_dataset(dataset, out, false, pool).downloaded);
  EXPECT_TRUE(get_dataset(dataset, out, true, pool).downloaded);
  folder.write("data/tiny/u.data", "damaged");
  EXPECT_TRUE(get_dataset(dataset, out, false, pool).downloaded);
}

TEST(Download, PartsAreKeptAndTheirLinesCounted) {
  const ScratchFolder folder;
  // The layout of the authors of MCNS: users, then items, in one space of ids.
  folder.write("train.txt", "0 3\n0 4\n1 3\n2 5\n");
  folder.write("valid.txt", "1 4\n2 3\n");
  folder.write("test.txt", "0 5\n2 4\n");
  Downloadable dataset{.name = "alibaba",
                       .help = "",
                       .url = "file://" + folder.path("train.txt"),
                       .file = "train.txt",
                       .sha256 = "",
                       .format = "edges",
                       .edges = "",
                       .licence = "",
                       .parts = {{"valid.txt", 2}, {"test.txt"}}};
  ThreadPool pool(1);
  const auto out = folder.path("data/alibaba");
  const auto report = get_dataset(dataset, out, false, pool);
  EXPECT_EQ(report.edges, 4);
  EXPECT_EQ(report.nodes, 6);
  const auto found = resolve_dataset(out, Task::kRecommend);
  EXPECT_EQ(found.bipartite, Bipartite::kShared);
  EXPECT_EQ(name_of(found.files.valid), "valid.txt");
  EXPECT_EQ(Input(found.files.test).bytes(), "0 5\n2 4\n");
  dataset.parts[0].lines = 3;
  const auto what = error_of(ErrorKind::kData, [&] { get_dataset(dataset, out, false, pool); });
  EXPECT_TRUE(contains(what, "has 2 lines where the authors' file has 3")) << what;
}

TEST(Download, TableEntriesAreComplete) {
  for (const auto& dataset : downloadable_datasets()) {
    EXPECT_TRUE(dataset.url.starts_with("https://")) << dataset.name;
    EXPECT_TRUE(dataset.sha256.empty() || dataset.sha256.size() == 64) << dataset.name;
    EXPECT_FALSE(dataset.licence.empty()) << dataset.name;
    const auto& known = known_datasets();
    EXPECT_NE(std::ranges::find(known, dataset.name, &DatasetEntry::name), known.end());
  }
}

}  // namespace
}  // namespace mcns
