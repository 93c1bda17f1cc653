#include "mcns/report/html.h"

#include <algorithm>

#include <fmt/format.h>

#include "mcns/report/svg.h"

namespace mcns {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --page: #fafaf8; --card: #ffffff; --ink: #22262b;
  --soft: #646b73; --rule: #e2e4e6; --first: #2a6fbb; --second: #d1682a; --third: #2f8f5b;
  --muted: #8b929a; --mark: #fdf1e2; }
@media (prefers-color-scheme: dark) { :root { --page: #16181b; --card: #1e2125; --ink: #e4e6e8;
  --soft: #9aa1a9; --rule: #33383e; --first: #6caaf0; --second: #f0965a; --third: #63c28d;
  --muted: #7d858d; --mark: #3a2c1c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 66rem; background: var(--page);
  color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { margin: 0; font-size: 1.6rem; }
h2 { margin: 2rem 0 .6rem; font-size: 1.1rem; }
p { max-width: 46rem; margin: .4rem 0; color: var(--soft); }
.figures { display: grid; gap: 1rem; margin-top: 1.2rem;
  grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); }
figure, .table { margin: 0; padding: .6rem; background: var(--card); min-width: 0;
  border: 1px solid var(--rule); border-radius: 8px; }
svg { display: block; width: 100%; height: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; text-align: left; border-bottom: 1px solid var(--rule); }
h1, p, td { overflow-wrap: anywhere; }
th { color: var(--soft); font-weight: 600; }
tr:last-child td { border-bottom: 0; }
.number { text-align: right; }
@media (max-width: 46rem) { tr:first-child { display: none; }
  tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--rule); }
  td { display: flex; justify-content: space-between; gap: 1rem; padding: .1rem .3rem; border: 0;
    text-align: right; }
  td::before { content: attr(data-name); color: var(--soft); text-align: left; flex: none; }
  td:empty { display: none; } }
.marked td { background: var(--mark); }
svg text { fill: var(--ink); font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; }
svg .title { font-size: 14px; font-weight: 600; }
svg .tick, svg .label { fill: var(--soft); }
.grid { stroke: var(--rule); fill: none; }
.axis { stroke: var(--muted); fill: none; }
.line { fill: none; stroke-width: 2; }
.bar { fill: none; stroke-width: 9; }
.dashed { stroke-dasharray: 5 4; stroke-width: 1.5; }
.first { stroke: var(--first); } .fill.first { fill: var(--first); stroke: none; }
.second { stroke: var(--second); } .fill.second { fill: var(--second); stroke: none; }
.third { stroke: var(--third); } .fill.third { fill: var(--third); stroke: none; }
.muted { stroke: var(--muted); } .fill.muted { fill: var(--muted); stroke: none; }
.faint { fill-opacity: .35; }
)";

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.,-+e% ") == std::string::npos;
}

/// Whether a column's first cell with content is a number.
bool is_numeric(const TextRows& rows, std::size_t column) {
  for (std::size_t r = 1; r < rows.size(); ++r)
    if (column < rows[r].size() && !rows[r][column].empty()) return is_number(rows[r][column]);
  return false;
}

}  // namespace

std::string html_table(const TextRows& rows, const std::vector<std::size_t>& marked) {
  std::string out = "<div class=\"table\"><table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out += std::ranges::count(marked, r) > 0 ? "<tr class=\"marked\">" : "<tr>";
    const char* cell = r == 0 ? "th" : "td";
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      std::string attributes = is_numeric(rows, c) ? " class=\"number\"" : "";
      // On a narrow page a row is a list of cells, each with the head of its column.
      if (r > 0 && c < rows[0].size())
        attributes += fmt::format(" data-name=\"{}\"", escaped(rows[0][c]));
      out += fmt::format("<{0}{1}>{2}</{0}>", cell, attributes, escaped(rows[r][c]));
    }
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string html_figures(const std::vector<std::string>& svgs) {
  std::string out = "<div class=\"figures\">\n";
  for (const auto& svg : svgs) out += "<figure>" + svg + "</figure>\n";
  return out + "</div>\n";
}

std::string html_page(const std::string& title, const std::string& lead, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n<p>{2}</p>\n{3}"
      "</body>\n</html>\n",
      escaped(title), kStyle, escaped(lead), body);
}

}  // namespace mcns
