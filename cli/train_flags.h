// Flags that `run` and `train` share, made from the visitors over the options.
#pragma once

#include <memory>
#include <string>

#include "mcns/train/experiment.h"

#include "cli/command.h"
#include "cli/interrupt.h"

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
    CLI::Option* flag = command.add_option("--" + info.name, field, info.help);
    flag->group(group_name(info.group));
    if (!info.choices.empty()) flag->type_name("{" + CLI::detail::join(info.choices, ",") + "}");
  });
}

/// Every option of training, of loading and of output.
void add_train_flags(CLI::App& command, TrainFlags& flags);
/// Takes what all commands have in common; after parsing.
void finish_train_flags(TrainFlags& flags, const Common& common, const Session& session);

/// Runs with a progress display and signal handling, and calls `hooks` too. Prints how to continue
/// where the run was interrupted.
ExperimentResult train_with_progress(const TrainFlags& flags, const Common& common,
                                     ExperimentHooks hooks = {});
/// The same, and prints the result. Returns the exit code.
int run_with_progress(const TrainFlags& flags, const Common& common);

}  // namespace mcns::cli
