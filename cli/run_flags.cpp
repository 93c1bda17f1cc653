#include "cli/run_flags.h"

namespace mcns::cli {

void add_run_flags(CLI::App& command, RunFlags& flags) {
  const char* data = group_name(OptionGroup::kData);
  Experiment& e = flags.experiment;
  command.add_option("--task", flags.task, "what to learn for; linkpred: link prediction")
      ->type_name("{recommend,linkpred,classify}")
      ->group(data);
  command.add_option("--data", e.data, "name of a dataset (mcns data list) or its folder")
      ->group(data);
  command.add_option("--train", e.files.train, "file with training edges")
      ->type_name("FILE")
      ->group(data);
  command.add_option("--valid", e.files.valid, "file with held-out pairs for early stopping")
      ->type_name("FILE")
      ->group(data);
  command.add_option("--test", e.files.test, "file with held-out pairs, scored once at the end")
      ->type_name("FILE")
      ->group(data);
  command.add_option("--labels", e.files.labels, "classify: file with a node and a label per line")
      ->type_name("FILE")
      ->group(data);
  add_options(command, e.split);
  add_train_flags(command, flags);
}

void finish_run_flags(RunFlags& flags, const Common& common, const Session& session) {
  flags.experiment.task = parse_task(flags.task);
  finish_train_flags(flags, common, session);
}

}  // namespace mcns::cli
