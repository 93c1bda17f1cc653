// A file as contiguous bytes, compressed or not: plain files are mapped, gzip and
// Zstandard (recognized by their first bytes, for any name) are unpacked into memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "mcns/io/mapped_file.h"

namespace mcns {

class Input {
 public:
  /// Throws Error(kIo) for a file that is missing, unreadable or a directory, Error(kData) for one
  /// that is empty, truncated or corrupt; each names `path`.
  explicit Input(const std::string& path);

  std::string_view bytes() const { return packed_ ? std::string_view(unpacked_) : file_.bytes(); }
  /// Says that [begin, end) was read: its pages need not stay resident. The bytes stay readable.
  void release(std::size_t begin, std::size_t end) const {
    if (!packed_) file_.release(begin, end);
  }

 private:
  MappedFile file_;
  bool packed_ = false;
  std::string unpacked_;
};

/// `path` without a .gz or .zst at its end: the name that determines the format.
std::string_view unpacked_name(std::string_view path);

}  // namespace mcns
