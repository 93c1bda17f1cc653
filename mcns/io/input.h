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
  Input() = default;  ///< no bytes
  /// "-" is standard input, read to its end once and kept. Throws Error(kIo) for a file that is
  /// missing, unreadable or a directory, Error(kData) for one that is empty, truncated or corrupt;
  /// each names `path`.
  explicit Input(const std::string& path);

  std::string_view bytes() const {
    return packed_ ? std::string_view(unpacked_) : raw_.empty() ? file_.bytes() : raw_;
  }
  /// Says that [begin, end) was read: its pages need not stay resident. The bytes stay readable.
  void release(std::size_t begin, std::size_t end) const {
    if (!packed_ && raw_.empty()) file_.release(begin, end);
  }

 private:
  MappedFile file_;
  std::string_view raw_;  ///< where they are not in a file
  bool packed_ = false;
  std::string unpacked_;
};

/// The most bytes that a file of `packed` bytes may unpack to: lists of edges have some ten times
/// as many, and much more is meant to fill the memory.
std::size_t most_unpacked(std::size_t packed);

/// All of standard input; it is read by the first call.
std::string_view standard_input();

/// `path` without a .gz or .zst at its end: the name that determines the format.
std::string_view unpacked_name(std::string_view path);

}  // namespace mcns
