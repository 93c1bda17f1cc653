// What comes out of an experiment: means, the paper's figures beside them, and who won.
#pragma once

#include <string>
#include <vector>

#include "mcns/reproduce/claims.h"

namespace mcns {

/// What results are read against.
struct Reading {
  PaperFigures paper;
  Remarks remarks;
  std::vector<ColumnVerdict> verdicts;  ///< of all results together
};

/// A cell beside the paper's figure: level is within our deviation over folds, at least 0.001.
enum class Standing { kAbove, kLevel, kBelow };
const char* standing_name(Standing standing);
/// Nothing where the paper has no figure, or the cell was not run, or stands on a substitute.
std::optional<Standing> standing_of(const ReproduceResult& result, const CellResult& cell,
                                    const std::string& metric, const PaperFigures& paper);

/// Head and rows: a line per sampler, a column per `dataset/model` with mean and deviation, and the
/// paper's figure after it where the data are the paper's, with whether ours is above, level or
/// below. "not run" where nothing is stored.
std::vector<std::vector<std::string>> table_rows(const ReproduceResult& result,
                                                 const std::string& kind, const std::string& metric,
                                                 const PaperFigures& paper);
/// Whether any cell of the column has a run.
bool was_run(const ReproduceResult& result, const std::string& column, const std::string& kind);
/// Of a figure: a line per point, with seconds of training where they are what is compared.
std::vector<std::vector<std::string>> figure_rows(const ReproduceResult& result,
                                                  const std::string& column,
                                                  const std::string& kind);

/// How many cells stand above, level with and below the paper's figure.
struct AgainstPaper {
  int above = 0, level = 0, below = 0;
};
AgainstPaper against_paper(const ReproduceResult& result, const std::string& kind,
                           const std::string& metric, const PaperFigures& paper);
/// A sentence for each cell that is below, with the remark on it.
std::vector<std::string> below_paper(const ReproduceResult& result, const std::string& kind,
                                     const Reading& reading);

/// The claims of all results that do not hold here, with the remark on each.
std::vector<std::string> failed_claims(const std::vector<ReproduceResult>& results,
                                       const Reading& reading);

/// By task, column, sampler and metric.
std::optional<double> paper_figure(const ReproduceResult& result, const CellSpec& cell,
                                   const std::string& metric, const PaperFigures& paper);

std::string summary_json(const ReproduceResult& result, const Reading& reading);
/// A section of docs/results.md.
std::string summary_markdown(const ReproduceResult& result, const Reading& reading);
/// The section after those of the experiments.
std::string claims_markdown(const std::vector<ReproduceResult>& results, const Reading& reading);

}  // namespace mcns
