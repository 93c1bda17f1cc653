// The first lines of a table, split: what its separator is and whether its first line is a header.
//
// Separator: the one that cuts all lines of the sample (a hundred) into the same number of columns;
// a tab before others, and blanks only where nothing else does.
//
// Header: the first line, if no field of it is a number or a date and
//   (1) it names both ends of an edge by known words, none of which comes again below, or
//   (2) some column below is all numbers or dates. Where the words are unknown, two lines must show
//       it, no column may mix numbers and names, and the first line must not look like those below.
// Ids are any text, so nothing weaker makes a first line a header.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mcns/io/text_lines.h"

namespace mcns {

enum class FieldKind { kEmpty, kNumber, kDate, kText };

struct SampleField {
  std::string text;
  FieldKind kind = FieldKind::kText;
  bool quoted = false;
};
using SampleRow = std::vector<SampleField>;

enum class HeaderGuess {
  kNo,
  kYes,
  kUnknown,  ///< all is text; the line is taken as data
};

struct TextSample {
  std::string separator;
  std::vector<SampleRow> rows;    ///< a header too
  std::size_t first = 0;          ///< where the first data line begins
  std::size_t second = 0;         ///< and the line behind it
  std::int64_t first_number = 1;  ///< the number of that line
  std::string banner;             ///< the first comment, without its mark
};

/// `separator` is empty where it is to be found.
TextSample take_sample(std::string_view bytes, std::string_view separator);

HeaderGuess guess_header(const TextSample& sample);

/// Whether the row is a list of some language: [1, 2], (a, b), {...}.
bool is_list(const SampleRow& row);

/// A column of the rows from `first_row` on. Rows that are shorter make every `all` false.
class SampleColumn {
 public:
  SampleColumn(const TextSample& sample, std::size_t first_row, int column);

  bool all(FieldKind kind) const;
  bool all_integers() const;
  bool all_times() const;
  bool all_marks() const;  ///< neither letters nor digits: "->"
  /// Half of the values at least.
  bool mostly_numbers() const;
  bool mostly_times() const;
  std::string first_time() const;  ///< of those that make it so
  /// By one from 0 or 1; two rows at least.
  bool counts_up() const;

 private:
  bool is_time(const SampleField* field) const;

  std::vector<const SampleField*> fields_;
  bool whole_ = true;  ///< all rows have the column
  std::string_view separator_;
};

/// tab, comma, blank, ...
std::string separator_word(std::string_view separator);
/// The separator that a word or the text itself means; "auto" is empty. Throws Error(kUsage).
std::string separator_of(const std::string& word);

/// Lines of integers of different lengths with another first one each: "0 17 4 99".
bool looks_like_lists(const TextSample& sample);

}  // namespace mcns
