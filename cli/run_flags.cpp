#include "cli/run_flags.h"

#include "mcns/core/error.h"
#include "mcns/io/datasets_table.h"

namespace mcns::cli {
namespace {

void take_dataset(RunFlags& flags) {
  auto& files = flags.experiment.files;
  auto& load = flags.experiment.load;
  const Task task = *flags.experiment.task;
  if (flags.data.empty()) {
    require(!files.train.empty(), "give --data NAME|DIR or --train FILE");
    load = for_task(load, task);
    return;
  }
  require(files.train.empty(), "--data and --train exclude each other");
  const ResolvedDataset found = resolve_dataset(flags.data, task);
  files = found.files;
  // Only classify reads labels; on a graph with two id spaces they could not be told apart.
  if (task != Task::kClassify) files.labels.clear();
  load = for_task(load, task, found.bipartite);
}

}  // namespace

void add_run_flags(CLI::App& command, RunFlags& flags) {
  command.add_option("--task", flags.task, "recommend, linkpred or classify");
  command.add_option("--data", flags.data, "a dataset by name (mcns data list), or its folder");
  auto& files = flags.experiment.files;
  command.add_option("--train", files.train, "training edges");
  command.add_option("--valid", files.valid, "held-out pairs for early stopping");
  command.add_option("--test", files.test, "held-out pairs that are scored once, at the end");
  command.add_option("--labels", files.labels, "node and label, for classify");
  auto& split = flags.experiment.split;
  command
      .add_option("--valid-share", split.valid,
                  "of train, held out where no --valid is given (0.05; linkpred 0.02)")
      ->check(CLI::Range(0.0, 0.9));
  command.add_option("--test-share", split.test, "linkpred: of the edges, without --test")
      ->check(CLI::Range(0.0, 0.9))
      ->capture_default_str();
  command.add_option("--parts", split.parts, "recommend: parts of the data, without --test")
      ->check(CLI::Range(3, 1000))
      ->capture_default_str();
  command.add_option("--fold", split.fold, "which part is the test set")
      ->check(CLI::Range(1, 999))
      ->capture_default_str();
  command.add_option("--candidates", split.candidates, "items to rank against; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_train_flags(command, flags);
}

void finish_run_flags(RunFlags& flags, const Common& common) {
  flags.experiment.task = parse_task(flags.task);
  finish_train_flags(flags, common);
  take_dataset(flags);
}

}  // namespace mcns::cli
