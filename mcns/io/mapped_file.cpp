#include "mcns/io/mapped_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mcns/core/error.h"
#include "mcns/core/pages.h"

namespace mcns {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  // Without waiting: a pipe in the place of a file would keep open() until somebody writes to it.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat info {};
  if (file.fd < 0 || ::fstat(file.fd, &info) != 0)
    throw_error(ErrorKind::kIo, "{}: cannot open: {}", path, std::strerror(errno));
  if (S_ISDIR(info.st_mode))
    throw_error(ErrorKind::kIo, "{}: is a directory, expected a file", path);
  if (!S_ISREG(info.st_mode)) throw_error(ErrorKind::kIo, "{}: is not a regular file", path);
  if (info.st_size == 0) return;
  size_ = static_cast<std::size_t>(info.st_size);
  void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (mapped == MAP_FAILED)
    throw_error(ErrorKind::kIo, "{}: cannot map: {}", path, std::strerror(errno));
  data_ = static_cast<char*>(mapped);
}

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

void MappedFile::release(std::size_t begin, std::size_t end) const {
  discard_pages(data_ + begin, data_ + end);
}

}  // namespace mcns
