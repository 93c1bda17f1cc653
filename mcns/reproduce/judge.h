// Who won in the columns of tables: MCNS against the strongest other sampler.
#pragma once

#include <string>
#include <vector>

#include "mcns/compare/verdict.h"
#include "mcns/reproduce/reproduce.h"

namespace mcns {

/// MCNS against the strongest other sampler of a column, which is chosen on validation. Controls
/// are no candidates.
struct ColumnVerdict {
  std::string experiment, column, kind, metric, rival;
  double own = 0, other = 0;  ///< means on test over the folds that both have
  Comparison comparison;
  double p_value = 1;  ///< over folds, corrected for their overlap and for the size of the family
  int family = 0;      ///< verdicts with the same kind of settings
  Verdict verdict = Verdict::kTied;
};

/// For every judged metric of every column where MCNS and another sampler were run. The verdicts of
/// one kind of settings, of all tables together, are one family for Holm's correction. Folds that
/// are seeds of one split do not overlap.
std::vector<ColumnVerdict> judge_columns(const std::vector<ReproduceResult>& results);
std::string verdict_text(const ColumnVerdict& verdict);

std::vector<std::string> kinds_of(const ReproduceResult& result);
std::vector<std::string> columns_of(const ReproduceResult& result);
const CellResult* find_cell(const ReproduceResult& result, const std::string& column,
                            const std::string& sampler, const std::string& kind);
/// What paired_t_test takes for the folds of a cell.
double overlap_of(const ReproduceResult& result, const CellSpec& cell, const std::string& metric);

/// `0.0530`, `73.1`: of a metric as tables show it; percent for AUC and F1.
std::string figure_text(const std::string& metric, double value);
/// With its sign.
std::string difference_text(const std::string& metric, double value);
std::string p_text(double p);
/// `the paper's settings`.
const char* kind_title(const std::string& kind);

}  // namespace mcns
