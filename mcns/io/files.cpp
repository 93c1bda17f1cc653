#include "mcns/io/files.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mcns/core/error.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBuffer = std::size_t{1} << 18;

/// Unique among processes and threads; a plain open, unlike mkstemp, honours the umask.
std::string temporary_name(const fs::path& target) {
  static std::atomic<std::uint64_t> counter{0};
  const auto name = fmt::format(".{}.{}-{}.tmp", target.filename().string(), getpid(), counter++);
  return (target.parent_path() / name).string();
}

/// The file that a rename must replace.
std::string resolve_target(const std::string& path) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  if (fs::is_directory(status))
    throw_error(ErrorKind::kIo, "cannot write {}: is a directory", path);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw_error(ErrorKind::kIo, "cannot write {}: not a regular file", path);
  if (!fs::is_symlink(fs::symlink_status(path, ignored))) return path;
  const auto resolved = fs::weakly_canonical(path, ignored);
  return ignored ? path : resolved.string();
}

/// A rename is durable only when the folder is on the disk too. Some file systems cannot sync it;
/// then there is nothing better to do. False where the disk failed.
bool sync_folder(const std::string& file) {
  const auto folder = fs::path(file).parent_path();
  const int handle =
      open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return true;
  const bool failed = fsync(handle) != 0 && errno == EIO;
  close(handle);
  if (failed) errno = EIO;
  return !failed;
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path)
    : path_(path), target_(resolve_target(path)), temporary_(temporary_name(target_)) {
  const int handle = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (handle < 0) {
    temporary_.clear();
    fail("write");
  }
  file_ = fdopen(handle, "wb");
  if (file_ == nullptr) {
    close(handle);
    unlink(temporary_.c_str());
    fail("write");
  }
  std::setvbuf(file_, nullptr, _IOFBF, kBuffer);
}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::fail(const char* doing) const {
  throw_error(ErrorKind::kIo, "cannot {} {}: {}", doing, path_, std::strerror(errno));
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  MCNS_ASSERT(file_ != nullptr);
  if (bytes != 0 && std::fwrite(data, 1, bytes, file_) != bytes) fail("write");
  size_ += bytes;
}

void AtomicFile::commit(const std::string& keep_old_as) {
  MCNS_ASSERT(file_ != nullptr);
  if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) fail("write");
  std::FILE* const closing = file_;
  file_ = nullptr;
  if (std::fclose(closing) != 0) fail("write");
  if (!keep_old_as.empty() && std::rename(target_.c_str(), keep_old_as.c_str()) != 0 &&
      errno != ENOENT)
    fail("rename");
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("rename to");
  temporary_.clear();
  if (!sync_folder(target_)) fail("write");
}

void write_file_atomically(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

void require_regular_file(const std::string& path) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw_error(ErrorKind::kIo, "cannot read {}: {}", path,
                fs::is_directory(status) ? "is a directory" : "not a regular file");
}

void remove_temporaries(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with(".") && name.ends_with(".tmp")) fs::remove(entry.path(), ignored);
  }
}

void make_directories(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error && !fs::is_directory(path)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw_error(ErrorKind::kIo, "cannot make the folder {}: {}", path, error.message());
}

}  // namespace mcns
