#include "mcns/io/delimited.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "mcns/core/error.h"
#include "mcns/core/plain_text.h"
#include "mcns/io/input.h"
#include "mcns/io/text_lines.h"

namespace mcns {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// The quoted field that `text` begins with; what follows it stays in `text`.
std::string take_quoted(std::string_view& text) {
  std::string out;
  text.remove_prefix(1);
  while (!text.empty()) {
    const auto quote = text.find('"');
    out += text.substr(0, quote);
    if (quote == std::string_view::npos) {
      text = {};
      break;
    }
    text.remove_prefix(quote + 1);
    if (!text.starts_with('"')) break;
    out += '"';
    text.remove_prefix(1);
  }
  return out;
}

/// Bytes of the UTF-8 character that `text` begins with; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80                     ? 1
                             : first >= 0xC2 && first < 0xE0  ? 2
                             : first >= 0xE0 && first < 0xF0  ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) >= 0xA0;
  const bool beyond = first == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

struct NameColumns {
  std::string_view separator = ",";
  std::size_t id = 0, name = 1;
};

NameColumns find_columns(std::string_view first_line) {
  NameColumns out;
  for (const std::string_view separator : {"\t", "::", "|", ";", ","})
    if (first_line.find(separator) != std::string_view::npos) {
      out.separator = separator;
      break;
    }
  const auto is_number = [](const std::string& field) {
    return field.find_first_not_of("0123456789.-+eE") == std::string::npos;
  };
  auto heads = split_fields(first_line, out.separator);
  for (auto& head : heads)
    std::ranges::transform(head, head.begin(), [](unsigned char c) { return std::tolower(c); });
  if (heads.size() > 2 && heads[0].empty()) out.id = 1;
  out.name = out.id + 1;
  while (out.name < heads.size() && is_number(heads[out.name])) ++out.name;
  if (out.name == heads.size()) out.name = out.id + 1;
  for (std::size_t i = out.id + 1; i < heads.size(); ++i)
    if (heads[i] == "name" || heads[i] == "title" || heads[i].ends_with("_name") ||
        heads[i].ends_with("_title")) {
      out.name = i;
      break;
    }
  return out;
}

}  // namespace

std::string_view without_mark(std::string_view bytes) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return bytes.starts_with(kMark) ? bytes.substr(kMark.size()) : bytes;
}

void for_each_line(std::string_view bytes, const std::function<void(std::string_view)>& f) {
  bytes = without_mark(bytes);
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) f(line);
  }
}

std::vector<std::string> split_fields(std::string_view line, std::string_view separator) {
  std::vector<std::string> out;
  while (true) {
    std::string field;
    const auto quote = line.find_first_not_of(' ');
    if (quote != std::string_view::npos && line[quote] == '"') {
      line.remove_prefix(quote);
      field = take_quoted(line);
    }
    const auto end = line.find(separator);
    field += trimmed(line.substr(0, end));
    out.push_back(std::move(field));
    if (end == std::string_view::npos) return out;
    line.remove_prefix(end + separator.size());
  }
}

bool is_csv_name(std::string_view path) { return unpacked_name(path).ends_with(".csv"); }

std::string as_utf8(std::string_view bytes) {
  std::string latin;
  bool valid = true;
  for (std::size_t i = 0; i < bytes.size() && valid;) {
    const std::size_t length = utf8_length(bytes.substr(i));
    valid = length > 0;
    i += length;
  }
  if (valid) return std::string(bytes);
  for (const char c : bytes) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x80) {
      latin += c;
    } else if (code < 0xA0) {
      latin += "\xEF\xBF\xBD";  // a control character of terminals in Latin-1, of no use in text
    } else {
      latin += static_cast<char>(0xC0 | (code >> 6));
      latin += static_cast<char>(0x80 | (code & 0x3F));
    }
  }
  return latin;
}

NamesById read_names(const std::string& path) {
  const Input input(path);
  NamesById out;
  NameColumns columns;
  bool first = true;
  std::int64_t number = 0;
  std::string_view bytes = without_mark(input.bytes());
  while (!bytes.empty()) {
    ++number;
    const std::string_view line = take_line(bytes);
    if (line.empty()) continue;
    if (std::exchange(first, false)) columns = find_columns(line);
    auto fields = split_fields(line, columns.separator);
    if (fields.size() <= columns.name || fields[columns.id].empty()) continue;
    if (const std::string problem = text_problem("name", fields[columns.name]); !problem.empty())
      throw_bad_data(path, number, problem);
    out.try_emplace(std::move(fields[columns.id]), as_utf8(fields[columns.name]));
  }
  if (out.empty())
    throw_bad_data(path, 0,
                   "no line has an id and a name; expected two columns, by tabs, commas, ; or |");
  return out;
}

}  // namespace mcns
