#include "mcns/reproduce/judge.h"

#include <algorithm>

namespace mcns {
namespace {

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

/// Without the family: p of the one test.
std::optional<ColumnVerdict> judge_one(const ReproduceResult& result, const std::string& column,
                                       const std::string& kind, const std::string& metric) {
  std::vector<std::vector<RunRecord>> runs;
  std::vector<std::string> names;
  for (const std::string& sampler : result.spec.samplers) {
    if (std::ranges::count(result.spec.controls, sampler) > 0) continue;
    const CellResult* cell = find_cell(result, column, sampler, kind);
    names.push_back(sampler);
    runs.push_back(cell == nullptr ? std::vector<RunRecord>{} : cell->runs);
  }
  const auto own = std::ranges::find(names, kOwn);
  if (own == names.end()) return std::nullopt;
  const auto at = static_cast<std::size_t>(own - names.begin());
  const auto rival = strongest(runs, at);
  if (!rival) return std::nullopt;
  ColumnVerdict out;
  out.experiment = result.spec.name;
  out.column = column;
  out.kind = kind;
  out.metric = metric;
  out.rival = names[*rival];
  const CommonRuns common = common_runs(runs[at], runs[*rival]);
  const CellSpec& cell = find_cell(result, column, kOwn, kind)->cell;
  out.comparison = compare_runs(common.a, common.b, metric, overlap_of(result, cell, metric));
  out.own = summarize(common.a, metric).mean;
  out.other = summarize(common.b, metric).mean;
  out.p_value = out.comparison.repeats.p_value;
  return out;
}

void correct(std::vector<ColumnVerdict>& verdicts, const std::string& kind) {
  std::vector<ColumnVerdict*> family;
  std::vector<double> p_values;
  for (ColumnVerdict& one : verdicts)
    if (one.kind == kind) {
      family.push_back(&one);
      p_values.push_back(one.p_value);
    }
  const auto corrected = holm(p_values);
  for (std::size_t i = 0; i < family.size(); ++i) {
    family[i]->p_value = corrected[i];
    family[i]->family = static_cast<int>(family.size());
    family[i]->verdict = judge(family[i]->comparison.repeats.difference, corrected[i]);
  }
}

}  // namespace

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

double overlap_of(const ReproduceResult& result, const CellSpec& cell, const std::string& metric) {
  return cell.fixed_split ? 0 : result.spec.overlap(metric);
}

std::string figure_text(const std::string& metric, double value) {
  return in_percent(metric) ? fmt::format("{:.1f}", 100 * value) : fmt::format("{:.4f}", value);
}
std::string difference_text(const std::string& metric, double value) {
  return in_percent(metric) ? fmt::format("{:+.2f}", 100 * value) : fmt::format("{:+.4f}", value);
}
std::string p_text(double p) { return p < 1e-4 ? "p < 0.0001" : fmt::format("p = {:.4f}", p); }

const char* kind_title(const std::string& kind) {
  return kind == "paper" ? "the paper's settings" : "settings tuned on validation";
}

std::vector<ColumnVerdict> judge_columns(const std::vector<ReproduceResult>& results) {
  std::vector<ColumnVerdict> out;
  for (const ReproduceResult& result : results) {
    if (result.spec.figure) continue;
    for (const std::string& kind : kinds_of(result))
      for (const std::string& column : columns_of(result))
        for (const std::string& metric : result.spec.judged)
          if (auto verdict = judge_one(result, column, kind, metric))
            out.push_back(std::move(*verdict));
  }
  for (const char* kind : {"paper", "tuned"}) correct(out, kind);
  return out;
}

std::string verdict_text(const ColumnVerdict& v) {
  std::string folds = "one fold, no test";
  if (v.comparison.count >= 2)
    folds = fmt::format("{} over {} folds, Holm over {}", p_text(v.p_value), v.comparison.count,
                        v.family);
  if (v.comparison.users)
    folds += fmt::format("; over {} users {}, {}", v.comparison.user_count,
                         difference_text(v.metric, v.comparison.users->difference),
                         p_text(v.comparison.users->p_value));
  return fmt::format("{}, {}: {} ({} {} against {} of {}, the strongest other on validation; {})",
                     v.column, kind_title(v.kind), verdict_name(v.verdict), v.metric,
                     figure_text(v.metric, v.own), figure_text(v.metric, v.other), v.rival, folds);
}

}  // namespace mcns
