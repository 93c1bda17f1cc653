// Files of options in TOML: an option a line, and sections that are named after commands.
#pragma once

#include <string>
#include <vector>

namespace mcns {

/// An option, or a section where `name` is empty.
struct FileOption {
  std::vector<std::string> sections;  ///< that it stands in, from outside in
  std::string name, value;            ///< of a list: what it holds, with commas between
};

/// Throws Error(kData) with `path` and the line for text that is no TOML, or holds what no option
/// takes.
std::vector<FileOption> parse_options(const std::string& text, const std::string& path);

}  // namespace mcns
