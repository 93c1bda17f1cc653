// Lines of delimited text, and the layout of a file by its first lines.
//
// A data line is one that is neither blank nor a comment (# or % first). The delimiter is
// determined by the first data line: a tab if it has one, else a comma if it has one, else runs of
// blanks.
//
// The first data line is a header, and skipped, if none of its first three fields is a number and
//   (1) its first two fields are a known pair of column names (source target, user item, ...), or
//   (2) its third field is a known column name (weight, rating, ...) and the next data line has a
//       number there, or
//   (3) the next data lines (two at least, the next hundred are looked at) all have plain integers
//   in
//       both first columns.
// Ids are any text, so nothing weaker makes a first line a header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mcns {

/// What is wrong with a line; the caller knows which line it is.
struct LineError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct TextLayout {
  char delimiter = ' ';         ///< '\t', ',' or ' ' for runs of blanks
  bool has_third = false;       ///< the first data line after a header has a third column
  std::size_t begin = 0;        ///< where data begin: after a byte order mark and a header
  std::int64_t first_line = 1;  ///< the number of the line there
};

/// Looks at the first lines of a file.
TextLayout detect_layout(std::string_view bytes);

/// The columns of one line. Fields are views of the line, or of `unquoted` where a quoted field had
/// doubled quotes in it.
struct Fields {
  std::array<std::string_view, 3> at;
  int count = 0;  ///< columns of the line, also beyond the third
  std::array<std::string, 3> unquoted;
};

/// Splits a data line: blanks around a field do not count, nor does an empty last field. Throws
/// LineError for binary data, an unclosed quote.
void split_line(std::string_view line, char delimiter, Fields& out);

/// Neither blank nor a comment.
bool is_data_line(std::string_view line);

/// Throws LineError if the line holds control characters.
void check_text(std::string_view line);

/// Cuts the first line off `bytes`; without its end, be it \n or \r\n.
std::string_view take_line(std::string_view& bytes);

/// The whole of `text` as a number; false if it is none or out of range.
bool parse_number(std::string_view text, double& value);

}  // namespace mcns
