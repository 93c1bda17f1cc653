#include "mcns/report/run_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/report/embedding_map.h"
#include "mcns/report/html.h"
#include "mcns/report/model_views.h"
#include "mcns/report/run_files.h"
#include "mcns/report/svg.h"

namespace mcns {
namespace {

using Json = nlohmann::ordered_json;

std::string value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  return value.dump();
}

/// {"10": {"micro_f1": x}} becomes "micro_f1, 10 %".
void add_metrics(const Json& metrics, std::vector<std::pair<std::string, double>>& out,
                 const std::string& suffix = "") {
  for (const auto& [name, value] : metrics.items()) {
    if (value.is_object()) add_metrics(value, out, fmt::format(", {} %", name));
    if (value.is_number()) out.emplace_back(name + suffix, value.get<double>());
  }
}

std::string metrics_table(const RunFiles& run) {
  std::vector<std::pair<std::string, double>> valid, test;
  add_metrics(run.metrics.value("valid", Json::object()), valid);
  add_metrics(run.metrics.value("test", Json::object()), test);
  if (test.empty()) return "";
  TextRows rows = {{"metric", "validation", "test"}};
  for (const auto& [name, value] : test) {
    const auto same = std::ranges::find(valid, name, [](const auto& one) { return one.first; });
    rows.push_back({name, same == valid.end() ? "" : fmt::format("{:.4f}", same->second),
                    fmt::format("{:.4f}", value)});
  }
  return html_table(rows);
}

/// The validation metric that history has: mrr or auc.
std::string selection_of(const RunFiles& run) {
  for (const Json& line : run.history)
    if (line.contains("valid"))
      for (const char* name : {"mrr", "auc"})
        if (line["valid"].contains(name)) return name;
  return "";
}

std::vector<double> ys(const std::vector<PlotPoint>& points) {
  std::vector<double> out;
  for (const PlotPoint& point : points) out.push_back(point.y);
  return out;
}

std::string curve(const std::string& title, const std::string& x_label, const std::string& y_label,
                  const std::vector<PlotPoint>& points) {
  if (points.empty()) return "";
  Plot plot(title, {x_label, 0, std::max(1e-9, points.back().x)}, axis_over(y_label, ys(points)));
  plot.line(points, Tone::kFirst);
  plot.points(points, Tone::kFirst);
  return plot.svg();
}

std::vector<std::string> curves(const RunFiles& run) {
  std::vector<PlotPoint> loss, by_epoch, by_time;
  const std::string metric = selection_of(run);
  for (const Json& line : run.history) {
    const double epoch = line.value("epoch", 0.0);
    loss.push_back({epoch, line.value("loss", 0.0)});
    if (metric.empty() || !line.contains("valid")) continue;
    const Json value = line["valid"].value(metric, Json());
    if (!value.is_number()) continue;
    by_epoch.push_back({epoch, value.get<double>()});
    by_time.push_back({line.value("train_seconds", 0.0), value.get<double>()});
  }
  std::vector<std::string> out = {curve("Loss over epochs", "epoch", "mean loss", loss)};
  out.push_back(curve("Validation over epochs", "epoch", metric, by_epoch));
  out.push_back(curve("Quality over time", "seconds of training", "validation " + metric, by_time));
  std::erase(out, "");
  return out;
}

std::string hardness_figure(const RunFiles& run, ThreadPool& pool, std::string& note) {
  try {
    const Hardness hardness = measure_hardness(run.folder, pool);
    double high = 0.1;
    for (const double share : hardness.histogram) high = std::max(high, 1.08 * share);
    Plot plot("How hard the negatives are", {"score quantile among allowed targets"},
              {"share of draws", 0, high});
    plot.bars(hardness.histogram, Tone::kFirst, "drawn");
    plot.dashed(std::vector<PlotPoint>{{0, 0.05}, {1, 0.05}}, Tone::kSecond, "uniform");
    note = fmt::format(
        "{} draws of {} against the final vectors: mean quantile {:.3f}, {:.1f} % "
        "above the 99 % quantile",
        hardness.draws, hardness.sampler.substr(0, hardness.sampler.find(':')), hardness.mean,
        100 * hardness.above_99);
    if (hardness.moved >= 0)
      note += fmt::format("; the chain moves between {:.0f} % of a node's consecutive draws",
                          100 * hardness.moved);
    note += ".";
    return plot.svg();
  } catch (const Error& error) {
    note =
        fmt::format("Hardness of the negatives cannot be measured afterwards: {}.", error.what());
    return "";
  }
}

std::string sampler_figures(const RunFiles& run) {
  if (!run.metrics.contains("sampler_figures")) return "";
  TextRows rows = {{"sampler, while training", "value"}};
  for (const auto& [name, value] : run.metrics["sampler_figures"].items())
    rows.push_back({name, value_text(value)});
  return html_table(rows);
}

std::string settings_table(const RunFiles& run) {
  TextRows rows = {{"setting", "value", "from"}};
  const Json settings = run.run.value("settings", Json::object());
  for (const auto& [name, setting] : settings.items())
    rows.push_back({name, value_text(setting["value"]), setting.value("from", "")});
  return html_table(rows);
}

std::string environment_table(const RunFiles& run) {
  TextRows rows = {{"what", "value"}};
  for (const char* name : {"version", "build", "cpu", "simd", "nodes", "edges"})
    if (run.run.contains(name)) rows.push_back({name, value_text(run.run[name])});
  for (const char* name : {"threads", "epochs", "best_epoch", "train_seconds", "sample_seconds",
                           "eval_seconds", "positives_per_second", "peak_rss_mb"})
    if (run.metrics.contains(name)) rows.push_back({name, value_text(run.metrics[name])});
  const Json files = run.run.value("data", Json::object());
  for (const auto& [role, file] : files.items())
    rows.push_back({role + " file", file.value("path", "") + ", sha256 " +
                                        file.value("sha256", "").substr(0, 16) + "…"});
  return html_table(rows);
}

std::string section(const RunFiles& run, ThreadPool& pool) {
  std::string note;
  std::vector<std::string> figures = curves(run);
  const std::string hardness = hardness_figure(run, pool, note);
  if (!hardness.empty()) figures.push_back(hardness);
  const LoadedModel model = load_model_directory(run.folder);
  return metrics_table(run) + html_figures(figures) + "<p>" + escaped(note) + "</p>\n" +
         sampler_figures(run) + "<h3>Map of the vectors</h3>\n" + model_map(run.folder, model) +
         model_lists(run.folder, model, pool) + html_details("Settings", settings_table(run)) +
         html_details(
             "Repeat it",
             fmt::format("<pre>mcns {} --config {}/run.json --out AGAIN</pre>",
                         run.run.contains("task") && run.run["task"] != "none" ? "run" : "train",
                         escaped(run.folder))) +
         html_details("Environment and cost", environment_table(run));
}

/// The first metrics of all runs, side by side.
std::string overview(const std::vector<RunFiles>& runs) {
  TextRows rows = {{"run", "task", "sampler", "metric", "test", "seconds"}};
  for (const RunFiles& run : runs) {
    std::vector<std::pair<std::string, double>> test;
    add_metrics(run.metrics.value("test", Json::object()), test);
    rows.push_back({run.name, run.metrics.value("task", ""), run.metrics.value("sampler", ""),
                    test.empty() ? "" : test[0].first,
                    test.empty() ? "" : fmt::format("{:.4f}", test[0].second),
                    fmt::format("{:.1f}", run.metrics.value("train_seconds", 0.0))});
  }
  return html_table(rows);
}

}  // namespace

std::string run_page(const std::string& title, const std::vector<std::string>& folders,
                     ThreadPool& pool) {
  std::vector<RunFiles> runs;
  for (const std::string& folder : folders) runs.push_back(read_run(folder));
  std::string body, lead;
  if (runs.size() == 1) {
    const RunFiles& run = runs[0];
    lead =
        fmt::format("{} with {}, encoder {}, loss {}, seed {}.", run.metrics.value("task", ""),
                    run.metrics.value("sampler", ""), run.metrics.value("encoder", ""),
                    run.metrics.value("loss", ""), value_text(run.metrics.value("seed", Json(0))));
    body = section(run, pool);
  } else {
    lead = fmt::format("{} models. Figures are fractions on test pairs; higher is better.",
                       runs.size());
    body = overview(runs) + "<nav aria-label=\"models\">";
    for (const RunFiles& run : runs)
      body += fmt::format("<a href=\"#{0}\">{0}</a>", escaped(run.name));
    body += "</nav>\n";
    for (const RunFiles& run : runs)
      body += fmt::format("<h2 id=\"{0}\">{0}</h2>\n", escaped(run.name)) + section(run, pool);
  }
  return html_page(title, lead, body + map_script());
}

}  // namespace mcns
