// mcns tune: settings that are good on validation.
#include "mcns/core/error.h"
#include "mcns/core/plain_text.h"
#include "mcns/tune/tuned_file.h"

#include "cli/run_flags.h"
#include "cli/table.h"
#include "cli/tune_progress.h"
#include "cli/whole_number.h"

namespace mcns::cli {
namespace {

constexpr const char* kExamples =
    "  mcns tune --task recommend --data debian --out found\n"
    "  mcns run --task recommend --data debian --config found/tuned.toml --out model\n"
    "  mcns tune --task linkpred --train edges.tsv --sampler dns --settings 50 --out found\n"
    "  mcns tune --task recommend --data debian --plan\n"
    "\nA setting that is given is never changed. Test pairs and the labels of test nodes are not "
    "looked\nat. All settings are trained for a tenth of their epochs, the best fifth for a third, "
    "the best two and\nthe defaults for all: 20 settings cost 6.4 full runs, 8 at most where "
    "epochs "
    "are few.\n";

struct TuneFlags : RunFlags {
  TuneOptions options;
};

/// What would be tuned, and between what bounds.
void print_space(const TuneFlags& flags, const Common& common) {
  const std::vector<Dimension> dimensions = open_dimensions(flags.experiment);
  if (common.json) {
    fmt::print("{}", dimensions_json(dimensions));
    return;
  }
  std::vector<std::vector<std::string>> rows = {{"setting", "default", "tuned"}};
  for (const Dimension& d : dimensions) rows.push_back({d.name, d.value, d.range_text()});
  print_table(rows);
}

/// The command that trains with what was found.
std::string next_command(const CLI::App& command, const std::string& out,
                         const TuneResult& result) {
  std::set<std::string> without = {"--settings", "--out",   "--force", "--resume",
                                   "--json",     "--quiet", "--config"};
  for (const auto& [name, value] : result.tuned)
    without.insert("--" + name.substr(0, name.find('.')));
  return fmt::format("mcns run{} --config {} --out MODEL", typed_flags(command, without),
                     quoted(out + "/tuned.toml"));
}

int tune(const CLI::App& command, const TuneFlags& flags, const Common& common) {
  TuneProgress progress;
  TuneHooks hooks = tune_hooks(progress, common);
  hooks.warning = [](const std::string& text) { print_note("mcns: warning: " + text); };
  const TuneResult result = tune_experiment(flags.experiment, flags.options, hooks);
  progress.clear();
  const std::string& out = flags.experiment.output.out;
  if (!result.finished) {
    print_interrupted(out);
    return kInterrupted;
  }
  if (common.json) {
    fmt::print("{}", tune_json(result));
    return 0;
  }
  print_tuning(result);
  fmt::print("found: {}\nfile: {}/tuned.toml\nuse it: {}\n", tuned_text(result), out,
             next_command(command, out, result));
  return 0;
}

}  // namespace

void add_tune(CLI::App& root, Session& session) {
  CLI::App* command =
      root.add_subcommand("tune", "find settings on validation, by successive halving");
  auto flags = std::make_shared<TuneFlags>();
  add_run_flags(*command, *flags);
  command->get_option("--task")->required();
  // Trials are short and start anew where a search is resumed.
  for (const char* name : {"--checkpoint-every", "--other-kernels", "--tensorboard", "--repeats"})
    command->remove_option(command->get_option(name));
  command->get_option("--out")->description("folder for tuned.toml and trials.jsonl");
  command->get_option("--force")->description("replace what is in --out");
  command->get_option("--resume")->description("continue a search with the trials in --out");
  command->get_option("--plan")->description(
      "print what would be tuned, and between what bounds; train nothing");
  command
      ->add_option("--settings", flags->options.settings,
                   "settings to try, the defaults among them")
      ->capture_default_str()
      ->check(whole_number(1, 10000))
      ->group(group_name(OptionGroup::kTraining));
  const auto common = add_common(*command, kExamples);
  command->callback([=, &session] {
    finish_run_flags(*flags, *common, session);
    if (flags->plan) return print_space(*flags, *common);
    require(!flags->experiment.output.out.empty(), "tune needs --out DIR");
    flags->options.command = "mcns tune" + typed_flags(*command, {"--config"});
    session.exit_code = tune(*command, *flags, *common);
  });
}

}  // namespace mcns::cli
