#include "mcns/report/compare_page.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "mcns/report/bars.h"
#include "mcns/report/html.h"
#include "mcns/report/svg.h"

namespace mcns {
namespace {

double mean_of(const std::vector<RunRecord>& runs, double RunRecord::*field) {
  double sum = 0;
  for (const RunRecord& run : runs) sum += run.*field;
  return sum / static_cast<double>(runs.size());
}

std::string spread(const MeanAndSpread& summary) {
  return fmt::format("{:.4f} ± {:.4f}", summary.mean, summary.deviation);
}

std::string quality_bars(const CompareResult& result) {
  BarChart chart{"Test " + result.metric + ", mean and deviation over seeds", result.metric};
  for (const auto& row : result.rows) {
    const MeanAndSpread own = summarize(row.runs, result.metric);
    chart.bars.push_back(
        {row.label, {own.mean}, own.deviation, std::nullopt, fmt::format("{:.4f}", own.mean)});
  }
  return bar_chart(chart);
}

std::string cost_bars(const CompareResult& result) {
  BarChart chart{"Seconds of training", "seconds", {"sampling", "scoring", "update"}};
  for (const auto& row : result.rows) {
    const double all = mean_of(row.runs, &RunRecord::seconds),
                 sampling = mean_of(row.runs, &RunRecord::sample_seconds),
                 update = mean_of(row.runs, &RunRecord::update_seconds);
    chart.bars.push_back({row.label,
                          {sampling, std::max(0.0, all - sampling - update), update},
                          0,
                          std::nullopt,
                          fmt::format("{:.1f}", all)});
  }
  return bar_chart(chart);
}

std::string metrics_table(const CompareResult& result) {
  TextRows rows = {{"", "kind", "validation " + result.metric}};
  for (const Metric& metric : result.rows[0].runs[0].test) rows[0].push_back(metric.name);
  for (const auto& row : result.rows) {
    rows.push_back({row.label, row.runs[0].kind, spread(summarize_validation(row.runs))});
    for (const Metric& metric : result.rows[0].runs[0].test)
      rows.back().push_back(spread(summarize(row.runs, metric.name)));
  }
  return html_table(rows, {1});
}

std::string tests_table(const CompareResult& result) {
  TextRows rows = {{"against", "difference", "p over seeds (Holm)", "difference over users",
                    "p over users", "verdict", ""}};
  for (std::size_t i = 1; i < result.rows.size(); ++i) {
    const auto& row = result.rows[i];
    rows.push_back({row.label, fmt::format("{:+.4f}", row.against.repeats.difference),
                    row.against.count < 2 ? "one seed" : fmt::format("{:.4f}", row.p_value),
                    row.against.users ? fmt::format("{:+.4f}", row.against.users->difference) : "",
                    row.against.users ? fmt::format("{:.4f}", row.against.users->p_value) : "",
                    verdict_name(row.verdict),
                    result.strongest == i ? "strongest other on validation" : ""});
  }
  return html_table(rows);
}

std::string commands(const CompareResult& result) {
  std::string out;
  for (const auto& row : result.rows) {
    if (row.runs[0].command.empty()) continue;
    out +=
        fmt::format("<h3>{}</h3><pre>{}</pre>\n", escaped(row.label), escaped(row.runs[0].command));
  }
  return out;
}

std::string differing(const CompareResult& result) {
  TextRows rows = {{"setting"}};
  for (const auto& row : result.rows)
    if (row.runs[0].kind != "baseline") rows[0].push_back(row.label);
  for (const DifferingSetting& setting : differing_settings(result)) {
    rows.push_back({setting.name});
    for (std::size_t i = 1; i < rows[0].size(); ++i) {
      const auto found = std::ranges::find(setting.values, rows[0][i],
                                           [](const auto& value) { return value.first; });
      rows.back().push_back(found == setting.values.end() ? "" : found->second);
    }
  }
  if (rows.size() == 1) return "<p>All settings but those of the sampler are the same.</p>\n";
  return "<p>Not the same for all, so a difference may come from these as well:</p>\n" +
         html_table(rows);
}

}  // namespace

std::string settings_table(const std::vector<NamedRuns>& groups) {
  TextRows rows = {{"setting"}};
  std::set<std::string> names;
  for (const NamedRuns& group : groups) {
    rows[0].push_back(group.name);
    for (const auto& [name, value] : group.runs[0]->settings) names.insert(name);
  }
  for (const std::string& name : names) {
    rows.push_back({name});
    for (const NamedRuns& group : groups) {
      const auto found = group.runs[0]->settings.find(name);
      rows.back().push_back(found == group.runs[0]->settings.end() ? "" : found->second);
    }
  }
  return html_table(rows);
}

std::string quality_over_time(const std::string& title, const std::vector<NamedRuns>& groups) {
  std::vector<double> seconds, values;
  std::string metric;
  for (const NamedRuns& group : groups)
    for (const RunRecord* run : group.runs) {
      metric = run->metric;
      for (const auto& point : run->curve) {
        seconds.push_back(point.seconds);
        values.push_back(point.value);
      }
    }
  if (values.empty()) return "";
  Plot plot(title, {"seconds of training", 0, 1.02 * std::ranges::max(seconds)},
            axis_over("validation " + metric, values));
  std::size_t index = 0;
  for (const NamedRuns& group : groups) {
    bool first = true;
    for (const RunRecord* run : group.runs) {
      std::vector<PlotPoint> line;
      for (const auto& point : run->curve) line.push_back({point.seconds, point.value});
      if (line.empty()) continue;
      plot.line(line, tone_of(index), first ? group.name : "");
      if (line.size() < 30) plot.points(line, tone_of(index));
      first = false;
    }
    ++index;
  }
  return plot.svg();
}

std::string compare_page(const CompareResult& result) {
  std::vector<NamedRuns> groups;
  for (const auto& row : result.rows) {
    groups.push_back({row.label, {}});
    for (const RunRecord& run : row.runs) groups.back().runs.push_back(&run);
  }
  std::vector<std::string> figures = {quality_bars(result), cost_bars(result)};
  if (const std::string time = quality_over_time("Quality over time", groups); !time.empty())
    figures.push_back(time);
  const RunRecord& first = result.rows[0].runs[0];
  const std::string lead = fmt::format(
      "{} seeds of each on one split. {} is tested against each of the others, paired "
      "by seed and corrected for their number; the test over users, beside it, shows "
      "whether other users would see the difference too.",
      result.options.seeds, result.rows[0].label);
  return html_page(
      "Comparison", lead,
      html_figures(figures) + "<h2>Figures</h2>\n" + metrics_table(result) +
          fmt::format("<h2>{} minus the others</h2>\n", escaped(result.rows[0].label)) +
          tests_table(result) + differing(result) + html_details("Commands", commands(result)) +
          html_details("Settings", settings_table(groups)) +
          fmt::format("<p>mcns {}, {}, {} threads.</p>\n", escaped(first.version),
                      escaped(first.cpu), first.threads));
}

}  // namespace mcns
