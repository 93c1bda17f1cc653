#include "cli/run_flags.h"

namespace mcns::cli {
void add_run_flags(CLI::App& command, RunFlags& flags) {
  const char* data = group_name(OptionGroup::kData);
  Experiment& e = flags.experiment;
  command.add_option("--task", flags.task, "recommend, linkpred or classify")->group(data);
  command.add_option("--data", e.data, "a dataset by name (mcns data list), or its folder")
      ->group(data);
  command.add_option("--train", e.files.train, "training edges")->group(data);
  command.add_option("--valid", e.files.valid, "held-out pairs for early stopping")->group(data);
  command.add_option("--test", e.files.test, "held-out pairs that are scored once, at the end")
      ->group(data);
  command.add_option("--labels", e.files.labels, "node and label, for classify")->group(data);
  add_options(command, e.split);
  add_train_flags(command, flags);
}

void finish_run_flags(RunFlags& flags, const Common& common, const Session& session) {
  flags.experiment.task = parse_task(flags.task);
  finish_train_flags(flags, common, session);
}

}  // namespace mcns::cli
