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
  std::string kind;                     ///< `paper`, `tuned` or `default`
  std::string data;                     ///< name or folder of the dataset
  FlagList flags;
  bool fixed_split = false;  ///< the dataset has its parts: a fold is another seed
  double seconds = 0;        ///< of a fold, about, on two cores; 0: not known

  /// `movielens/deepwalk/mcns`, and `@X` for a point of a figure.
  std::string name() const;
  std::string column() const { return dataset + "/" + model; }
};

struct ExperimentSpec {
  std::string name, title, note;
  std::string claim;  ///< of the paper: `first`, `falls`, `peaks`, `below` or empty (summary.h)
  Task task = Task::kRecommend;
  std::vector<std::string> metrics;  ///< the first is the one that is tested
  int folds = 1;
  double overlap = 0;  ///< size of a test part over that of its train part
  int tune = 0;        ///< settings that are tried for a cell of kind `tuned`
  std::string x_label;
  bool x_log = false, figure = false, mixing = false;
  std::vector<std::string> samplers;
  std::vector<CellSpec> cells;
  /// Datasets that stand in for those of the paper: their figures are not compared.
  std::map<std::string, std::string> substitutes;
  struct Quick {
    std::vector<std::string> only;
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
