// What is fuzzed: every reader of files and of texts that a user writes. A target takes bytes that
// anybody may have made; all that it may do with bad ones is throw mcns::Error.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mcns::fuzz {

struct Target {
  std::string_view name;
  bool is_text;                           ///< else it is binary
  std::string_view ending;                ///< of the file that the bytes are written to
  void (*read)(const std::string& path);  ///< the file
  std::vector<std::string> (*seeds)();    ///< beside those in corpus/; may be null
  /// Makes mutated bytes sound in form again (sizes, checksums), so that mutations reach what lies
  /// behind these checks. `choice` is random. May be null.
  void (*repair)(std::string& bytes, std::uint64_t choice);
};

std::span<const Target> targets();
/// Throws std::invalid_argument for an unknown name.
const Target& find_target(std::string_view name);

/// Writes the bytes to a file and reads it. An error of ours is what bad bytes deserve; any other
/// exception, and a message that is a library's and not ours, ends the process.
void run_target(const Target& target, std::string_view bytes);

// repair.cpp
void repair_graph(std::string& bytes, std::uint64_t choice);
void repair_npy(std::string& bytes, std::uint64_t choice);
void repair_state(std::string& bytes, std::uint64_t choice);

}  // namespace mcns::fuzz
