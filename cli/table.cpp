#include "cli/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "mcns/core/plain_text.h"

namespace mcns::cli {
namespace {

/// Columns on the screen: bytes that do not continue a UTF-8 character.
std::size_t width(const std::string& text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

bool numeric(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.,-+e% ±") == std::string::npos;
}

}  // namespace

void print_table(std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows)
    for (auto& cell : row) cell = printable(cell);
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      const std::string pad(widths[i] - width(rows[r][i]), ' ');
      const bool right = rows.size() > 1 && i < rows[1].size() && numeric(rows[1][i]);
      line += right ? pad + rows[r][i] : rows[r][i] + pad;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
    if (r == 0) {
      std::size_t total = 0;
      for (const std::size_t w : widths) total += w + 2;
      std::string rule;
      for (std::size_t i = 2; i < total; ++i) rule += "─";
      fmt::print("{}\n", rule);
    }
  }
}

void print_metrics(const Metrics& valid, const Metrics& test) {
  print_metrics(valid, test, {}, {});
}

void print_metrics(const Metrics& valid, const Metrics& test, const Metrics& valid_deviation,
                   const Metrics& test_deviation) {
  const auto cell = [](const Metrics& metrics, const Metrics& deviation, const std::string& name) {
    const auto found = std::ranges::find(metrics, name, &Metric::name);
    if (found == metrics.end()) return std::string("-");
    const auto spread = std::ranges::find(deviation, name, &Metric::name);
    if (spread == deviation.end()) return fmt::format("{:.4f}", found->value);
    return fmt::format("{:.4f} ± {:.4f}", found->value, spread->value);
  };
  std::vector<std::vector<std::string>> rows = {{"metric", "valid", "test"}};
  for (const auto& [name, value] : test)
    rows.push_back({name, cell(valid, valid_deviation, name), cell(test, test_deviation, name)});
  if (valid.empty())
    for (auto& row : rows) row.erase(row.begin() + 1);
  print_table(rows);
}

void print_groups(const std::vector<GroupMetrics>& groups) {
  if (groups.empty()) return;
  std::vector<std::vector<std::string>> rows = {{"group", "users", "pairs"}};
  for (const Metric& metric : groups[0].metrics) rows[0].push_back(metric.name);
  for (const GroupMetrics& group : groups) {
    const std::string name = group.name == "cold" ? group.name : group.name + " training edges";
    rows.push_back(
        {group.of + ", " + name, std::to_string(group.users), std::to_string(group.pairs)});
    for (std::size_t i = 3; i < rows[0].size(); ++i) {
      const auto same = std::ranges::find(group.metrics, rows[0][i], &Metric::name);
      rows.back().push_back(same == group.metrics.end() ? "-" : fmt::format("{:.4f}", same->value));
    }
  }
  print_table(rows);
}

}  // namespace mcns::cli
