// Flags that `run` and `train` share, made from the visitors over the options.
#pragma once

#include <memory>
#include <string>

#include "mcns/train/experiment.h"

#include "cli/command.h"

namespace mcns::cli {

struct TrainFlags {
  Experiment experiment;
  bool plan = false;
};

/// The heading of a group in --help.
const char* group_name(OptionGroup group);

/// A flag for every option of a struct that has a for_each_option.
template <class Options>
void add_options(CLI::App& command, Options& options) {
  for_each_option(options, [&](auto& field, const OptionInfo& info) {
    command.add_option("--" + info.name, field, info.help)->group(group_name(info.group));
  });
}

/// Every option of training, of loading and of output.
void add_train_flags(CLI::App& command, TrainFlags& flags);
/// Takes what all commands have in common; after parsing.
void finish_train_flags(TrainFlags& flags, const Common& common, const Session& session);

/// Runs with a progress display and signal handling, beside what `hooks` want to be told. Says how
/// to go on where the result is not finished.
ExperimentResult train_with_progress(const TrainFlags& flags, const Common& common,
                                     ExperimentHooks hooks = {});
/// The same, and prints the result. Returns the exit code.
int run_with_progress(const TrainFlags& flags, const Common& common);
/// Of a run that was interrupted.
inline constexpr int kInterrupted = 130;

}  // namespace mcns::cli
