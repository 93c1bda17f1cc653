#include "mcns/io/input.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <zlib.h>
#include <zstd.h>

#include "mcns/core/error.h"

namespace mcns {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kStep = std::size_t{1} << 20;

constexpr std::size_t kFreeBytes = std::size_t{64} << 20, kMostTimes = 200;

/// Room for more unpacked bytes.
void grow(std::string& out, std::size_t size, std::string_view packed, const std::string& path) {
  const std::size_t limit = most_unpacked(packed.size());
  if (size >= limit)
    throw_bad_data(
        path, 0,
        fmt::format("unpacks to more than {} bytes, over {} times its size; unpack it by "
                    "hand if that is meant",
                    limit, kMostTimes));
  out.resize(std::min(limit, std::max(kStep, 2 * size)));
}

/// gzip members one after the other, as `cat a.gz b.gz` leaves them.
class GzipReader {
 public:
  GzipReader(std::string_view packed, const std::string& path) : packed_(packed), path_(path) {
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzipReader() { inflateEnd(&stream_); }
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  std::string read() {
    std::string out;
    std::size_t size = 0;
    for (int status = Z_OK;
         status != Z_STREAM_END || stream_.avail_in > 0 || at_ < packed_.size();) {
      if (status == Z_STREAM_END) inflateReset(&stream_);
      if (stream_.avail_in == 0) feed();
      if (size == out.size()) grow(out, size, packed_, path_);
      const auto room = std::min(out.size() - size, std::size_t{1} << 30);
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + size);
      stream_.avail_out = static_cast<uInt>(room);
      status = inflate(&stream_, Z_NO_FLUSH);
      size += room - stream_.avail_out;
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        throw_bad_data(path_, 0,
                       fmt::format("corrupt gzip data: {}",
                                   stream_.msg != nullptr ? stream_.msg : "unreadable"));
    }
    out.resize(size);
    return out;
  }

 private:
  void feed() {
    if (at_ == packed_.size()) throw_bad_data(path_, 0, "truncated gzip data");
    const auto bytes = std::min(packed_.size() - at_, std::size_t{1} << 30);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed_.data() + at_));
    stream_.avail_in = static_cast<uInt>(bytes);
    at_ += bytes;
  }

  std::string_view packed_;
  const std::string& path_;
  z_stream stream_{};
  std::size_t at_ = 0;
};

std::string read_zstd(std::string_view packed, const std::string& path) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                     &ZSTD_freeDCtx);
  if (context == nullptr) throw std::bad_alloc();
  std::string out;
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  ZSTD_outBuffer to{nullptr, 0, 0};
  for (std::size_t pending = 1; pending != 0 || in.pos < in.size;) {
    if (to.pos == out.size()) grow(out, to.pos, packed, path);
    to = {out.data(), out.size(), to.pos};
    const std::size_t written = to.pos;
    const bool had_input = in.pos < in.size;
    pending = ZSTD_decompressStream(context.get(), &to, &in);
    if (ZSTD_isError(pending) != 0)
      throw_bad_data(path, 0, fmt::format("corrupt zstd data: {}", ZSTD_getErrorName(pending)));
    if (pending != 0 && !had_input && to.pos == written)
      throw_bad_data(path, 0, "truncated zstd data");
  }
  out.resize(to.pos);
  return out;
}

}  // namespace

Input::Input(const std::string& path) {
  if (path == "-")
    raw_ = standard_input();
  else
    file_ = MappedFile(path);
  const std::string_view raw = bytes();
  if (raw.empty()) throw_bad_data(path, 0, "the file is empty");
  if (raw.starts_with("\x1f\x8b"sv)) {
    unpacked_ = GzipReader(raw, path).read();
  } else if (raw.starts_with("\x28\xb5\x2f\xfd"sv)) {
    unpacked_ = read_zstd(raw, path);
  } else {
    if (unpacked_name(path) != path)
      throw_bad_data(path, 0, "named as compressed, but neither gzip nor zstd data");
    return;
  }
  packed_ = true;
  file_ = {};
  raw_ = {};
  if (unpacked_.empty()) throw_bad_data(path, 0, "the file is empty");
}

std::size_t most_unpacked(std::size_t packed) { return std::max(kFreeBytes, kMostTimes * packed); }

std::string_view standard_input() {
  static const std::string bytes = [] {
    std::string out;
    std::size_t size = 0;
    for (std::size_t got = 1; got > 0; size += got) {
      if (size == out.size()) out.resize(std::max(kStep, 2 * size));
      got = std::fread(out.data() + size, 1, out.size() - size, stdin);
    }
    if (std::ferror(stdin) != 0)
      throw_error(ErrorKind::kIo, "cannot read standard input: {}", std::strerror(errno));
    out.resize(size);
    return out;
  }();
  return bytes;
}

std::string_view unpacked_name(std::string_view path) {
  for (const auto ending : {".gz"sv, ".zst"sv})
    if (path.ends_with(ending)) path.remove_suffix(ending.size());
  return path;
}

}  // namespace mcns
