// AtomicFile: whole or not at all, and what is left behind when it cannot be whole.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mcns/core/error.h"
#include "mcns/io/files.h"
#include "mcns/io/line_file.h"

#include "tests/paths.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(kTestScratch) / "files" / info->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  int entries() const {
    return static_cast<int>(std::distance(fs::directory_iterator(folder_), {}));
  }
  static std::string read(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  template <class Body>
  static std::string io_error(const Body& body) {
    try {
      body();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kIo);
      return error.what();
    }
    return "nothing was thrown";
  }
  fs::path folder_;
};

TEST_F(AtomicFileTest, ReplacesTheOldFileOnlyOnCommit) {
  const auto file = path("a.txt");
  write_file_atomically(file, "old");
  {
    AtomicFile unfinished(file);
    unfinished.write("new");
    EXPECT_EQ(entries(), 2);
  }
  EXPECT_EQ(read(file), "old");
  EXPECT_EQ(entries(), 1);
  AtomicFile finished(file);
  finished.write("ne");
  finished.write("w");
  EXPECT_EQ(finished.size(), 3U);
  finished.commit();
  EXPECT_EQ(read(file), "new");
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFileTest, HonoursTheUmask) {
  const mode_t old = umask(022);
  write_file_atomically(path("a"), "x");
  umask(old);
  struct stat info;
  ASSERT_EQ(stat(path("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644U);
}

TEST_F(AtomicFileTest, FollowsSymbolicLinks) {
  write_file_atomically(path("real"), "old");
  fs::create_symlink("real", path("link"));
  write_file_atomically(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read(path("real")), "new");
}

TEST_F(AtomicFileTest, RefusesWhatIsNotAFile) {
  EXPECT_NE(io_error([&] { AtomicFile file(folder_.string()); }).find("is a directory"),
            std::string::npos);
  EXPECT_NE(io_error([] { AtomicFile file("/dev/full"); }).find("not a regular file"),
            std::string::npos);
}

TEST_F(AtomicFileTest, NamesThePathAndTheReason) {
  const auto missing = path("missing/a.txt");
  const auto what = io_error([&] { AtomicFile file(missing); });
  EXPECT_NE(what.find(missing), std::string::npos) << what;
  EXPECT_NE(what.find("No such file or directory"), std::string::npos) << what;
}

TEST_F(AtomicFileTest, UnwritableFolder) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  const auto what = io_error([&] { AtomicFile file(path("a")); });
  fs::permissions(folder_, fs::perms::owner_all);
  EXPECT_NE(what.find("Permission denied"), std::string::npos) << what;
  EXPECT_EQ(entries(), 0);
}

// A limit on the size of files stands in for a full disk: the write fails half way.
TEST_F(AtomicFileTest, FullDiskLeavesTheOldFileAndNothingElse) {
  const auto file = path("a.bin");
  write_file_atomically(file, "old");
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1 << 16;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto during_write =
      io_error([&] { write_file_atomically(file, std::string(1 << 20, 'x')); });
  // Fits into the buffer, so that only the flush inside commit() can notice.
  const auto at_commit =
      io_error([&] { write_file_atomically(file, std::string((1 << 16) + 1, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(during_write.find("File too large"), std::string::npos) << during_write;
  EXPECT_NE(at_commit.find(file), std::string::npos) << at_commit;
  EXPECT_EQ(read(file), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFileTest, MakesFolders) {
  make_directories(path("b/c"));
  make_directories(path("b/c"));
  EXPECT_TRUE(fs::is_directory(path("b/c")));
  write_file_atomically(path("b/file"), "");
  EXPECT_NE(io_error([&] { make_directories(path("b/file/d")); }).find("b/file/d"),
            std::string::npos);
  EXPECT_NE(io_error([&] { make_directories(path("b/file")); }).find("b/file"), std::string::npos);
}

TEST_F(AtomicFileTest, LinesGrowAndACutOneIsRemoved) {
  const auto file = path("lines");
  {
    LineFile lines(file);
    EXPECT_TRUE(lines.lines().empty());
    lines.append("one");
    EXPECT_EQ(read(file), "one\n") << "on the disk when append returns";
    lines.append("two");
  }
  std::ofstream(file, std::ios::app) << "thr";
  {
    LineFile lines(file);
    EXPECT_EQ(lines.lines(), (std::vector<std::string>{"one", "two"}));
    lines.append("three");
  }
  EXPECT_EQ(read(file), "one\ntwo\nthree\n");
  const LineFile shorter(file, [](const std::string& line) { return line.size() == 3; });
  EXPECT_EQ(shorter.lines().size(), 2U);
  EXPECT_EQ(read(file), "one\ntwo\n");
  EXPECT_NE(io_error([&] { LineFile(path("none/file")); }).find("none/file"), std::string::npos);
}

}  // namespace
}  // namespace mcns
