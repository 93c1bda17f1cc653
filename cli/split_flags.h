// Flags that `data split` and `data check` share: what the pairs of a split mean.
#pragma once

#include <string>

#include "mcns/io/load_options.h"

#include "cli/command.h"

namespace mcns::cli {

struct SplitFlags {
  std::string task_name;
  Task task = Task::kRecommend;
  LoadOptions load;
};

void add_split_flags(CLI::App& command, SplitFlags& flags);
/// Finds the task and what it reads, as `mcns run` does; after parsing.
void finish_split_flags(SplitFlags& flags);

}  // namespace mcns::cli
