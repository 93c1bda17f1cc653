#include "cli/split_flags.h"

#include "mcns/core/error.h"

#include "cli/load_flags.h"

namespace mcns::cli {

void add_split_flags(CLI::App& command, SplitFlags& flags) {
  command.add_option("--task", flags.task_name, "recommend or linkpred")->required();
  add_load_flags(command, flags.load);
}

void finish_split_flags(SplitFlags& flags) {
  flags.task = parse_task(flags.task_name);
  require(flags.task != Task::kClassify,
          "--task classify has no split files, its labels are divided at evaluation; valid: "
          "recommend, linkpred");
  flags.load = for_task(flags.load, flags.task);
}

}  // namespace mcns::cli
