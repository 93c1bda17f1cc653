#include "mcns/reproduce/summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mcns/core/json_object.h"

namespace mcns {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::string cell_text(const std::string& metric, const CellResult& cell) {
  const MeanAndSpread own = summarize(cell.runs, metric);
  if (own.count == 0) {
    if (cell.trouble.starts_with("failed")) return cell.trouble;
    return cell.trouble.empty() ? "not run" : "not run: " + cell.trouble;
  }
  const std::string mean = figure_text(metric, own.mean);
  return own.count == 1 ? mean : mean + " ± " + figure_text(metric, own.deviation);
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

std::string markdown_list(const std::string& head, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string out = head + "\n\n";
  for (const std::string& line : lines) out += "- " + line + "\n";
  return out + "\n";
}

std::string with_remark(const std::string& sentence, const std::string& remark) {
  return sentence + ". " + (remark.empty() ? "No reason is known." : remark);
}

}  // namespace

const char* standing_name(Standing standing) {
  constexpr const char* kNames[] = {"above", "level", "below"};
  return kNames[static_cast<int>(standing)];
}

std::optional<double> paper_figure(const ReproduceResult& result, const CellSpec& cell,
                                   const std::string& metric, const PaperFigures& paper) {
  if (result.spec.substitutes.contains(cell.dataset)) return std::nullopt;
  const auto found = paper.find(
      fmt::format("{}/{}/{}/{}", task_name(result.spec.task), cell.column(), cell.sampler, metric));
  return found == paper.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Standing> standing_of(const ReproduceResult& result, const CellResult& cell,
                                    const std::string& metric, const PaperFigures& paper) {
  const auto figure = paper_figure(result, cell.cell, metric, paper);
  if (!figure || cell.runs.empty()) return std::nullopt;
  const MeanAndSpread own = summarize(cell.runs, metric);
  const double room = std::max(0.001, own.deviation);
  return own.mean > *figure + room   ? Standing::kAbove
         : own.mean < *figure - room ? Standing::kBelow
                                     : Standing::kLevel;
}

Rows table_rows(const ReproduceResult& result, const std::string& kind, const std::string& metric,
                const PaperFigures& paper) {
  const auto columns = columns_of(result);
  bool has_paper = false;
  for (const CellResult& cell : result.cells)
    has_paper |= paper_figure(result, cell.cell, metric, paper).has_value();
  const auto stands_in = [&](const std::string& column) {
    return result.spec.substitutes.contains(column.substr(0, column.find('/')));
  };
  Rows rows(1, {metric});
  for (const std::string& column : columns) {
    rows[0].push_back(column + (stands_in(column) ? " (substitute)" : ""));
    if (has_paper && !stands_in(column)) rows[0].push_back("paper");
  }
  for (const std::string& sampler : result.spec.samplers) {
    rows.push_back({sampler});
    for (const std::string& column : columns) {
      const CellResult* cell = find_cell(result, column, sampler, kind);
      rows.back().push_back(cell == nullptr ? "-" : cell_text(metric, *cell));
      if (!has_paper || stands_in(column)) continue;
      const auto figure =
          cell == nullptr ? std::nullopt : paper_figure(result, cell->cell, metric, paper);
      std::string text = figure ? figure_text(metric, *figure) : "-";
      if (figure)
        if (const auto standing = standing_of(result, *cell, metric, paper))
          text += fmt::format(", {}", standing_name(*standing));
      rows.back().push_back(std::move(text));
    }
  }
  return rows;
}

bool was_run(const ReproduceResult& result, const std::string& column, const std::string& kind) {
  return std::ranges::any_of(result.cells, [&](const CellResult& cell) {
    return cell.cell.column() == column && cell.cell.kind == kind && !cell.runs.empty();
  });
}

Rows figure_rows(const ReproduceResult& result, const std::string& column,
                 const std::string& kind) {
  Rows rows(1, {"series", "at"});
  for (const std::string& metric : result.spec.metrics) rows[0].push_back(metric);
  const bool timed = std::ranges::count(result.spec.series, "fastest", &SeriesSpec::claim) > 0;
  if (timed) rows[0].emplace_back("seconds");
  for (const CellResult& cell : result.cells) {
    if (cell.cell.column() != column || cell.cell.kind != kind) continue;
    const std::string& label = result.spec.series_of(cell.cell).x_label;
    rows.push_back({cell.cell.sampler,
                    cell.cell.x ? fmt::format("{} {}", label, number_text(*cell.cell.x)) : "-"});
    for (const std::string& metric : result.spec.metrics)
      rows.back().push_back(cell_text(metric, cell));
    if (!timed) continue;
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
    const auto standing = standing_of(result, cell, metric, paper);
    if (!standing || cell.cell.kind != kind) continue;
    ++(standing == Standing::kAbove   ? out.above
       : standing == Standing::kBelow ? out.below
                                      : out.level);
  }
  return out;
}

std::vector<std::string> below_paper(const ReproduceResult& result, const std::string& kind,
                                     const Reading& reading) {
  std::vector<std::string> out;
  for (const CellResult& cell : result.cells) {
    std::string figures;
    for (const std::string& metric : result.spec.metrics) {
      if (cell.cell.kind != kind ||
          standing_of(result, cell, metric, reading.paper) != Standing::kBelow)
        continue;
      const double paper = *paper_figure(result, cell.cell, metric, reading.paper);
      figures += fmt::format("{}{} {} below {}", figures.empty() ? "" : ", ", metric,
                             figure_text(metric, summarize(cell.runs, metric).mean),
                             figure_text(metric, paper));
    }
    if (figures.empty()) continue;
    const std::string name =
        fmt::format("below/{}/{}", task_name(result.spec.task), cell.cell.name());
    out.push_back(with_remark(fmt::format("{}: {}", cell.cell.name(), figures),
                              remark_on(reading.remarks, name)));
  }
  return out;
}

std::vector<std::string> failed_claims(const std::vector<ReproduceResult>& results,
                                       const Reading& reading) {
  std::vector<std::string> out;
  for (const ReproduceResult& result : results)
    for (const Claim& claim : claims_of(result, reading.verdicts)) {
      if (claim.outcome != Outcome::kFails) continue;
      const std::string name = fmt::format("claims/{}/{}", claim.experiment, claim.column);
      out.push_back(with_remark(fmt::format("{}: {}", claim.experiment, claim.text),
                                remark_on(reading.remarks, name)));
    }
  return out;
}

std::string summary_json(const ReproduceResult& result, const Reading& reading) {
  Json out{{"name", result.spec.name}, {"title", result.spec.title}, {"cells", Json::array()}};
  for (const CellResult& cell : result.cells) {
    Json line{{"cell", cell.cell.name()}, {"kind", cell.cell.kind}, {"folds", cell.runs.size()}};
    if (cell.cell.x) line["x"] = *cell.cell.x;
    if (!cell.trouble.empty()) line["trouble"] = cell.trouble;
    if (!cell.runs.empty())
      for (const Metric& metric : cell.runs[0].test) {
        const MeanAndSpread own = summarize(cell.runs, metric.name);
        Json& entry = object_at(line, "test")[metric.name];
        entry = {{"mean", own.mean}, {"deviation", own.deviation}};
        if (const auto standing = standing_of(result, cell, metric.name, reading.paper)) {
          entry["paper"] = *paper_figure(result, cell.cell, metric.name, reading.paper);
          entry["standing"] = standing_name(*standing);
        }
      }
    out["cells"].push_back(std::move(line));
  }
  out["verdicts"] = Json::array();
  for (const ColumnVerdict& v : reading.verdicts) {
    if (v.experiment != result.spec.name) continue;
    Json line{{"column", v.column},
              {"kind", v.kind},
              {"metric", v.metric},
              {"verdict", verdict_name(v.verdict)},
              {"strongest_other", v.rival},
              {"difference", v.comparison.repeats.difference},
              {"p_folds", v.comparison.repeats.p_value},
              {"p_folds_holm", v.p_value},
              {"family", v.family},
              {"folds", v.comparison.count}};
    if (v.comparison.users)
      line.update({{"p_users", v.comparison.users->p_value},
                   {"difference_users", v.comparison.users->difference}});
    out["verdicts"].push_back(std::move(line));
  }
  out["claims"] = Json::array();
  for (const Claim& claim : claims_of(result, reading.verdicts))
    out["claims"].push_back(claim.text);
  return out.dump(2) + "\n";
}

std::string summary_markdown(const ReproduceResult& result, const Reading& reading) {
  std::string out = fmt::format("## {}: {}\n\n", result.spec.name, result.spec.title);
  if (!result.spec.note.empty()) out += result.spec.note + "\n\n";
  for (const auto& [dataset, note] : result.spec.substitutes)
    out += fmt::format("`{}`: {}\n\n", dataset, note);
  const bool any = std::ranges::any_of(result.cells, [](const auto& c) { return !c.runs.empty(); });
  if (!any) return out + "Not run.\n\n";
  for (const std::string& kind : kinds_of(result)) {
    if (result.spec.figure) {
      for (const std::string& column : columns_of(result))
        out += was_run(result, column, kind)
                   ? fmt::format("{}, {}:\n\n", column, kind_title(kind)) +
                         markdown_table(figure_rows(result, column, kind)) + "\n"
                   : fmt::format("{}, {}: not run.\n\n", column, kind_title(kind));
      continue;
    }
    for (const std::string& metric : result.spec.metrics) {
      const AgainstPaper counts = against_paper(result, kind, metric, reading.paper);
      out += fmt::format("{}, {}", metric, kind_title(kind));
      if (counts.above + counts.level + counts.below > 0)
        out += fmt::format(" ({} cells above the paper's figure, {} level, {} below)", counts.above,
                           counts.level, counts.below);
      out += ":\n\n" + markdown_table(table_rows(result, kind, metric, reading.paper)) + "\n";
    }
    out += markdown_list(fmt::format("Below the paper, {}:", kind_title(kind)),
                         below_paper(result, kind, reading));
  }
  std::vector<std::string> verdicts, claims;
  for (const ColumnVerdict& verdict : reading.verdicts)
    if (verdict.experiment == result.spec.name) verdicts.push_back(verdict_text(verdict));
  for (const Claim& claim : claims_of(result, reading.verdicts)) claims.push_back(claim.text);
  return out + markdown_list("MCNS against the strongest other sampler:", verdicts) +
         markdown_list("What the paper says, and what is seen here:", claims);
}

std::string claims_markdown(const std::vector<ReproduceResult>& results, const Reading& reading) {
  const auto failed = failed_claims(results, reading);
  return "## Claims of the paper that do not hold here\n\n" +
         (failed.empty() ? "None of those that were run and decided.\n"
                         : markdown_list("With what is known of the reason:", failed));
}

}  // namespace mcns
