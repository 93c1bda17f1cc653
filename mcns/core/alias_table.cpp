#include "mcns/core/alias_table.h"

#include <cmath>
#include <numeric>

#include "mcns/core/error.h"

namespace mcns {

std::size_t AliasTable::checked_size(std::size_t columns) {
  if (columns > kMostColumns)
    throw_error(ErrorKind::kRuntime, "an alias table has at most {} columns, got {} weights",
                kMostColumns, columns);
  return columns;
}

AliasTable::AliasTable(std::span<const double> weights) : columns_(checked_size(weights.size())) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(total > 0) || !std::isfinite(total))
    throw_error(ErrorKind::kRuntime,
                "an alias table needs weights with a positive finite sum, got {}", total);
  for (const double w : weights)
    if (!(w >= 0))
      throw_error(ErrorKind::kRuntime, "an alias table needs weights of at least 0, got {}", w);
  const auto n = static_cast<double>(weights.size());
  std::vector<double> scaled(weights.size());
  std::vector<std::int32_t> small, large;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    scaled[i] = weights[i] / total * n;
    (scaled[i] < 1 ? small : large).push_back(static_cast<std::int32_t>(i));
  }
  const auto threshold = [](double p) {
    return static_cast<std::uint32_t>(std::min(p * 0x1.0p32, 0x1.0p32 - 1));
  };
  while (!small.empty() && !large.empty()) {
    const std::int32_t lack = small.back(), surplus = large.back();
    small.pop_back();
    columns_[lack] = {threshold(scaled[lack]), surplus};
    scaled[surplus] -= 1 - scaled[lack];
    if (scaled[surplus] < 1) {
      large.pop_back();
      small.push_back(surplus);
    }
  }
  // What is left is 1 up to rounding: the column is its own alias.
  for (const std::int32_t i : small) columns_[i] = {0, i};
  for (const std::int32_t i : large) columns_[i] = {0, i};
}

}  // namespace mcns
