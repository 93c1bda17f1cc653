// Files that appear whole or not at all: written under a temporary name in the same folder, flushed
// to the disk, then renamed over the final name. A reader sees the old file or the new one, also
// after a crash. Every failure is an Error of kind kIo that names the path and the reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace mcns {

class AtomicFile {
 public:
  /// Opens the temporary file beside `path`. Refuses a `path` that is a directory or a device;
  /// follows a symbolic link to the file it names.
  explicit AtomicFile(const std::string& path);
  /// Without commit() nothing stays behind.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  template <class T>
  void write(std::span<const T> items) {
    write(items.data(), items.size_bytes());
  }
  /// Bytes written so far.
  std::uint64_t size() const { return size_; }

  /// Flushes, syncs and renames. Call once, last. The file that was there before is lost, or kept
  /// under another name of the same folder.
  void commit(const std::string& keep_old_as = {});

 private:
  [[noreturn]] void fail(const char* doing) const;

  std::string path_, target_, temporary_;
  std::FILE* file_ = nullptr;
  std::uint64_t size_ = 0;
};

/// The whole file at once.
void write_file_atomically(const std::string& path, std::string_view content);

/// Throws for a pipe, a device or a folder in the place of a file; a missing one is left to the
/// reader, who says more.
void require_regular_file(const std::string& path);

/// Removes what killed writers left in the folder; no other writer may be at work there.
void remove_temporaries(const std::string& folder);

/// Makes the folder and its parents; fine where it exists already.
void make_directories(const std::string& path);

}  // namespace mcns
