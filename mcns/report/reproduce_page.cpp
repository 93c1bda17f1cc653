#include "mcns/report/reproduce_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "mcns/report/bars.h"
#include "mcns/report/compare_page.h"
#include "mcns/report/html.h"
#include "mcns/report/svg.h"

namespace mcns {
namespace {

std::string kind_title(const std::string& kind) {
  return kind == "paper"   ? "the paper's settings"
         : kind == "tuned" ? "tuned on validation"
                           : "our defaults";
}

/// Samplers of a column with the paper's figures as marks.
std::string column_bars(const ReproduceResult& result, const std::string& column,
                        const std::string& kind, const PaperFigures& paper) {
  const std::string& metric = result.spec.metrics[0];
  BarChart chart{fmt::format("{}, {}", column, kind_title(kind)), "test " + metric};
  bool marked = false;
  for (const std::string& sampler : result.spec.samplers) {
    const CellResult* cell = find_cell(result, column, sampler, kind);
    if (cell == nullptr || cell->runs.empty()) continue;
    const MeanAndSpread own = summarize(cell->runs, metric);
    const auto figure = paper_figure(result, cell->cell, metric, paper);
    marked |= figure.has_value();
    chart.bars.push_back(
        {sampler, {own.mean}, own.deviation, figure, figure_text(metric, own.mean)});
  }
  if (marked) chart.mark = "the paper";
  return chart.bars.empty() ? "" : bar_chart(chart);
}

/// A series per line; one without points is a level.
std::string series_plot(const ReproduceResult& result, const std::string& column,
                        const std::string& kind, const std::string& metric) {
  std::vector<double> xs, ys;
  for (const CellResult& cell : result.cells) {
    if (cell.cell.column() != column || cell.cell.kind != kind || cell.runs.empty()) continue;
    if (cell.cell.x) xs.push_back(*cell.cell.x);
    ys.push_back(summarize(cell.runs, metric).mean);
  }
  if (xs.empty()) return "";
  const PlotAxis x = axis_over(result.spec.x_label, xs, result.spec.x_log);
  Plot plot(fmt::format("{}, {}", column, metric), x, axis_over("test " + metric, ys));
  for (std::size_t i = 0; i < result.spec.samplers.size(); ++i) {
    std::vector<PlotPoint> line;
    bool level = false;
    for (const CellResult& cell : result.cells) {
      if (cell.cell.column() != column || cell.cell.kind != kind || cell.runs.empty() ||
          cell.cell.sampler != result.spec.samplers[i])
        continue;
      const double y = summarize(cell.runs, metric).mean;
      level = !cell.cell.x;
      if (level)
        line = {{x.low, y}, {x.high, y}};
      else
        line.push_back({*cell.cell.x, y});
    }
    if (line.empty()) continue;
    if (level) {
      plot.dashed(line, tone_of(i), result.spec.samplers[i]);
      continue;
    }
    plot.line(line, tone_of(i), result.spec.samplers[i]);
    plot.points(line, tone_of(i));
  }
  return plot.svg();
}

std::string times_of(const ReproduceResult& result, const std::string& column,
                     const std::string& kind) {
  std::vector<NamedRuns> groups;
  for (const CellResult& cell : result.cells) {
    if (cell.cell.column() != column || cell.cell.kind != kind || cell.runs.empty() || cell.cell.x)
      continue;
    groups.push_back({cell.cell.sampler, {&cell.runs[0]}});
  }
  return quality_over_time(
      fmt::format("{}: quality over time, fold 1, {}", column, kind_title(kind)), groups);
}

std::string commands(const ReproduceResult& result) {
  std::string out = "<pre>";
  for (const CellResult& cell : result.cells)
    if (!cell.runs.empty()) out += escaped(cell.runs[0].command) + "\n";
  return html_details("Commands of the first fold of each cell", out + "</pre>\n");
}

std::string section(const ReproduceResult& result, const PaperFigures& paper) {
  std::string out =
      fmt::format("<h2 id=\"{0}\">{0}: {1}</h2>\n<p>{2}</p>\n", escaped(result.spec.name),
                  escaped(result.spec.title), escaped(result.spec.note));
  for (const auto& [dataset, note] : result.spec.substitutes)
    out += fmt::format("<p>{}: {}</p>\n", escaped(dataset), escaped(note));
  std::vector<std::string> figures;
  for (const std::string& column : columns_of(result))
    for (const std::string& kind : kinds_of(result)) {
      if (result.spec.figure)
        for (const std::string& metric : result.spec.metrics)
          figures.push_back(series_plot(result, column, kind, metric));
      else
        figures.push_back(column_bars(result, column, kind, paper));
      figures.push_back(times_of(result, column, kind));
    }
  std::erase(figures, "");
  if (figures.empty()) return out + "<p>Not run.</p>\n";
  out += html_figures(figures);
  for (const std::string& kind : kinds_of(result)) {
    if (result.spec.figure) {
      for (const std::string& column : columns_of(result))
        out += fmt::format("<h3>{}, {}</h3>\n", escaped(column), kind_title(kind)) +
               html_table(figure_rows(result, column, kind));
      continue;
    }
    for (const std::string& metric : result.spec.metrics)
      out += fmt::format("<h3>{}, {}</h3>\n", escaped(metric), kind_title(kind)) +
             html_table(table_rows(result, kind, metric, paper));
  }
  const auto verdicts = judge_columns(result);
  if (!verdicts.empty()) out += "<h3>MCNS against the strongest other sampler</h3>\n<ul>\n";
  for (const ColumnVerdict& verdict : verdicts)
    out += fmt::format("<li>{}</li>\n", escaped(verdict_text(verdict, result.spec.metrics[0])));
  if (!verdicts.empty()) out += "</ul>\n";
  const auto claims = claims_of(result);
  if (!claims.empty()) out += "<h3>The paper's claim</h3>\n<ul>\n";
  for (const std::string& claim : claims) out += fmt::format("<li>{}</li>\n", escaped(claim));
  if (!claims.empty()) out += "</ul>\n";
  return out + commands(result);
}

}  // namespace

std::string reproduce_page(const std::vector<ReproduceResult>& results, const PaperFigures& paper) {
  std::string body = "<nav aria-label=\"experiments\">";
  for (const ReproduceResult& result : results)
    body += fmt::format("<a href=\"#{0}\">{0}</a>", escaped(result.spec.name));
  body += "</nav>\n";
  for (const ReproduceResult& result : results) body += section(result, paper);
  return html_page("The paper again",
                   "Tables and figures of “Understanding Negative Sampling in Graph Representation "
                   "Learning” (KDD 2020), run by this program, with the paper's figures beside "
                   "ours. What was not run is marked as not run.",
                   body);
}

}  // namespace mcns
