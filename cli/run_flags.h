// Flags that `run` and `explain` share: the data of a task on top of those of training.
#pragma once

#include <string>

#include "cli/train_flags.h"

namespace mcns::cli {

struct RunFlags : TrainFlags {
  std::string task;
};

void add_run_flags(CLI::App& command, RunFlags& flags);
/// Parses the task and takes the common options; after parsing.
void finish_run_flags(RunFlags& flags, const Common& common, const Session& session);

}  // namespace mcns::cli
