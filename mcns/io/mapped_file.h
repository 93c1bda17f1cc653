// A regular file as read-only memory. Pages are loaded as they are touched and can be released
// again, so that a pass over a large file need not keep it resident.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mcns {

class MappedFile {
 public:
  MappedFile() = default;
  /// Maps the whole file; throws Error(kIo) naming `path` where that is impossible, and where it is
  /// not a regular file. An empty file maps to no bytes.
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::string_view bytes() const { return {data_, size_}; }
  /// Drops the resident pages that lie wholly in [begin, end). They are read again if touched.
  void release(std::size_t begin, std::size_t end) const;

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mcns
