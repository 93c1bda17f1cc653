#include "mcns/report/html.h"

#include <algorithm>

#include <fmt/format.h>

#include "mcns/report/svg.h"

namespace mcns {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --page: #fafaf8; --card: #ffffff; --ink: #22262b;
  --soft: #646b73; --rule: #e2e4e6; --first: #2a6fbb; --second: #d1682a; --third: #2f8f5b;
  --muted: #8b929a; --mark: #fdf1e2; --fourth: #8a4fb0; --fifth: #b8860b; --sixth: #c2447a;
  --seventh: #1d8a99; --eighth: #6b7d1f; --ninth: #7a5540; }
@media (prefers-color-scheme: dark) { :root { --page: #16181b; --card: #1e2125; --ink: #e4e6e8;
  --soft: #9aa1a9; --rule: #33383e; --first: #6caaf0; --second: #f0965a; --third: #63c28d;
  --muted: #7d858d; --mark: #3a2c1c; --fourth: #c08fe6; --fifth: #e0b64a; --sixth: #f07fae;
  --seventh: #55c4d4; --eighth: #b3c558; --ninth: #c49a80; } }
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
h1, p { overflow-wrap: anywhere; }
.table { overflow-x: auto; }
th { color: var(--soft); font-weight: 600; }
tr:last-child td { border-bottom: 0; }
.number { text-align: right; }
@media (max-width: 46rem) { tr:first-child { display: none; }
  tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--rule); }
  td { display: flex; justify-content: space-between; gap: 1rem; padding: .1rem .3rem; border: 0;
    text-align: right; overflow-wrap: anywhere; }
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
.fourth { stroke: var(--fourth); } .fill.fourth { fill: var(--fourth); stroke: none; }
.fifth { stroke: var(--fifth); } .fill.fifth { fill: var(--fifth); stroke: none; }
.sixth { stroke: var(--sixth); } .fill.sixth { fill: var(--sixth); stroke: none; }
.seventh { stroke: var(--seventh); } .fill.seventh { fill: var(--seventh); stroke: none; }
.eighth { stroke: var(--eighth); } .fill.eighth { fill: var(--eighth); stroke: none; }
.ninth { stroke: var(--ninth); } .fill.ninth { fill: var(--ninth); stroke: none; }
.faint { fill-opacity: .35; }
.whisker { stroke: var(--ink); stroke-width: 1.5; fill: none; }
.paper { fill: var(--ink); stroke: var(--card); }
h3 { margin: 1.2rem 0 .4rem; font-size: 1rem; }
nav { margin: .8rem 0; } nav a { margin-right: 1rem; color: var(--first); }
details { margin: 1rem 0; } summary { cursor: pointer; color: var(--soft); }
code, pre { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.map circle { cursor: pointer; } .map circle.found { stroke: var(--ink); stroke-width: 3;
  fill-opacity: 1; }
.map .tools { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center;
  padding: .2rem .2rem .6rem; }
.map input { font: inherit; padding: .3rem .5rem; min-width: 0; width: 14rem; max-width: 100%;
  color: var(--ink); background: var(--page); border: 1px solid var(--muted); border-radius: 6px; }
.map output { color: var(--ink); min-height: 1.5em; overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--first); outline-offset: 1px; }
.lists { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); }
.lists ol { margin: .2rem 0 0; padding-left: 1.6rem; overflow-wrap: anywhere; }
.won { color: var(--third); font-weight: 600; } .lost { color: var(--second); font-weight: 600; }
@media print { body { max-width: none; padding: 0; background: #fff; }
  figure, .table { break-inside: avoid; border-color: #999; } nav, .map .tools { display: none; } }
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

std::string html_details(const std::string& summary, const std::string& body) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", escaped(summary), body);
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
