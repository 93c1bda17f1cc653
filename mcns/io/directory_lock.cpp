#include "mcns/io/directory_lock.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mcns/core/error.h"

namespace mcns {
namespace {

/// Whether the path still names the open file.
bool is_at(int handle, const std::string& path) {
  struct stat open_file {
  }, named_file{};
  return fstat(handle, &open_file) == 0 && stat(path.c_str(), &named_file) == 0 &&
         open_file.st_dev == named_file.st_dev && open_file.st_ino == named_file.st_ino;
}

}  // namespace

/// False where somebody else holds it; the file is open then all the same.
bool DirectoryLock::take() {
  for (;;) {
    // No link is followed: the file that it names would be overwritten.
    handle_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (handle_ < 0)
      throw_error(ErrorKind::kIo, "cannot write {}: {}", path_, std::strerror(errno));
    const bool busy = flock(handle_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    // The holder before may have removed the file after it was opened here.
    if (!busy && is_at(handle_, path_)) {
      const std::string id = std::to_string(getpid());
      // Only for the message of others: a disk that is full shows elsewhere.
      if (ftruncate(handle_, 0) == 0) static_cast<void>(!write(handle_, id.data(), id.size()));
      return true;
    }
    if (busy) return false;
    close(handle_);
  }
}

DirectoryLock::DirectoryLock(const std::string& folder) : path_(folder + "/" + kName) {
  if (take()) return;
  char holder[24] = {};
  const bool told = read(handle_, holder, sizeof holder - 1) > 0;
  close(std::exchange(handle_, -1));
  throw_error(ErrorKind::kIo, "{} is in use by another run{}; wait for it or take another folder",
              folder, told ? fmt::format(" (process {})", holder) : "");
}

std::optional<DirectoryLock> DirectoryLock::of_file(const std::string& path) {
  DirectoryLock out;
  out.path_ = path;
  if (out.take()) return out;
  close(std::exchange(out.handle_, -1));
  return std::nullopt;
}

DirectoryLock::~DirectoryLock() {
  if (handle_ < 0) return;
  unlink(path_.c_str());  // first: no other process may lock a file that is about to be removed
  close(handle_);
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, -1)) {}

}  // namespace mcns
