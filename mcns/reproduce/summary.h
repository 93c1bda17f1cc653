// What comes out of an experiment: means, the paper's figures beside them, and who won.
#pragma once

#include <string>
#include <vector>

#include "mcns/compare/verdict.h"
#include "mcns/reproduce/reproduce.h"

namespace mcns {

/// MCNS against the strongest other sampler of a column, which is chosen on validation.
struct ColumnVerdict {
  std::string column, kind, rival;
  double own = 0, other = 0;  ///< means on test, over all folds of each
  Comparison comparison;
  double p_value = 1;  ///< over folds, corrected for their overlap and for the number of columns
  Verdict verdict = Verdict::kTied;
};

/// Of a table, for the columns where MCNS and another sampler were run.
std::vector<ColumnVerdict> judge_columns(const ReproduceResult& result);
std::string verdict_text(const ColumnVerdict& verdict, const std::string& metric);

/// `0.0530`, `73.1`: of a metric as tables show it; percent for AUC and F1.
std::string figure_text(const std::string& metric, double value);

/// Head and rows: a line per sampler, a column per `dataset/model` with mean and deviation, and
/// the paper's figure after it where the data are the paper's. "not run" where nothing is stored.
std::vector<std::vector<std::string>> table_rows(const ReproduceResult& result,
                                                 const std::string& kind, const std::string& metric,
                                                 const PaperFigures& paper);
/// Of a figure: a line per point.
std::vector<std::vector<std::string>> figure_rows(const ReproduceResult& result,
                                                  const std::string& column,
                                                  const std::string& kind);

/// How many cells stand above, level with and below the paper's figure, level being within our
/// deviation over folds (at least 0.001).
struct AgainstPaper {
  int above = 0, level = 0, below = 0;
};
AgainstPaper against_paper(const ReproduceResult& result, const std::string& kind,
                           const std::string& metric, const PaperFigures& paper);

/// Whether the paper's claim holds here, a sentence for each column and kind that was run:
///   first  MCNS has the highest mean of the first metric
///   falls  it falls from the first point of a series to the last, by 2 % at least
///   peaks  it is highest at a point between them
///   below  every point of a series is below the level of mcns
std::vector<std::string> claims_of(const ReproduceResult& result);

std::vector<std::string> kinds_of(const ReproduceResult& result);
std::vector<std::string> columns_of(const ReproduceResult& result);
const CellResult* find_cell(const ReproduceResult& result, const std::string& column,
                            const std::string& sampler, const std::string& kind);
/// By task, column, sampler and metric.
std::optional<double> paper_figure(const ReproduceResult& result, const CellSpec& cell,
                                   const std::string& metric, const PaperFigures& paper);

std::string summary_json(const ReproduceResult& result, const PaperFigures& paper);
/// A section of docs/results.md.
std::string summary_markdown(const ReproduceResult& result, const PaperFigures& paper);

}  // namespace mcns
