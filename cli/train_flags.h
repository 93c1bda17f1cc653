// Flags that `run` and `train` share, made from the visitors over the options.
#pragma once

#include <memory>
#include <string>

#include "mcns/train/experiment.h"

#include "cli/command.h"

namespace mcns::cli {

struct TrainFlags {
  Experiment experiment;
};

/// A flag for every setting of a training run.
void add_train_options(CLI::App& command, TrainOptions& options);
/// Every option of training, of loading and of output.
void add_train_flags(CLI::App& command, TrainFlags& flags);
/// Takes what all commands have in common; after parsing.
void finish_train_flags(TrainFlags& flags, const Common& common);

/// Runs with a progress display and signal handling, beside what `hooks` want to be told. Says how
/// to go on where the result is not finished.
ExperimentResult train_with_progress(const TrainFlags& flags, const Common& common,
                                     ExperimentHooks hooks = {});
/// The same, and prints the result. Returns the exit code.
int run_with_progress(const TrainFlags& flags, const Common& common);
/// Of a run that was interrupted.
inline constexpr int kInterrupted = 130;

}  // namespace mcns::cli
