// mcns run: split the data or take a split, train, evaluate.
#include "cli/run_flags.h"
#include "cli/terminal.h"
#include "cli/tune_progress.h"
#include "cli/whole_number.h"

namespace mcns::cli {
namespace {

constexpr const char* kExamples =
    "  mcns run --task recommend --data debian --out model\n"
    "  mcns run --task linkpred --train edges.tsv --out model\n"
    "  mcns run --task classify --train edges.tsv --labels labels.tsv --sampler degree\n"
    "  mcns run --task recommend --train a.tsv --valid b.tsv --test c.tsv --plan\n"
    "  mcns run --task recommend --data debian --tune 20 --out model\n"
    "  mcns run --config model/run.json --epochs 30 --out model2\n"
    "\nDefaults depend on task, encoder and sampler; --plan shows them.\n";

/// The search, then the run, or its plan, with what was found.
int tune_then_run(const RunFlags& flags, const TuneOptions& options, const Common& common) {
  int code = kInterrupted;
  TuneProgress progress;
  TrainFlags found = flags;
  if (flags.plan) found.experiment.output.out.clear();  // nothing is written
  const auto run = [&](const Experiment& experiment, const TuneResult& tuning) {
    progress.clear();
    if (!common.quiet) print_note("tuned: " + tuned_text(tuning));
    if (!common.quiet && !experiment.tuned_split.empty())
      print_note(
          "the model learns from the valid pairs too, as nothing is left to choose on them "
          "(--learn-from train leaves them out)");
    found.experiment = experiment;
    found.experiment.load.on_read = {};  // was told already
    code = run_with_progress(found, common);
  };
  const bool finished = tune_and_run(found.experiment, options, tune_hooks(progress, common), run);
  progress.clear();
  if (!finished) print_interrupted(flags.experiment.output.out);
  return code;
}

}  // namespace

void add_run(CLI::App& root, Session& session) {
  CLI::App* command = root.add_subcommand("run", "split the data or take a split, train, evaluate");
  auto flags = std::make_shared<RunFlags>();
  add_run_flags(*command, *flags);
  command->get_option("--task")->required();
  auto tune = std::make_shared<int>(0);
  command
      ->add_option("--tune", *tune,
                   "before training, find the settings that are not given on validation pairs, by "
                   "trying so many; 0: take the defaults (see mcns tune)")
      ->check(whole_number(0, 10000))
      ->group(group_name(OptionGroup::kTraining));
  const auto common = add_common(*command, kExamples);
  command->callback([=, &session] {
    finish_run_flags(*flags, *common, session);
    const TuneOptions options{*tune, "mcns run" + typed_flags(*command, {"--config"})};
    session.exit_code =
        *tune > 0 ? tune_then_run(*flags, options, *common) : run_with_progress(*flags, *common);
  });
}

}  // namespace mcns::cli
