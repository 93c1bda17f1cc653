#include "mcns/report/reproduce_page.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "mcns/report/bars.h"
#include "mcns/report/compare_page.h"
#include "mcns/report/html.h"
#include "mcns/report/svg.h"

namespace mcns {
namespace {

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

/// A line per series of this axis; one without points is a level.
std::string series_plot(const ReproduceResult& result, const std::string& column,
                        const std::string& kind, const std::string& metric,
                        const SeriesSpec& axis) {
  std::vector<double> xs, ys;
  std::map<std::string, std::vector<PlotPoint>> lines;
  std::map<std::string, double> levels;
  for (const CellResult& cell : result.cells) {
    if (cell.cell.column() != column || cell.cell.kind != kind || cell.runs.empty()) continue;
    if (cell.cell.x && result.spec.series_of(cell.cell).x_label != axis.x_label) continue;
    const double y = summarize(cell.runs, metric).mean;
    ys.push_back(y);
    if (cell.cell.x) {
      xs.push_back(*cell.cell.x);
      lines[cell.cell.sampler].push_back({*cell.cell.x, y});
    } else {
      levels[cell.cell.sampler] = y;
    }
  }
  if (xs.empty()) return "";
  const PlotAxis x = axis_over(axis.x_label, xs, axis.x_log);
  Plot plot(fmt::format("{}, {}", column, metric), x, axis_over("test " + metric, ys));
  for (std::size_t i = 0; i < result.spec.samplers.size(); ++i) {
    const std::string& name = result.spec.samplers[i];
    if (levels.contains(name))
      plot.dashed(std::vector<PlotPoint>{{x.low, levels[name]}, {x.high, levels[name]}}, tone_of(i),
                  name);
    if (!lines.contains(name)) continue;
    plot.line(lines[name], tone_of(i), name);
    plot.points(lines[name], tone_of(i));
  }
  return plot.svg();
}

/// One plot for each axis: a margin and a dimension are no common one.
std::vector<std::string> series_plots(const ReproduceResult& result, const std::string& column,
                                      const std::string& kind) {
  std::vector<std::string> out;
  std::set<std::string> labels;
  for (const SeriesSpec& series : result.spec.series)
    if (labels.insert(series.x_label).second)
      for (const std::string& metric : result.spec.metrics)
        out.push_back(series_plot(result, column, kind, metric, series));
  return out;
}

/// Seconds of training where the series have no points.
std::string seconds_bars(const ReproduceResult& result, const std::string& column,
                         const std::string& kind) {
  BarChart chart{fmt::format("{}: seconds of training", column), "seconds"};
  for (const CellResult& cell : result.cells) {
    if (cell.cell.column() != column || cell.cell.kind != kind || cell.runs.empty()) continue;
    if (cell.cell.x) return "";
    double seconds = 0;
    for (const RunRecord& run : cell.runs)
      seconds += run.seconds / static_cast<double>(cell.runs.size());
    chart.bars.push_back(
        {cell.cell.sampler, {seconds}, 0, std::nullopt, fmt::format("{:.1f}", seconds)});
  }
  return chart.bars.empty() ? "" : bar_chart(chart);
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

/// All settings of the first fold of each cell, a table for each column and kind.
std::string settings(const ReproduceResult& result) {
  std::string out;
  for (const std::string& column : columns_of(result))
    for (const std::string& kind : kinds_of(result)) {
      std::vector<NamedRuns> groups;
      for (const CellResult& cell : result.cells) {
        const bool here = cell.cell.column() == column && cell.cell.kind == kind;
        if (!here || cell.runs.empty()) continue;
        groups.push_back({cell.cell.name().substr(column.size() + 1), {&cell.runs[0]}});
        if (result.spec.mixing) break;  // one model for all points
      }
      if (groups.empty()) continue;
      out += fmt::format("<h4>{}, {}</h4>\n", escaped(column), kind_title(kind)) +
             settings_table(groups);
    }
  return html_details("Settings of the first fold of each cell", out);
}

/// Where the stored runs were made.
std::string environment(const std::vector<ReproduceResult>& results) {
  std::map<std::vector<std::string>, int> found;
  for (const ReproduceResult& result : results)
    for (const CellResult& cell : result.cells)
      for (const RunRecord& run : cell.runs)
        ++found[{run.version, run.cpu, run.threads > 0 ? std::to_string(run.threads) : ""}];
  TextRows rows = {{"version", "processor", "threads", "runs"}};
  for (const auto& [key, count] : found)
    rows.push_back({key[0], key[1], key[2], std::to_string(count)});
  return rows.size() == 1 ? "" : "<h2>Environment</h2>\n" + html_table(rows);
}

std::string html_list(const std::string& head, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string out = fmt::format("<h3>{}</h3>\n<ul>\n", escaped(head));
  for (const std::string& line : lines) out += fmt::format("<li>{}</li>\n", escaped(line));
  return out + "</ul>\n";
}

std::string tables(const ReproduceResult& result, const Reading& reading) {
  std::string out;
  for (const std::string& kind : kinds_of(result)) {
    if (result.spec.figure) {
      for (const std::string& column : columns_of(result))
        out += fmt::format("<h3>{}, {}</h3>\n", escaped(column), kind_title(kind)) +
               (was_run(result, column, kind) ? html_table(figure_rows(result, column, kind))
                                              : "<p>Not run.</p>\n");
      continue;
    }
    for (const std::string& metric : result.spec.metrics)
      out += fmt::format("<h3>{}, {}</h3>\n", escaped(metric), kind_title(kind)) +
             html_table(table_rows(result, kind, metric, reading.paper));
    out += html_list(fmt::format("Below the paper, {}", kind_title(kind)),
                     below_paper(result, kind, reading));
  }
  return out;
}

std::string section(const ReproduceResult& result, const Reading& reading) {
  std::string out =
      fmt::format("<h2 id=\"{0}\">{0}: {1}</h2>\n<p>{2}</p>\n", escaped(result.spec.name),
                  escaped(result.spec.title), escaped(result.spec.note));
  for (const auto& [dataset, note] : result.spec.substitutes)
    out += fmt::format("<p>{}: {}</p>\n", escaped(dataset), escaped(note));
  std::vector<std::string> figures;
  for (const std::string& column : columns_of(result))
    for (const std::string& kind : kinds_of(result)) {
      if (result.spec.figure) {
        for (std::string& plot : series_plots(result, column, kind))
          figures.push_back(std::move(plot));
        figures.push_back(seconds_bars(result, column, kind));
      } else {
        figures.push_back(column_bars(result, column, kind, reading.paper));
      }
      figures.push_back(times_of(result, column, kind));
    }
  std::erase(figures, "");
  if (figures.empty()) return out + "<p>Not run.</p>\n";
  std::vector<std::string> verdicts, claims;
  for (const ColumnVerdict& verdict : reading.verdicts)
    if (verdict.experiment == result.spec.name) verdicts.push_back(verdict_text(verdict));
  for (const Claim& claim : claims_of(result, reading.verdicts)) claims.push_back(claim.text);
  return out + html_figures(figures) + tables(result, reading) +
         html_list("MCNS against the strongest other sampler", verdicts) +
         html_list("What the paper says, and what is seen here", claims) + commands(result) +
         settings(result);
}

}  // namespace

std::string reproduce_page(const std::vector<ReproduceResult>& results, const Reading& reading) {
  std::string body = "<nav aria-label=\"experiments\">";
  for (const ReproduceResult& result : results)
    body += fmt::format("<a href=\"#{0}\">{0}</a>", escaped(result.spec.name));
  body += "</nav>\n";
  for (const ReproduceResult& result : results) body += section(result, reading);
  body += html_list("Claims of the paper that do not hold here", failed_claims(results, reading));
  return html_page("The paper again",
                   "Tables and figures of “Understanding Negative Sampling in Graph Representation "
                   "Learning” (KDD 2020), run by this program, with the paper's figures beside "
                   "ours. What was not run is marked as not run.",
                   body + environment(results));
}

}  // namespace mcns
