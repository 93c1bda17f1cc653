#include "mcns/io/line_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "mcns/core/error.h"

namespace mcns {

LineFile::LineFile(const std::string& path, IsWhole whole) : path_(path) {
  handle_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (handle_ < 0) fail("write");
  std::string text;
  char buffer[1 << 16];
  for (ssize_t got = 0; (got = read(handle_, buffer, sizeof buffer)) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read");
    text.append(buffer, got);
  }
  std::size_t kept = 0;
  for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', kept)) {
    lines_.push_back(text.substr(kept, end - kept));
    kept = end + 1;
  }
  if (!lines_.empty() && whole != nullptr && !whole(lines_.back())) {
    kept -= lines_.back().size() + 1;
    lines_.pop_back();
  }
  if (kept != text.size() && ftruncate(handle_, static_cast<off_t>(kept)) != 0) fail("write");
  if (lseek(handle_, 0, SEEK_END) < 0) fail("write");
}

LineFile::~LineFile() {
  if (handle_ >= 0) close(handle_);
}

void LineFile::append(std::string_view line) {
  std::string bytes(line);
  bytes += '\n';
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = write(handle_, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("write");
    done += static_cast<std::size_t>(count);
  }
  if (fsync(handle_) != 0) fail("write");
}

void LineFile::fail(const char* doing) const {
  throw_error(ErrorKind::kIo, "cannot {} {}: {}", doing, path_, std::strerror(errno));
}

}  // namespace mcns
