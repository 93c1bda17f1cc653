// Experiments as data: a file experiments/NAME.toml lists datasets, models, samplers and metrics of
// a table, or the series of a figure. Reading it gives cells, each of which is an experiment that
// is run once per fold.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mcns/train/experiment.h"

namespace mcns {

/// Flags by name, in order.
using FlagList = std::vector<std::pair<std::string, std::string>>;

struct CellSpec {
  std::string dataset, model, sampler;  ///< sampler: a row of a table, or a series of a figure
  std::optional<double> x;              ///< of a point of a figure
  std::string kind;                     ///< `paper` or `tuned`
  std::string data;                     ///< name or folder of the dataset
  FlagList flags;
  bool fixed_split = false;  ///< the dataset has its parts: a fold is another seed
  double seconds = 0;        ///< of a fold, about, on two cores; 0: not known

  /// `movielens/deepwalk/mcns`, and `@X` for a point of a figure.
  std::string name() const;
  std::string column() const { return dataset + "/" + model; }
};

/// A line of a figure.
struct SeriesSpec {
  std::string name, x_label;
  bool x_log = false;
  std::string claim;  ///< of the paper, or `trend` (claims.h)
};

struct ExperimentSpec {
  std::string name, title, note;
  std::string claim;  ///< of the paper on a table: `first` or empty (claims.h)
  Task task = Task::kRecommend;
  std::vector<std::string> metrics;
  std::vector<std::string> judged;  ///< those that are tested; the first metric unless named
  int folds = 1;
  /// By metric: what paired_t_test takes for the overlap of folds; "" is for all that are not
  /// named.
  std::map<std::string, double> overlaps;
  int tune = 0;  ///< settings that are tried for a cell of kind `tuned`
  bool figure = false, mixing = false;
  std::vector<std::string> samplers;  ///< rows of a table, or names of series
  std::vector<std::string> controls;  ///< of these rows, those that are shown and not judged
  std::vector<SeriesSpec> series;
  std::vector<CellSpec> cells;

  double overlap(const std::string& metric) const;
  const SeriesSpec& series_of(const CellSpec& cell) const;
  /// Datasets that stand in for those of the paper: their figures are not compared.
  std::map<std::string, std::string> substitutes;
  struct Quick {
    std::vector<std::string> only, kinds;
    int folds = 1, tune = 1;
  } quick;
};

/// Names of all experiments in the folder, tables first.
std::vector<std::string> experiment_names(const std::string& folder);

/// Throws Error(kData) with the line for a file that is not an experiment.
ExperimentSpec read_experiment(const std::string& folder, const std::string& name);

/// Figures that the paper prints, by `recommend/movielens/deepwalk/mcns/mrr`.
using PaperFigures = std::map<std::string, double>;
PaperFigures read_paper_figures(const std::string& folder);

/// Sentences of people, by `below/TASK/DATASET/MODEL/SAMPLER` or `claims/EXPERIMENT/DATASET/MODEL`
/// or any beginning of these; none where there is no remarks.toml.
using Remarks = std::map<std::string, std::string>;
Remarks read_remarks(const std::string& folder);
/// The remark under the longest beginning of `name`; empty where there is none.
std::string remark_on(const Remarks& remarks, std::string name);

/// One file experiments/paper/NAME.toml: every setting of the paper for a dataset, by
/// `setting`, `model.NAME.setting` or `sampler.NAME.setting`.
using PaperSettings = std::map<std::string, std::string>;
PaperSettings read_paper_settings(const std::string& path);

/// `movielens/deepwalk` matches all its cells; `*` matches any part of a name.
bool matches(const std::string& cell, const std::vector<std::string>& patterns);

/// The experiments that came with the program: those of the source tree it was built in, else the
/// installed ones.
std::string experiments_folder();

/// The experiment of a fold, from 1, without tuned settings.
Experiment cell_experiment(const ExperimentSpec& spec, const CellSpec& cell, int fold);

}  // namespace mcns
