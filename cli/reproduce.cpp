// mcns reproduce: the paper's tables and figures.
#include "mcns/reproduce/reproduce.h"

#include <algorithm>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/io/files.h"
#include "mcns/report/reproduce_page.h"
#include "mcns/reproduce/summary.h"

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"

namespace mcns::cli {
namespace {

constexpr const char* kExamples =
    "  mcns reproduce table-recommend --quick --out again\n"
    "  mcns reproduce table-recommend --only movielens/deepwalk --out again\n"
    "  mcns reproduce table-linkpred --only arxiv/deepwalk/mcns,arxiv/deepwalk/dns --folds 2 \\\n"
    "      --out again\n"
    "  mcns reproduce fig-degree --out again\n"
    "  mcns reproduce all --stored --out experiments/results --markdown docs/results.md\n"
    "\nA cell is DATASET/MODEL/SAMPLER. Every finished fold is a file below --out: the same "
    "command "
    "\ngoes on where it was stopped, and several may run at the same time with one --out.\n";

constexpr const char* kHead =
    "# Results\n\n"
    "Made from the runs in `experiments/results/` by\n\n"
    "```sh\nmcns reproduce all --stored --out experiments/results --markdown docs/results.md\n"
    "```\n\n"
    "Every figure is a mean over folds, with its deviation. The paper's own settings stand in\n"
    "`experiments/paper/`, with the sentences they come from; tuned settings were found once for "
    "each\nsampler on the validation part of the first fold, with the same budget for all. The "
    "test between\nMCNS and the strongest other sampler is paired over the folds that both have, "
    "corrected for their\noverlap (Nadeau and Bengio) and, over all tables of one kind of "
    "settings, "
    "for the number of tests\n(Holm). What was not run says so. Measurements that were made by "
    "hand, some with earlier versions,\nare in [notes/measured.md](notes/measured.md).\n\n";

struct Flags {
  std::string name, experiments, markdown;
  ReproduceOptions options;
};

std::string time_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

ReproduceHooks hooks_of(const Common& common) {
  ReproduceHooks hooks;
  hooks.interrupted = &interrupted_by_signal();
  hooks.warning = [](const std::string& text) { print_note("mcns: warning: " + text); };
  hooks.failed = [](const std::string& what, const std::string& why) {
    print_note(fmt::format("mcns: failed: {}: {}", what, why));
  };
  if (common.quiet) return hooks;
  hooks.planned = [](const ReproducePlan& plan) {
    print_note(
        fmt::format("to do: {} runs and {} searches for settings, about {} on two cores; {} "
                    "done before{}",
                    plan.runs, plan.searches, time_text(plan.seconds), plan.stored,
                    plan.without_data == 0
                        ? ""
                        : fmt::format("; {} on datasets that are not here", plan.without_data)));
  };
  hooks.begins = [](const std::string& what, int number, int of, double left) {
    print_note(fmt::format("[{}/{}] {} ({} left)", number, of, what, time_text(left)));
  };
  hooks.done = [](const RunRecord& record) {
    print_note(fmt::format("  test {} {:.4f}, best epoch {} of {}, {:.1f} s", record.metric,
                           value_of(record.test, record.metric), record.best_epoch, record.epochs,
                           record.wall_seconds));
  };
  return hooks;
}

/// Only what was asked for, run or not for a reason; the rest would be lines of "not run".
ReproduceResult asked_for(ReproduceResult result) {
  std::erase_if(result.cells, [](const CellResult& cell) {
    return !cell.wanted || (cell.runs.empty() && cell.trouble.empty());
  });
  std::erase_if(result.spec.samplers, [&](const std::string& sampler) {
    return std::ranges::none_of(result.cells,
                                [&](const CellResult& c) { return c.cell.sampler == sampler; });
  });
  return result;
}

void print_lines(const char* head, const std::vector<std::string>& lines) {
  if (!lines.empty()) fmt::print("\n{}\n", head);
  for (const std::string& line : lines) fmt::print("{}\n", line);
}

void print_result(const ReproduceResult& all, const Reading& reading) {
  const ReproduceResult result = asked_for(all);
  fmt::print("{}: {}\n", result.spec.name, result.spec.title);
  if (result.cells.empty()) {
    fmt::print("not run\n");
    return;
  }
  for (const std::string& kind : kinds_of(result)) {
    if (result.spec.figure) {
      for (const std::string& column : columns_of(result)) {
        fmt::print("\n{}, {} settings\n", column, kind);
        print_table(figure_rows(result, column, kind));
      }
      continue;
    }
    for (const std::string& metric : result.spec.metrics) {
      fmt::print("\n{} settings\n", kind);
      print_table(table_rows(result, kind, metric, reading.paper));
    }
  }
  std::vector<std::string> verdicts, claims;
  for (const ColumnVerdict& verdict : reading.verdicts)
    if (verdict.experiment == result.spec.name) verdicts.push_back(verdict_text(verdict));
  for (const Claim& claim : claims_of(result, reading.verdicts)) claims.push_back(claim.text);
  print_lines("mcns against the strongest other sampler:", verdicts);
  print_lines("what the paper says, and what is seen here:", claims);
}

/// Everything that is written and printed once the runs are over.
void tell(const std::vector<ReproduceResult>& results, const std::string& folder,
          const Flags& flags, const Common& common) {
  const Reading reading{read_paper_figures(folder), read_remarks(folder), judge_columns(results)};
  std::string json, markdown;
  for (const ReproduceResult& result : results) {
    const std::string summary = summary_json(result, reading);
    if (!flags.options.stored)
      write_file_atomically(fmt::format("{}/{}{}.json", flags.options.out, result.spec.name,
                                        flags.options.quick ? "-quick" : ""),
                            summary);
    markdown += summary_markdown(result, reading);
    if (common.json)
      json += (json.empty() ? "" : ",\n") + summary;
    else
      print_result(result, reading);
  }
  write_file_atomically(fmt::format("{}/report.html", flags.options.out),
                        reproduce_page(results, reading));
  if (common.json) fmt::print("{}", flags.name == "all" ? "[" + json + "]\n" : json);
  if (!flags.markdown.empty())
    write_file_atomically(flags.markdown, kHead + markdown + claims_markdown(results, reading));
}

int run(const Flags& flags, const Common& common) {
  const std::string folder = flags.experiments.empty() ? experiments_folder() : flags.experiments;
  const std::vector<std::string> names =
      flags.name == "all" ? experiment_names(folder) : std::vector{flags.name};
  std::vector<ExperimentSpec> specs;
  for (const std::string& name : names) specs.push_back(read_experiment(folder, name));
  std::vector<ReproduceResult> results;
  for (const ExperimentSpec& spec : specs) {
    if (!common.quiet && !flags.options.stored) print_note(spec.name);
    results.push_back(reproduce(spec, flags.options, hooks_of(common)));
    if (results.back().finished) continue;
    print_note("mcns: interrupted; the same command goes on, finished folds are in " +
               flags.options.out);
    return kInterrupted;
  }
  if (flags.options.plan) return 0;
  if (!flags.options.stored && std::ranges::none_of(results, &ReproduceResult::has_data))
    throw_error(ErrorKind::kUsage,
                "none of the datasets is here; $MCNS_DATA names the folder of datasets, `mcns data "
                "list` shows what can be had");
  tell(results, folder, flags, common);
  int failures = 0;
  for (const ReproduceResult& result : results) failures += result.failures;
  if (failures > 0) print_note(fmt::format("mcns: {} cells failed; the others are done", failures));
  return failures > 0 ? 1 : 0;
}

}  // namespace

void add_reproduce(CLI::App& root, Session& session) {
  CLI::App* command = root.add_subcommand("reproduce", "the paper's tables and figures");
  auto flags = std::make_shared<Flags>();
  ReproduceOptions& options = flags->options;
  command
      ->add_option("experiment", flags->name,
                   "table-recommend, table-linkpred, table-classify, fig-degree, fig-params, "
                   "fig-runtime, fig-negatives, fig-inverse-dns, fig-mixing, fig-alpha or all")
      ->type_name("NAME")
      ->required();
  const char* group = "Experiment";
  command->add_option("--only", options.only, "cells, DATASET/MODEL/SAMPLER; * matches any part")
      ->delimiter(',')
      ->type_name("CELLS")
      ->group(group);
  command->add_option("--folds", options.folds, "folds to run; default: those of the paper")
      ->check(whole_number(1, 1000))
      ->group(group);
  command->add_option("--kinds", options.kinds, "settings: paper, tuned; both unless given")
      ->delimiter(',')
      ->type_name("KINDS")
      ->group(group);
  command->add_flag("--quick", options.quick, "a small part of each experiment, in ten minutes")
      ->group(group);
  command->add_flag("--plan", options.plan, "print how long it would take, and run nothing")
      ->group(group);
  command->add_option("--out", options.out, "folder for finished folds and the report")
      ->type_name("DIR")
      ->required()
      ->group(group);
  command->add_flag("--stored", options.stored, "run nothing, show what is in --out")->group(group);
  command->add_option("--markdown", flags->markdown, "write the tables to this file as well")
      ->type_name("FILE")
      ->group(group);
  command
      ->add_option("--experiments", flags->experiments,
                   "folder of the experiments; default: those that came with the program")
      ->type_name("DIR")
      ->group(group);
  const auto common = add_common(*command, kExamples);
  command->callback([=, &session] {
    flags->options.threads = common->threads;
    require(!common->seed_given,
            "reproduce has no --seed: a fold is its own seed, so that its result can be stored and "
            "found again; `mcns compare --seed` repeats with others");
    for (const std::string& kind : flags->options.kinds)
      if (kind != "paper" && kind != "tuned")
        throw_unknown("kind of settings", kind, {"paper", "tuned"});
    session.exit_code = run(*flags, *common);
  });
}

}  // namespace mcns::cli
