// Keeps two runs from writing to one folder: a file in it that is locked with flock(). The kernel
// releases the lock when the process ends, however it ends, so no lock is ever stale. File systems
// without locks give no protection.
#pragma once

#include <optional>
#include <string>

namespace mcns {

class DirectoryLock {
 public:
  static constexpr const char* kName = ".lock";

  /// The folder must exist. An Error of kind kIo where another process, or this one, holds it.
  explicit DirectoryLock(const std::string& folder);
  /// A lock by the file `path` itself, which is made; nothing where another process, or this one,
  /// holds it.
  static std::optional<DirectoryLock> of_file(const std::string& path);
  /// Removes the file.
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) = delete;

 private:
  DirectoryLock() = default;
  bool take();

  std::string path_;
  int handle_ = -1;
};

}  // namespace mcns
