// SHA-256, for data hashes and checked downloads.
#pragma once

#include <string>

namespace mcns {

/// Hexadecimal digest of a file's bytes as they are on disk.
std::string sha256_of_file(const std::string& path);

}  // namespace mcns
