#include "mcns/io/text_lines.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "mcns/core/names.h"

namespace mcns {
namespace {

using namespace std::string_view_literals;

constexpr int kLookahead = 100;

constexpr std::array kEndpointNames = {
    std::pair{"source"sv, "target"sv}, std::pair{"src"sv, "dst"sv},
    std::pair{"from"sv, "to"sv},       std::pair{"fromnode"sv, "tonode"sv},
    std::pair{"head"sv, "tail"sv},     std::pair{"user"sv, "item"sv},
    std::pair{"user"sv, "movie"sv},    std::pair{"user"sv, "business"sv},
    std::pair{"user"sv, "artist"sv},   std::pair{"user"sv, "product"sv},
    std::pair{"user"sv, "book"sv},     std::pair{"user"sv, "location"sv},
    std::pair{"node1"sv, "node2"sv},   std::pair{"id1"sv, "id2"sv},
    std::pair{"node"sv, "label"sv},    std::pair{"node"sv, "class"sv},
    std::pair{"id"sv, "label"sv},      std::pair{"id"sv, "class"sv},
};
constexpr std::array kValueNames = {"weight"sv, "rating"sv, "value"sv, "score"sv,     "label"sv,
                                    "count"sv,  "class"sv,  "time"sv,  "timestamp"sv, "type"sv};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// "User_ID" and "user id" as "user": column names differ in such things only.
std::string plain_column_name(std::string_view field) {
  std::string out;
  for (const char c : field)
    if (c != '_' && c != '-' && c != ' ')
      out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  if (out.size() > 2 && out.ends_with("id")) out.resize(out.size() - 2);
  return out;
}

/// Cuts the first field off a delimited line. Only comma-separated fields may be quoted.
std::string_view take_field(std::string_view& rest, char delimiter, std::string& unquoted) {
  if (delimiter == ',') {
    const std::string_view text = trim(rest);
    if (text.starts_with('"')) {
      std::size_t close = text.find('"', 1);
      bool doubled = false;
      while (close != text.npos && close + 1 < text.size() && text[close + 1] == '"') {
        doubled = true;
        close = text.find('"', close + 2);
      }
      if (close == text.npos) throw LineError("a quoted field is not closed on its line");
      std::string_view field = text.substr(1, close - 1);
      rest = trim(text.substr(close + 1));
      if (!rest.empty() && rest.front() != ',') throw LineError("text after a quoted field");
      if (!rest.empty()) rest.remove_prefix(1);
      if (!doubled) return field;
      unquoted.clear();
      for (std::size_t i = 0; i < field.size(); ++i) {
        unquoted += field[i];
        if (field[i] == '"') ++i;
      }
      return unquoted;
    }
  }
  const auto end = delimiter == ' ' ? rest.find_first_of(" \t") : rest.find(delimiter);
  const std::string_view field = trim(rest.substr(0, end));
  rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
  if (delimiter == ' ') rest = trim(rest);
  return field;
}

char delimiter_of(std::string_view line) {
  if (trim(line).find('\t') != line.npos) return '\t';
  return line.find(',') != line.npos ? ',' : ' ';
}

bool is_plain_integer(std::string_view field) { return plain_integer(field).has_value(); }

/// What the lines after the first one show about it.
struct Followers {
  int lines = 0;
  bool integers = true;       ///< both first columns of all of them
  bool first_number = false;  ///< the third column of the first of them
  bool first_third = false;   ///< there is one
};

Followers look_ahead(std::string_view rest, char delimiter) {
  Followers out;
  Fields fields;
  double number;
  while (!rest.empty() && out.lines < kLookahead) {
    const std::string_view line = take_line(rest);
    if (!is_data_line(line)) continue;
    try {
      split_line(line, delimiter, fields);
    } catch (const LineError&) {
      break;  // the parser of the line reports it
    }
    if (out.lines++ == 0) {
      out.first_third = fields.count > 2 && !fields.at[2].empty();
      out.first_number = out.first_third && parse_number(fields.at[2], number);
    }
    out.integers = out.integers && fields.count > 1 && is_plain_integer(fields.at[0]) &&
                   is_plain_integer(fields.at[1]);
  }
  return out;
}

bool is_header(const Fields& first, const Followers& next) {
  double number;
  for (int i = 0; i < std::min(first.count, 3); ++i)
    if (first.at[i].empty() || parse_number(first.at[i], number)) return false;
  if (first.count < 2) return false;
  const std::string source = plain_column_name(first.at[0]);
  const std::string target = plain_column_name(first.at[1]);
  const std::pair names{std::string_view(source), std::string_view(target)};
  if (std::find(kEndpointNames.begin(), kEndpointNames.end(), names) != kEndpointNames.end())
    return true;
  if (first.count > 2 && next.first_number &&
      std::find(kValueNames.begin(), kValueNames.end(), plain_column_name(first.at[2])) !=
          kValueNames.end())
    return true;
  return next.lines >= 2 && next.integers;
}

}  // namespace

std::string_view take_line(std::string_view& bytes) {
  const auto end = bytes.find('\n');
  std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_data_line(std::string_view line) {
  for (const char c : line)
    if (!is_blank(c)) return c != '#' && c != '%';
  return false;
}

void check_text(std::string_view line) {
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && byte != '\t')
      throw LineError(fmt::format("binary data (byte 0x{:02x}), expected text", byte));
  }
}

bool parse_number(std::string_view text, double& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

void split_line(std::string_view line, char delimiter, Fields& out) {
  check_text(line);
  out.count = 0;
  std::string ignored;
  std::string_view rest = trim(line);
  // A tab at the start is an empty first column, other blanks there are nothing.
  if (delimiter == '\t') rest = line.substr(0, rest.data() + rest.size() - line.data());
  do {
    std::string& storage = out.count < 3 ? out.unquoted[out.count] : ignored;
    const std::string_view field = take_field(rest, delimiter, storage);
    if (out.count < 3) out.at[out.count] = field;
    ++out.count;
  } while (!rest.empty());
}

TextLayout detect_layout(std::string_view bytes) {
  TextLayout layout;
  std::string_view rest = bytes;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(layout.begin = 3);
  std::int64_t lines = 0;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    ++lines;
    if (!is_data_line(line)) continue;
    layout.delimiter = delimiter_of(line);
    Fields first;
    try {
      split_line(line, layout.delimiter, first);
    } catch (const LineError&) {
      return layout;  // the parser of the line reports it
    }
    layout.has_third = first.count > 2 && !first.at[2].empty();
    const Followers next = look_ahead(rest, layout.delimiter);
    if (is_header(first, next)) {
      layout.begin = bytes.size() - rest.size();
      layout.first_line = lines + 1;
      layout.has_third = next.first_third;
    }
    return layout;
  }
  return layout;
}

}  // namespace mcns
