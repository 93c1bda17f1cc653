#include "mcns/reproduce/summary.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mcns/core/error.h"

namespace mcns {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

constexpr const char* kOwn = "mcns";

bool in_percent(const std::string& metric) {
  return metric.ends_with("f1") || metric.starts_with("auc") || metric == "ap";
}

template <class Field>
std::vector<std::string> distinct(const ReproduceResult& result, const Field& field) {
  std::vector<std::string> out;
  for (const CellResult& cell : result.cells)
    if (const std::string value = field(cell.cell); std::ranges::count(out, value) == 0)
      out.push_back(value);
  return out;
}

std::string spread_text(const std::string& metric, const MeanAndSpread& summary) {
  if (summary.count == 0) return "not run";
  const std::string mean = figure_text(metric, summary.mean);
  return summary.count == 1 ? mean : mean + " ± " + figure_text(metric, summary.deviation);
}

std::string markdown_table(const Rows& rows) {
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out += "|";
    for (const std::string& cell : rows[r]) out += " " + cell + " |";
    out += "\n";
    if (r > 0) continue;
    out += "|";
    for (std::size_t c = 0; c < rows[0].size(); ++c) out += "---|";
    out += "\n";
  }
  return out;
}

std::string p_text(double p) { return p < 1e-4 ? "p < 0.0001" : fmt::format("p = {:.4f}", p); }

const char* kind_title(const std::string& kind) {
  if (kind == "paper") return "the paper's settings";
  if (kind == "tuned") return "settings tuned on validation";
  return "our defaults";
}

}  // namespace

std::string figure_text(const std::string& metric, double value) {
  return in_percent(metric) ? fmt::format("{:.1f}", 100 * value) : fmt::format("{:.4f}", value);
}

std::vector<std::string> kinds_of(const ReproduceResult& result) {
  return distinct(result, [](const CellSpec& cell) { return cell.kind; });
}
std::vector<std::string> columns_of(const ReproduceResult& result) {
  return distinct(result, [](const CellSpec& cell) { return cell.column(); });
}

const CellResult* find_cell(const ReproduceResult& result, const std::string& column,
                            const std::string& sampler, const std::string& kind) {
  for (const CellResult& cell : result.cells)
    if (cell.cell.column() == column && cell.cell.sampler == sampler && cell.cell.kind == kind)
      return &cell;
  return nullptr;
}

std::optional<double> paper_figure(const ReproduceResult& result, const CellSpec& cell,
                                   const std::string& metric, const PaperFigures& paper) {
  if (result.spec.substitutes.contains(cell.dataset)) return std::nullopt;
  const auto found = paper.find(
      fmt::format("{}/{}/{}/{}", task_name(result.spec.task), cell.column(), cell.sampler, metric));
  return found == paper.end() ? std::nullopt : std::optional(found->second);
}

std::vector<ColumnVerdict> judge_columns(const ReproduceResult& result) {
  std::vector<ColumnVerdict> out;
  if (result.spec.figure || result.spec.mixing) return out;
  const std::string& metric = result.spec.metrics[0];
  for (const std::string& kind : kinds_of(result)) {
    std::vector<ColumnVerdict> some;
    for (const std::string& column : columns_of(result)) {
      std::vector<std::vector<RunRecord>> runs;
      for (const std::string& sampler : result.spec.samplers) {
        const CellResult* cell = find_cell(result, column, sampler, kind);
        runs.push_back(cell == nullptr ? std::vector<RunRecord>{} : cell->runs);
      }
      const auto own = std::ranges::find(result.spec.samplers, kOwn);
      if (own == result.spec.samplers.end()) continue;
      const auto at = static_cast<std::size_t>(own - result.spec.samplers.begin());
      const auto rival = strongest(runs, at);
      if (runs[at].empty() || !rival) continue;
      ColumnVerdict verdict;
      verdict.column = column;
      verdict.kind = kind;
      verdict.rival = result.spec.samplers[*rival];
      verdict.comparison = compare_runs(runs[at], runs[*rival], metric, result.spec.overlap);
      verdict.own = summarize(runs[at], metric).mean;
      verdict.other = summarize(runs[*rival], metric).mean;
      some.push_back(std::move(verdict));
    }
    std::vector<double> p_values;
    for (const ColumnVerdict& one : some) p_values.push_back(one.comparison.repeats.p_value);
    const auto corrected = holm(p_values);
    for (std::size_t i = 0; i < some.size(); ++i) {
      some[i].p_value = corrected[i];
      some[i].verdict = judge(some[i].comparison.repeats.difference, corrected[i]);
      out.push_back(std::move(some[i]));
    }
  }
  return out;
}

std::string verdict_text(const ColumnVerdict& v, const std::string& metric) {
  const std::string users = v.comparison.users
                                ? fmt::format("; over {} users {}", v.comparison.user_count,
                                              p_text(v.comparison.users->p_value))
                                : "";
  const std::string folds =
      v.comparison.count < 2
          ? "one fold, no test"
          : fmt::format("{} over {} folds{}", p_text(v.p_value), v.comparison.count, users);
  return fmt::format("{}, {}: {} ({} {} against {} of {}, the strongest other on validation; {})",
                     v.column, kind_title(v.kind), verdict_name(v.verdict), metric,
                     figure_text(metric, v.own), figure_text(metric, v.other), v.rival, folds);
}

Rows table_rows(const ReproduceResult& result, const std::string& kind, const std::string& metric,
                const PaperFigures& paper) {
  const auto columns = columns_of(result);
  bool has_paper = false;
  for (const CellResult& cell : result.cells)
    has_paper |= paper_figure(result, cell.cell, metric, paper).has_value();
  Rows rows(1, {metric});
  for (const std::string& column : columns) {
    const std::string dataset = column.substr(0, column.find('/'));
    const bool stands_in = result.spec.substitutes.contains(dataset);
    rows[0].push_back(column + (stands_in ? " (substitute)" : ""));
    if (has_paper && !stands_in) rows[0].push_back("paper");
  }
  for (const std::string& sampler : result.spec.samplers) {
    rows.push_back({sampler});
    for (const std::string& column : columns) {
      const CellResult* cell = find_cell(result, column, sampler, kind);
      rows.back().push_back(cell == nullptr ? "-"
                                            : spread_text(metric, summarize(cell->runs, metric)));
      const bool stands_in = result.spec.substitutes.contains(column.substr(0, column.find('/')));
      if (!has_paper || stands_in) continue;
      const auto figure =
          cell == nullptr ? std::nullopt : paper_figure(result, cell->cell, metric, paper);
      rows.back().push_back(figure ? figure_text(metric, *figure) : "-");
    }
  }
  return rows;
}

Rows figure_rows(const ReproduceResult& result, const std::string& column,
                 const std::string& kind) {
  Rows rows(1, {"series", result.spec.x_label});
  for (const std::string& metric : result.spec.metrics) rows[0].push_back(metric);
  rows[0].emplace_back("seconds");
  for (const CellResult& cell : result.cells) {
    if (cell.cell.column() != column || cell.cell.kind != kind) continue;
    rows.push_back({cell.cell.sampler, cell.cell.x ? number_text(*cell.cell.x) : "-"});
    for (const std::string& metric : result.spec.metrics)
      rows.back().push_back(spread_text(metric, summarize(cell.runs, metric)));
    double seconds = 0;
    for (const RunRecord& run : cell.runs)
      seconds += run.seconds / static_cast<double>(cell.runs.size());
    rows.back().push_back(cell.runs.empty() ? "-" : fmt::format("{:.2f}", seconds));
  }
  return rows;
}

AgainstPaper against_paper(const ReproduceResult& result, const std::string& kind,
                           const std::string& metric, const PaperFigures& paper) {
  AgainstPaper out;
  for (const CellResult& cell : result.cells) {
    const auto figure = paper_figure(result, cell.cell, metric, paper);
    if (!figure || cell.cell.kind != kind || cell.runs.empty()) continue;
    const MeanAndSpread own = summarize(cell.runs, metric);
    const double room = std::max(0.001, own.deviation);
    ++(own.mean > *figure + room ? out.above : own.mean < *figure - room ? out.below : out.level);
  }
  return out;
}

namespace {

/// Points of a column with x, by rising x, and the level of mcns where it has one.
struct Points {
  std::vector<std::pair<double, double>> values;
  std::optional<double> level;
};

Points points_of(const ReproduceResult& result, const std::string& column,
                 const std::string& kind) {
  Points out;
  for (const CellResult& cell : result.cells) {
    if (cell.cell.column() != column || cell.cell.kind != kind || cell.runs.empty()) continue;
    const double value = summarize(cell.runs, result.spec.metrics[0]).mean;
    if (cell.cell.x)
      out.values.emplace_back(*cell.cell.x, value);
    else if (cell.cell.sampler == kOwn)
      out.level = value;
  }
  std::ranges::sort(out.values);
  return out;
}

std::string curve_claim(const ReproduceResult& result, const Points& points) {
  const std::string& metric = result.spec.metrics[0];
  const auto best =
      std::ranges::max_element(points.values, {}, [](const auto& p) { return p.second; });
  const auto &first = points.values.front(), &last = points.values.back();
  const std::string from_to = fmt::format(
      "{} {} at {}, {} at {}, {} at {} (the best)", metric, figure_text(metric, first.second),
      number_text(first.first), figure_text(metric, last.second), number_text(last.first),
      figure_text(metric, best->second), number_text(best->first));
  if (result.spec.claim == "falls")
    return fmt::format("{}: {}", last.second < 0.98 * first.second ? "holds" : "does not hold",
                       from_to);
  if (result.spec.claim == "peaks") {
    const bool inside = best->first != first.first && best->first != last.first;
    return fmt::format("{}: {}", inside ? "holds" : "does not hold", from_to);
  }
  if (!points.level) return "";
  return fmt::format("{}: the best of the series has {} {} at {}, MCNS {}",
                     best->second < *points.level ? "holds" : "does not hold", metric,
                     figure_text(metric, best->second), number_text(best->first),
                     figure_text(metric, *points.level));
}

std::string first_claim(const ReproduceResult& result, const std::string& column,
                        const std::string& kind) {
  const std::string& metric = result.spec.metrics[0];
  std::string best;
  double value = 0, own = 0;
  int others = 0;
  for (const CellResult& cell : result.cells) {
    if (cell.cell.column() != column || cell.cell.kind != kind || cell.runs.empty()) continue;
    const double mean = summarize(cell.runs, metric).mean;
    if (cell.cell.sampler == kOwn) own = mean;
    others += cell.cell.sampler != kOwn;
    if (!best.empty() && mean <= value) continue;
    best = cell.cell.sampler;
    value = mean;
  }
  if (own == 0 || others == 0) return "";
  if (best == kOwn)
    return fmt::format("holds: MCNS has the highest {}, {}", metric, figure_text(metric, own));
  return fmt::format("does not hold: {} has {} {}, MCNS {}", best, metric,
                     figure_text(metric, value), figure_text(metric, own));
}

}  // namespace

std::vector<std::string> claims_of(const ReproduceResult& result) {
  std::vector<std::string> out;
  if (result.spec.claim.empty()) return out;
  for (const std::string& column : columns_of(result))
    for (const std::string& kind : kinds_of(result)) {
      std::string text;
      if (result.spec.claim == "first") {
        text = first_claim(result, column, kind);
      } else {
        const Points points = points_of(result, column, kind);
        if (points.values.size() >= 3) text = curve_claim(result, points);
      }
      if (!text.empty()) out.push_back(fmt::format("{}, {}: {}", column, kind_title(kind), text));
    }
  return out;
}

std::string summary_json(const ReproduceResult& result, const PaperFigures& paper) {
  Json out{{"name", result.spec.name}, {"title", result.spec.title}, {"cells", Json::array()}};
  for (const CellResult& cell : result.cells) {
    Json line{{"cell", cell.cell.name()}, {"kind", cell.cell.kind}, {"folds", cell.runs.size()}};
    if (cell.cell.x) line["x"] = *cell.cell.x;
    if (!cell.runs.empty())
      for (const Metric& metric : cell.runs[0].test) {
        const MeanAndSpread own = summarize(cell.runs, metric.name);
        line["test"][metric.name] = {{"mean", own.mean}, {"deviation", own.deviation}};
        if (const auto figure = paper_figure(result, cell.cell, metric.name, paper))
          line["test"][metric.name]["paper"] = *figure;
      }
    out["cells"].push_back(std::move(line));
  }
  out["verdicts"] = Json::array();
  for (const ColumnVerdict& v : judge_columns(result)) {
    Json line{{"column", v.column},
              {"kind", v.kind},
              {"verdict", verdict_name(v.verdict)},
              {"strongest_other", v.rival},
              {"difference", v.comparison.repeats.difference},
              {"p_folds", v.comparison.repeats.p_value},
              {"p_folds_holm", v.p_value},
              {"folds", v.comparison.count}};
    if (v.comparison.users) line["p_users"] = v.comparison.users->p_value;
    out["verdicts"].push_back(std::move(line));
  }
  return out.dump(2) + "\n";
}

std::string summary_markdown(const ReproduceResult& result, const PaperFigures& paper) {
  std::string out = fmt::format("## {}: {}\n\n", result.spec.name, result.spec.title);
  if (!result.spec.note.empty()) out += result.spec.note + "\n\n";
  for (const auto& [dataset, note] : result.spec.substitutes)
    out += fmt::format("`{}`: {}\n\n", dataset, note);
  const bool any = std::ranges::any_of(result.cells, [](const auto& c) { return !c.runs.empty(); });
  if (!any) return out + "Not run.\n\n";
  for (const std::string& kind : kinds_of(result)) {
    if (result.spec.figure) {
      for (const std::string& column : columns_of(result))
        out += fmt::format("{}, {}:\n\n", column, kind_title(kind)) +
               markdown_table(figure_rows(result, column, kind)) + "\n";
      continue;
    }
    for (const std::string& metric : result.spec.metrics) {
      const AgainstPaper paper_counts = against_paper(result, kind, metric, paper);
      out += fmt::format("{}, {}", metric, kind_title(kind));
      if (paper_counts.above + paper_counts.level + paper_counts.below > 0)
        out += fmt::format(" ({} cells above the paper's figure, {} level, {} below)",
                           paper_counts.above, paper_counts.level, paper_counts.below);
      out += ":\n\n" + markdown_table(table_rows(result, kind, metric, paper)) + "\n";
    }
  }
  const auto verdicts = judge_columns(result);
  if (!verdicts.empty()) out += "MCNS against the strongest other sampler:\n\n";
  for (const ColumnVerdict& verdict : verdicts)
    out += "- " + verdict_text(verdict, result.spec.metrics[0]) + "\n";
  const auto claims = claims_of(result);
  if (!claims.empty()) out += "\nThe paper's claim:\n\n";
  for (const std::string& claim : claims) out += "- " + claim + "\n";
  return out + "\n";
}

}  // namespace mcns
