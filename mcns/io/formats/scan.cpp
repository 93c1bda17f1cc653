#include "mcns/io/formats/scan.h"

#include <limits>

#include "mcns/core/names.h"
#include "mcns/io/text_lines.h"

namespace mcns::formats {

std::optional<std::string_view> Lines::next() {
  if (rest_.empty()) return std::nullopt;
  ++number_;
  const auto line = take_line(rest_);
  try {
    check_text(line);
  } catch (const LineError& error) {
    fail(error.what());
  }
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
  double value = 0;
  if (!parse_number(text, value) || !(value >= 0 && value <= std::numeric_limits<float>::max()))
    lines.fail(fmt::format("{} must be a finite number >= 0, got '{}'", what, text));
  return static_cast<float>(value);
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
