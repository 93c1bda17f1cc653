// Files as bytes: compressed ones read like plain ones, broken ones are refused by name.
#include <string>

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "mcns/io/dataset.h"
#include "mcns/io/input.h"

#include "test_io_files.h"

namespace mcns {
namespace {

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::string some_text() {
  std::string out;
  for (int i = 0; i < 300'000; ++i)
    out += std::to_string(i * 7919LL % 100'003) + "\t" + std::to_string(i) + "\n";
  return out;
}

TEST(Input, CompressedFilesReadAsPlain) {
  const ScratchFolder folder;
  const std::string text = some_text();
  EXPECT_EQ(Input(folder.write("a.tsv", text)).bytes(), text);
  EXPECT_EQ(Input(folder.write("a.tsv.gz", gzip(text))).bytes(), text);
  EXPECT_EQ(Input(folder.write("a.tsv.zst", zstd(text))).bytes(), text);
  EXPECT_EQ(Input(folder.write("misnamed.tsv", gzip(text))).bytes(), text);
  EXPECT_EQ(Input(folder.write("twice.gz", gzip("a\n") + gzip(text))).bytes(), "a\n" + text);
  EXPECT_EQ(Input(folder.write("twice.zst", zstd("a\n") + zstd(text))).bytes(), "a\n" + text);
}

TEST(Input, GraphsFromCompressedFiles) {
  const ScratchFolder folder;
  ThreadPool pool(2);
  for (const auto& path : {folder.write("a.tsv.gz", gzip("1\t2\n2\t3\n")),
                           folder.write("a.tsv.zst", zstd("1\t2\n2\t3\n"))})
    EXPECT_EQ(load_graph(path, {}, pool).graph.num_edges(), 2);
}

TEST(Input, UnreadableFiles) {
  const ScratchFolder folder;
  const auto message = [](const std::string& path) {
    return error_of(ErrorKind::kIo, [&] { Input input(path); });
  };
  EXPECT_TRUE(contains(message(folder.path("none.tsv")), "none.tsv: cannot open: No such file"));
  EXPECT_TRUE(contains(message(folder.path("")), "is a directory"));
  EXPECT_TRUE(contains(message("/dev/null"), "/dev/null: is not a regular file"));
  if (::geteuid() != 0) {
    const std::string path = folder.write("closed.tsv", "1\t2\n");
    std::filesystem::permissions(path, std::filesystem::perms::none);
    EXPECT_TRUE(contains(message(path), "closed.tsv: cannot open"));
  }
}

TEST(Input, DamagedFiles) {
  const ScratchFolder folder;
  const auto message = [&](const std::string& name, const std::string& content) {
    return error_of(ErrorKind::kData, [&] { Input input(folder.write(name, content)); });
  };
  const std::string gz = gzip(some_text()), zst = zstd(some_text());
  for (const std::size_t size : {std::size_t{3}, std::size_t{12}, gz.size() / 2, gz.size() - 1})
    EXPECT_TRUE(contains(message("cut.gz", gz.substr(0, size)), "cut.gz: truncated gzip"));
  for (const std::size_t size : {std::size_t{5}, zst.size() / 2, zst.size() - 1})
    EXPECT_TRUE(contains(message("cut.zst", zst.substr(0, size)), "cut.zst: truncated zstd"));
  std::string bad = gz;
  bad[bad.size() / 2] ^= 0x55;
  EXPECT_TRUE(contains(message("bad.gz", bad), "bad.gz: corrupt gzip"));
  EXPECT_TRUE(contains(message("tail.gz", gz + "tail"), "tail.gz: corrupt gzip"));
  bad = zst;
  bad[6] ^= 0x55;
  EXPECT_TRUE(contains(message("bad.zst", bad), "bad.zst: "));
  EXPECT_TRUE(contains(message("plain.gz", "1\t2\n"), "plain.gz: named as compressed"));
  EXPECT_TRUE(contains(message("empty.tsv", ""), "empty.tsv: the file is empty"));
  EXPECT_TRUE(contains(message("empty.gz", gzip("")), "empty.gz: the file is empty"));
  EXPECT_TRUE(contains(message("empty.zst", zstd("")), "empty.zst: the file is empty"));
}

}  // namespace
}  // namespace mcns
