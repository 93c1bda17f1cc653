#include "mcns/io/text_sample.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>

#include "mcns/core/error.h"
#include "mcns/core/names.h"
#include "mcns/io/columns.h"
#include "mcns/io/times.h"

namespace mcns {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kSampleLines = 100;

struct NamedSeparator {
  std::string_view word, text;
};
// In the order in which they are preferred.
constexpr std::array<NamedSeparator, 6> kSeparators = {{{"tab", "\t"},
                                                        {"semicolon", ";"},
                                                        {"comma", ","},
                                                        {"::", "::"},
                                                        {"pipe", "|"},
                                                        {"blank", kBlanks}}};

FieldKind kind_of(std::string_view text, std::string_view separator) {
  double number = 0;
  if (text.empty()) return FieldKind::kEmpty;
  if (parse_number(text, separator, number)) return FieldKind::kNumber;
  return is_date(text) ? FieldKind::kDate : FieldKind::kText;
}

using Lines = std::vector<std::string_view>;
using Table = std::vector<SampleRow>;

/// Lines up to the first that cannot be split; the parser of the line reports it.
Table split_lines(const Lines& lines, std::string_view separator) {
  Table out;
  Fields fields;
  for (const std::string_view line : lines) {
    try {
      split_line(line, separator, fields);
    } catch (const LineError&) {
      break;
    }
    SampleRow row;
    for (int i = 0; i < fields.count(); ++i)
      row.push_back({std::string(fields[i]), kind_of(fields[i], separator), fields.was_quoted(i)});
    out.push_back(std::move(row));
  }
  return out;
}

/// The first line may be a header with one column less (names of rows stand before the others).
bool is_consistent(const Table& table, const Lines& lines) {
  if (table.size() < lines.size() || table[0].size() < 2) return false;
  const std::size_t columns = table.back().size();
  for (std::size_t i = 1; i < table.size(); ++i)
    if (table[i].size() != columns) return false;
  return columns == table[0].size() || columns == table[0].size() + 1;
}

/// No other separator is left inside of the first two columns.
bool is_clean(const Table& table, std::string_view separator) {
  for (const SampleRow& row : table)
    for (std::size_t i = 0; i < std::min<std::size_t>(2, row.size()); ++i)
      for (const auto& other : kSeparators)
        if (other.text != kBlanks && other.text != separator && !row[i].quoted &&
            row[i].text.find(other.text) != std::string::npos)
          return false;
  return true;
}

/// Every comma is followed by a blank: it stands in a text, as in "Smith, J".
bool commas_in_text(const Lines& lines) {
  for (const std::string_view line : lines)
    for (auto at = line.find(','); at != line.npos; at = line.find(',', at + 1))
      if (at + 1 >= line.size() || line[at + 1] != ' ') return false;
  return true;
}

/// "1 2 {'weight': 3}", as networkx writes edges.
bool has_attributes(std::string_view line) {
  const auto brace = line.find(" {");
  return brace != line.npos && brace > 0 && line.ends_with('}') &&
         line.find_first_of(",;|\t") >= brace;
}

std::string find_separator(const Lines& lines) {
  if (lines.empty() || has_attributes(lines.back())) return std::string(kBlanks);
  const bool text_commas = commas_in_text(lines);
  std::optional<std::string> found, last, first_line;
  for (const auto& [word, text] : kSeparators) {
    const Table table = split_lines(lines, text);
    if (!table.empty() && table[0].size() > 1 && !first_line) first_line = text;
    if (!is_consistent(table, lines)) continue;
    if (text == "\t") return std::string(text);
    if (text == kBlanks) {
      if (!last) last = text;
    } else if (text == "," && text_commas) {
      last = text;
    } else if (is_clean(table, text)) {
      return std::string(text);
    } else if (!found) {
      found = text;
    }
  }
  return found ? *found : last ? *last : first_line.value_or(std::string(kBlanks));
}

/// Letters as a, digits as 9: "u17" and "u3" have one shape.
std::string shape_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = !digit && (std::isalpha(static_cast<unsigned char>(c)) || c < 0);
    const char mark = digit ? '9' : letter ? 'a' : c;
    if (out.empty() || out.back() != mark) out += mark;
  }
  return out;
}

/// What one column shows about the first line.
struct ColumnEvidence {
  bool changes = false;  ///< text above, numbers or dates below
  bool mixed = false;    ///< numbers and text below
  bool alike = false;    ///< the first field has the shape of all below, digits and all
};

ColumnEvidence look_at(const Table& rows, std::size_t column) {
  ColumnEvidence out;
  std::size_t plain = 0, text = 0, same_shape = 0;
  const std::string& first = rows[0][column].text;
  const std::string shape = shape_of(first);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (column >= rows[i].size() || rows[i][column].kind == FieldKind::kEmpty) continue;
    const SampleField& field = rows[i][column];
    ++(field.kind == FieldKind::kText ? text : plain);
    same_shape += shape_of(field.text) == shape;
  }
  out.changes = plain > 0 && text == 0 && rows[0][column].kind == FieldKind::kText;
  out.mixed = plain > 0 && text > 0;
  out.alike = text > 0 && plain == 0 && same_shape == text && shape.find('9') != shape.npos;
  return out;
}

/// A field of the first line stands in some line below, as the names of nodes do.
bool comes_again(const Table& rows) {
  std::set<std::string_view> first;
  for (const SampleField& field : rows[0])
    if (!field.text.empty()) first.insert(field.text);
  for (std::size_t i = 1; i < rows.size(); ++i)
    for (const SampleField& field : rows[i])
      if (first.contains(field.text)) return true;
  return false;
}

/// Columns are called 0, 1, 2, ... above columns of text, as pandas calls them without names.
bool has_default_names(const Table& rows) {
  const std::size_t index = rows[0][0].text.empty() ? 1 : 0;
  bool text = false;
  for (std::size_t i = index; i < rows[0].size(); ++i) {
    if (rows[0][i].text != std::to_string(i - index)) return false;
    text = text ||
           (rows.size() > 1 && std::all_of(rows.begin() + 1, rows.end(), [&](const SampleRow& row) {
              return i < row.size() && row[i].kind == FieldKind::kText;
            }));
  }
  return rows[0].size() > index && (text || index == 1);
}

/// Both ends of an edge, or a node and its label.
bool names_both_ends(const std::set<ColumnWord>& words) {
  const auto has = [&](ColumnWord a, ColumnWord b) {
    return words.contains(a) && words.contains(b);
  };
  return has(ColumnWord::kUser, ColumnWord::kItem) ||
         has(ColumnWord::kSource, ColumnWord::kTarget) ||
         has(ColumnWord::kNode, ColumnWord::kLabel);
}

}  // namespace

TextSample take_sample(std::string_view bytes, std::string_view separator) {
  TextSample out;
  std::string given(separator);
  std::string_view rest = bytes;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
  Lines lines;
  std::int64_t number = 0;
  while (!rest.empty() && lines.size() < kSampleLines) {
    const std::size_t begin = bytes.size() - rest.size();
    const std::string_view line = take_line(rest);
    ++number;
    if (!is_data_line(line)) {
      if (out.banner.empty() && lines.empty() && line.size() > 1) out.banner = line.substr(1);
      continue;
    }
    // A spreadsheet writes its separator on a line of its own: sep=;
    if (lines.empty() && line.size() == 5 && line.starts_with("sep=")) {
      if (given.empty()) given = line.substr(4);
      continue;
    }
    lines.push_back(line);
    if (lines.size() > 1) continue;
    out.first = begin;
    out.first_number = number;
    out.second = bytes.size() - rest.size();
  }
  if (lines.empty()) out.first = out.second = bytes.size();
  out.separator = given.empty() ? find_separator(lines) : given;
  out.rows = split_lines(lines, out.separator);
  return out;
}

HeaderGuess guess_header(const TextSample& sample) {
  const Table& rows = sample.rows;
  if (rows.empty() || rows[0].size() < 2) return HeaderGuess::kNo;
  if (has_default_names(rows)) return HeaderGuess::kYes;
  std::set<ColumnWord> words;
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    const SampleField& field = rows[0][i];
    if (field.kind == FieldKind::kNumber || field.kind == FieldKind::kDate) return HeaderGuess::kNo;
    if (!field.text.empty()) words.insert(column_word(field.text));
  }
  words.erase(ColumnWord::kNone);
  const bool repeats = comes_again(rows);
  bool changes = false, mixed = false, alike = false;
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    const ColumnEvidence column = look_at(rows, i);
    changes = changes || column.changes;
    mixed = mixed || column.mixed;
    alike = alike || column.alike;
  }
  // An id is never empty, the name above the index that pandas writes is.
  const bool index = rows[0][0].text.empty() && rows.size() > 1 && !rows[1][0].text.empty();
  if (index || (names_both_ends(words) && !repeats)) return HeaderGuess::kYes;
  if (changes && (!words.empty() || (rows.size() > 2 && !mixed && !repeats && !alike)))
    return HeaderGuess::kYes;
  return repeats || alike || rows.size() < 2 ? HeaderGuess::kNo : HeaderGuess::kUnknown;
}

SampleColumn::SampleColumn(const TextSample& sample, std::size_t first_row, int column)
    : separator_(sample.separator) {
  for (std::size_t i = first_row; i < sample.rows.size(); ++i) {
    if (static_cast<std::size_t>(column) < sample.rows[i].size())
      fields_.push_back(&sample.rows[i][column]);
    else
      whole_ = false;
  }
  whole_ = whole_ && !fields_.empty();
}

bool SampleColumn::all(FieldKind kind) const {
  return whole_ && std::ranges::all_of(fields_, [&](const auto* f) { return f->kind == kind; });
}

bool SampleColumn::all_integers() const {
  return whole_ && std::ranges::all_of(
                       fields_, [](const auto* f) { return plain_integer(f->text).has_value(); });
}

bool SampleColumn::all_times() const {
  return whole_ && std::ranges::all_of(
                       fields_, [](const auto* f) { return parse_time(f->text).has_value(); });
}

bool SampleColumn::mostly_numbers() const {
  const auto numbers =
      std::ranges::count_if(fields_, [](const auto* f) { return f->kind == FieldKind::kNumber; });
  return numbers > 0 && 2 * numbers >= std::ssize(fields_);
}

bool SampleColumn::all_marks() const {
  const auto is_mark = [](unsigned char c) { return c < 0x80 && std::isalnum(c) == 0; };
  return whole_ && std::ranges::all_of(fields_, [&](const auto* f) {
           return std::ranges::all_of(f->text, is_mark);
         });
}

bool SampleColumn::is_time(const SampleField* field) const {
  double value = 0;
  return parse_number(field->text, separator_, value) && looks_like_time(value);
}

bool SampleColumn::mostly_times() const {
  const auto times =
      std::ranges::count_if(fields_, [&](const auto* field) { return is_time(field); });
  return times > 0 && 2 * times >= std::ssize(fields_);
}

std::string SampleColumn::first_time() const {
  const auto found =
      std::ranges::find_if(fields_, [&](const auto* field) { return is_time(field); });
  return found == fields_.end() ? "" : (*found)->text;
}

bool SampleColumn::counts_up() const {
  std::int64_t next = -1;
  for (const SampleField* field : fields_) {
    const auto value = plain_integer(field->text);
    if (!value || (next < 0 ? *value > 1 : *value != next)) return false;
    next = *value + 1;
  }
  return whole_ && fields_.size() > 1;
}

std::string separator_word(std::string_view separator) {
  for (const auto& [word, text] : kSeparators)
    if (text == separator) return std::string(word);
  return std::string(separator);
}

std::string separator_of(const std::string& word) {
  if (word == "auto") return "";
  if (word == "space") return std::string(kBlanks);
  if (word == "\\t") return "\t";
  for (const auto& [name, text] : kSeparators)
    if (word == name || word == text) return std::string(text);
  const bool odd = std::ranges::any_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 || c < 0x20 || c == '"' || c == '#' || c == '%' || c == ' ';
  });
  require(!word.empty() && word.size() <= 4 && !odd,
          "--sep '{}': expected auto, tab, comma, semicolon, pipe, blank, or up to four characters "
          "that are neither letters, digits nor quotes",
          word);
  return word;
}

bool looks_like_lists(const TextSample& sample) {
  std::set<std::string_view> firsts;
  bool differ = false;
  for (const SampleRow& row : sample.rows) {
    for (const SampleField& field : row)
      if (!plain_integer(field.text)) return false;
    if (!firsts.insert(row[0].text).second) return false;
    differ = differ || row.size() != sample.rows[0].size();
  }
  return differ && (sample.separator == kBlanks || sample.separator == "\t");
}

bool is_list(const SampleRow& row) {
  const auto last = std::find_if(row.rbegin(), row.rend(),
                                 [](const SampleField& field) { return !field.text.empty(); });
  if (last == row.rend() || row.front().text.empty()) return false;
  const std::size_t kind = std::string_view("[({").find(row.front().text.front());
  return kind != std::string_view::npos && last->text.back() == "])}"[kind];
}

}  // namespace mcns
