// Matrix Market coordinate format (NIST): a banner, comments, a size line, then one entry a line.
#include <algorithm>
#include <charconv>
#include <limits>

#include "mcns/io/formats/formats.h"
#include "mcns/io/formats/scan.h"

namespace mcns {
namespace {

using formats::Lines;
using formats::take_token;

constexpr std::int64_t kNodesOfNoEntry = 10'000'000, kNodesOfAnEntry = 1000;

struct Banner {
  bool pattern = false, symmetric = false;
};

Banner parse_banner(Lines& lines) {
  auto line = lines.next().value_or("");
  std::string words[5];
  for (auto& word : words) {
    word = take_token(line);
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  }
  if (words[0] != "%%matrixmarket" || words[1] != "matrix")
    lines.fail("not a Matrix Market file: the first line must start with %%MatrixMarket matrix");
  const auto among = [&](int i, std::initializer_list<std::string_view> known, const char* valid) {
    if (std::ranges::find(known, words[i]) == known.end())
      lines.fail(fmt::format("cannot read '{}' matrices; valid: {}", words[i], valid));
  };
  among(2, {"coordinate"}, "coordinate");
  among(3, {"pattern", "real", "integer", "double"}, "pattern, real, integer");
  among(4, {"general", "symmetric"}, "general, symmetric");
  return {.pattern = words[3] == "pattern", .symmetric = words[4] == "symmetric"};
}

std::string_view next_data(Lines& lines, const char* expected) {
  while (const auto line = lines.next()) {
    auto rest = *line;
    const auto token = take_token(rest);
    if (!token.empty() && token[0] != '%') return *line;
  }
  lines.fail(fmt::format("the file ends where {} should be", expected));
}

std::int64_t parse_count(std::string_view& line, std::int64_t low, std::int64_t high,
                         const char* what, const Lines& lines) {
  const auto token = take_token(line);
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc{} || end != token.data() + token.size() || value < low || value > high)
    lines.fail(fmt::format("{} must be an integer in {}..{}, got '{}'", what, low, high, token));
  return value;
}

std::vector<NodeId> without_entry(const std::vector<bool>& seen) {
  std::vector<NodeId> out;
  for (std::size_t id = 1; id < seen.size(); ++id)
    if (!seen[id]) out.push_back(static_cast<NodeId>(id));
  return out;
}

}  // namespace

RawEdges parse_matrix_market(std::string_view content, const std::string& path) {
  Lines lines(content, path);
  const Banner banner = parse_banner(lines);
  auto line = next_data(lines, "the size line");
  constexpr std::int64_t kMostNodes = std::numeric_limits<NodeId>::max() - 1;
  const auto rows = parse_count(line, 1, kMostNodes, "rows", lines);
  const auto columns = parse_count(line, 1, kMostNodes, "columns", lines);
  const auto entries = parse_count(line, 0, std::int64_t{1} << 40, "entries", lines);
  if (banner.symmetric && rows != columns)
    lines.fail(fmt::format("a symmetric matrix cannot be {} x {}", rows, columns));

  RawEdges out;
  out.user_item = rows != columns;
  out.symmetric = banner.symmetric;
  // An entry takes four bytes at least; a size line with more is wrong.
  const auto credible =
      std::min<std::int64_t>(entries, static_cast<std::int64_t>(content.size() / 4));
  // Nodes without an entry take memory too, so that the size line alone could fill it.
  const std::int64_t most = kNodesOfNoEntry + kNodesOfAnEntry * credible;
  if (rows + columns > most)
    lines.fail(fmt::format("{} rows and {} columns for {} entries, expected at most {} in all",
                           rows, columns, credible, most));
  out.pairs.reserve(credible);
  if (!banner.pattern) out.values.reserve(credible);
  std::vector<bool> row_seen(rows + 1), column_seen(out.user_item ? columns + 1 : 0);
  auto& target_seen = out.user_item ? column_seen : row_seen;
  for (std::int64_t i = 0; i < entries; ++i) {
    line = next_data(lines, "an entry");
    const auto row = static_cast<NodeId>(parse_count(line, 1, rows, "row", lines));
    const auto column = static_cast<NodeId>(parse_count(line, 1, columns, "column", lines));
    out.pairs.push_back({row, column});
    if (!banner.pattern)
      out.values.push_back(formats::parse_weight(take_token(line), "value", lines));
    if (!take_token(line).empty()) lines.fail("more columns than a matrix entry has");
    row_seen[row] = true;
    target_seen[column] = true;
  }
  while (const auto rest = lines.next()) {
    auto text = *rest;
    const auto token = take_token(text);
    if (!token.empty() && token[0] != '%')
      lines.fail(fmt::format("more entries than the {} that the size line declares", entries));
  }
  out.isolated = without_entry(row_seen);
  if (out.user_item) out.isolated_items = without_entry(column_seen);
  return out;
}

}  // namespace mcns
