// A file of lines that only grows: what is appended is on the disk when the call returns, so that a
// process may die at any time. A line that was cut off by that is removed by the next one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mcns {

class LineFile {
 public:
  /// Opens the file, or makes it. Without `whole` (which says of a last line whether it is one)
  /// a last line is whole that ends.
  using IsWhole = bool (*)(const std::string& line);
  explicit LineFile(const std::string& path, IsWhole whole = nullptr);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  /// Those that were there, without their ends.
  const std::vector<std::string>& lines() const { return lines_; }
  /// The line has no line end in it.
  void append(std::string_view line);

 private:
  [[noreturn]] void fail(const char* doing) const;

  std::string path_;
  int handle_ = -1;
  std::vector<std::string> lines_;
};

}  // namespace mcns
