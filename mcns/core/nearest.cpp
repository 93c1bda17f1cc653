#include "mcns/core/nearest.h"

#include <algorithm>
#include <numeric>

namespace mcns {
namespace {

/// Levenshtein distance; names are short.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view given, const std::vector<std::string>& known) {
  if (given.size() > 100) return "";  // no slip of the keyboard, and slow to compare
  const auto nearest = std::min_element(known.begin(), known.end(), [&](auto& a, auto& b) {
    return edit_distance(given, a) < edit_distance(given, b);
  });
  const std::size_t near = 2 + given.size() / 4;
  return nearest != known.end() && edit_distance(given, *nearest) <= near ? *nearest : "";
}

}  // namespace mcns
