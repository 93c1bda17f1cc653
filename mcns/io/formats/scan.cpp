#include "mcns/io/formats/scan.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "mcns/core/names.h"

namespace mcns::formats {

std::optional<std::string_view> Lines::next() {
  if (rest_.empty()) return std::nullopt;
  ++number_;
  const auto end = rest_.find('\n');
  auto line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  for (const char c : line)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t') fail("binary data where text belongs");
  return line;
}

std::string_view take_token(std::string_view& line) {
  const auto begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return line = {};
  line.remove_prefix(begin);
  const auto token = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(token.size());
  return token;
}

float parse_weight(std::string_view text, const char* what, const Lines& lines) {
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) ||
      value < 0)
    lines.fail(fmt::format("{} must be a finite number >= 0, got '{}'", what, text));
  return value;
}

std::optional<NodeId> Ids::operator()(std::string_view text) {
  if (numeric_) {
    const auto id = plain_integer(text);
    if (!id || *id > std::numeric_limits<NodeId>::max()) return std::nullopt;
    return static_cast<NodeId>(*id);
  }
  if (const auto found = rows_.find(text); found != rows_.end()) return found->second;
  const auto row = static_cast<NodeId>(names_.size());
  names_.emplace_back(text);
  rows_.emplace(text, row);
  return row;
}

}  // namespace mcns::formats
