#include "mcns/io/text_lines.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace mcns {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view trim_front(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

/// Cuts a separator off the front of `rest`; false if there is none. `text` begins there with or
/// without blanks before it.
bool take_separator(std::string_view& rest, std::string_view separator) {
  if (separator == kBlanks) {
    if (rest.empty() || !is_blank(rest.front())) return false;
    rest = trim_front(rest);
    return true;
  }
  std::string_view text = separator == "\t" ? rest : trim_front(rest);
  if (!text.starts_with(separator)) return false;
  rest = text.substr(separator.size());
  return true;
}

/// The end of a quoted field that starts at the front: where its closing quote is, and whether
/// there are doubled ones inside.
struct Quoted {
  std::size_t close;
  bool doubled = false;
};

Quoted closing_quote(std::string_view text) {
  Quoted out{text.find('"', 1)};
  while (out.close != text.npos && out.close + 1 < text.size() && text[out.close + 1] == '"') {
    out.doubled = true;
    out.close = text.find('"', out.close + 2);
  }
  return out;
}

void undouble(std::string_view field, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < field.size(); ++i) {
    out += field[i];
    if (field[i] == '"') ++i;
  }
}

/// A field without quotes, and whether a separator follows, which is cut off too.
bool take_plain(std::string_view& rest, std::string_view separator, std::string_view& field) {
  const bool blanks = separator == kBlanks;
  // The attributes that networkx writes behind an edge have blanks in them.
  if (blanks && rest.starts_with('{')) {
    field = trim(rest);
    rest = {};
    return false;
  }
  const auto end = blanks ? rest.find_first_of(" \t") : rest.find(separator);
  field = trim(rest.substr(0, end));
  if (end == rest.npos) {
    rest = {};
    return false;
  }
  rest.remove_prefix(end);
  return take_separator(rest, separator);
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

bool parse_number(std::string_view text, std::string_view separator, double& value) {
  if (parse_number(text, value)) return true;
  const auto comma = text.find(',');
  if (separator != ";" || comma == text.npos || text.find('.') != text.npos) return false;
  std::string point(text);
  point[comma] = '.';
  return parse_number(point, value);
}

void split_line(std::string_view line, std::string_view separator, Fields& out) {
  check_text(line);
  out.at_.clear();
  std::size_t copies = 0;
  std::string_view rest = trim(line);
  // A tab at either end of the line borders an empty column; other blanks there are nothing.
  if (separator == "\t") rest = line;
  for (bool more = true; more;) {
    const std::string_view text = separator == "\t" ? rest : trim_front(rest);
    if (!text.starts_with('"')) {
      std::string_view field;
      more = take_plain(rest, separator, field);
      out.at_.push_back({field});
      continue;
    }
    const Quoted quoted = closing_quote(text);
    // Tabs and blanks separate without any quotes, so a quote may be a part of the name there.
    const bool lenient = separator == "\t" || separator == kBlanks;
    if (quoted.close == text.npos && !lenient)
      throw LineError("a quoted field is not closed on its line");
    std::string_view after =
        quoted.close == text.npos ? std::string_view{"x"} : text.substr(quoted.close + 1);
    const bool ends =
        after.find_first_not_of(separator == "\t" ? " " : " \t") == std::string_view::npos;
    more = !ends && take_separator(after, separator);
    if (!ends && !more) {
      if (!lenient) throw LineError("text after a quoted field");
      std::string_view field;
      more = take_plain(rest, separator, field);
      out.at_.push_back({field});
      continue;
    }
    rest = after;
    std::string_view field = text.substr(1, quoted.close - 1);
    if (quoted.doubled) {
      if (copies == out.copies_.size()) out.copies_.emplace_back();
      undouble(field, out.copies_[copies]);
      field = out.copies_[copies++];
    }
    out.at_.push_back({field, true, quoted.doubled});
  }
}

}  // namespace mcns
