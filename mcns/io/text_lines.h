// Lines of delimited text and their fields.
//
// A data line is one that is neither blank nor a comment (# or % first). Fields are separated by a
// text ("," or "::") or by runs of blanks, and may be quoted. O(bytes), no copies but of fields
// with doubled quotes in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mcns {

/// What is wrong with a line; the caller knows which line it is.
struct LineError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The separator that stands for runs of blanks.
inline constexpr std::string_view kBlanks = " ";

/// The columns of one line. Fields are views of the line, or of `copies` where a quoted field had
/// doubled quotes in it.
class Fields {
 public:
  int count() const { return static_cast<int>(at_.size()); }
  std::string_view operator[](int column) const { return at_[column].text; }
  bool was_quoted(int column) const { return at_[column].quoted; }
  /// The text goes with the next line that is split.
  bool is_copy(int column) const { return at_[column].copy; }

 private:
  friend void split_line(std::string_view, std::string_view, Fields&);
  struct Field {
    std::string_view text;
    bool quoted = false, copy = false;
  };
  std::vector<Field> at_;
  std::deque<std::string> copies_;
};

/// Splits a data line: blanks around a field do not count. A separator at the end of the line makes
/// an empty last field. Throws LineError for control characters and a quote that is not closed.
void split_line(std::string_view line, std::string_view separator, Fields& out);

/// Neither blank nor a comment.
bool is_data_line(std::string_view line);

/// Throws LineError if the line holds control characters.
void check_text(std::string_view line);

/// Cuts the first line off `bytes`; without its end, be it \n or \r\n.
std::string_view take_line(std::string_view& bytes);

/// The whole of `text` as a number; false if it is none or out of range.
bool parse_number(std::string_view text, double& value);

/// The same; behind semicolons a decimal comma counts too, as spreadsheets write it.
bool parse_number(std::string_view text, std::string_view separator, double& value);

}  // namespace mcns
