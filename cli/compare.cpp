// mcns compare: samplers, or whole settings, on one dataset, with a test of who is better.
#include "mcns/compare/compare.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/io/files.h"
#include "mcns/report/compare_page.h"

#include "cli/arguments.h"
#include "cli/run_flags.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"

namespace mcns::cli {
namespace {

constexpr const char* kExamples =
    "  mcns compare --task recommend --data debian --samplers mcns,dns,rns --seeds 5 --out race\n"
    "  mcns compare --task recommend --data debian --samplers mcns:hardness=8,steps=2 \\\n"
    "      --samplers dns:candidates=8 --baselines popularity,als --seeds 3 --out race\n"
    "  mcns compare --task linkpred --train edges.tsv --samplers mcns,rns --budget seconds \\\n"
    "      --seconds 30 --out race\n"
    "  mcns compare --task recommend --data debian --settings a.toml --settings b.toml --out race\n"
    "\nThe first one is tested against each of the others, paired by seed and, beside it, by user."
    "\nAll have the same split. Finished runs are kept in --out; --resume goes on.\n";

struct CompareFlags : RunFlags {
  std::vector<std::string> samplers, settings;
  std::string budget = "epochs";
  CompareOptions options;
};

/// `mcns:hardness=8,steps=2,dns` are two: a piece with `=` and without a name belongs to the one
/// before.
std::vector<std::string> split_samplers(const std::vector<std::string>& given) {
  std::vector<std::string> out;
  for (const std::string& text : given) {
    bool first = true;
    for (const std::string& piece : CLI::detail::split(text, ',')) {
      const auto equals = piece.find('=');
      const bool parameter = equals != std::string::npos && piece.find(':') > equals;
      if (parameter && !first)
        out.back() += "," + piece;
      else
        out.push_back(piece);
      first = false;
    }
  }
  return out;
}

std::vector<Contestant> contestants_of(const CompareFlags& flags, const CLI::App& command) {
  std::vector<Contestant> out;
  Experiment base = flags.experiment;
  base.output = {};
  if (!base.split.split_seed) base.split.split_seed = static_cast<std::int64_t>(base.random_seed());
  for (const std::string& sampler : split_samplers(flags.samplers)) {
    out.push_back({sampler, base});
    out.back().experiment.train.sampler = sampler;
  }
  for (const std::string& path : flags.settings) {
    out.push_back({std::filesystem::path(path).stem().string(), base});
    for (const auto& [name, value] : training_options(path, command)) {
      const bool given = command.get_option_no_throw("--" + name) != nullptr &&
                         command.get_option("--" + name)->count() > 0;
      if (!given) set_option(out.back().experiment, name, value);
    }
  }
  return out;
}

std::string spread(const MeanAndSpread& summary) {
  return fmt::format("{:.4f} ± {:.4f}", summary.mean, summary.deviation);
}

/// The metrics of the table: what is chosen by, and two that users know.
std::vector<std::string> shown_metrics(const CompareResult& result) {
  std::vector<std::string> out;
  for (const char* name :
       {"mrr", "hits@30", "recall@20", "auc", "ap", "10/micro_f1", "50/micro_f1", "90/micro_f1"})
    if (std::ranges::count(result.rows[0].runs[0].test, name, &Metric::name) > 0)
      out.emplace_back(name);
  return out;
}

std::string p_text(double p) { return p < 1e-4 ? "p < 0.0001" : fmt::format("p = {:.4f}", p); }

void print_differing(const CompareResult& result) {
  if (result.epochs > 0) fmt::print("{} epochs each, none stopped early\n", result.epochs);
  for (const DifferingSetting& setting : differing_settings(result)) {
    std::string values;
    for (const auto& [label, value] : setting.values)
      values += fmt::format("{}{} {}", values.empty() ? "" : ", ", label, value);
    fmt::print("not the same for all: {}: {}\n", setting.name, values);
  }
}

void print_result(const CompareResult& result) {
  const auto metrics = shown_metrics(result);
  std::vector<std::vector<std::string>> rows = {{"", "valid " + result.metric}};
  rows[0].insert(rows[0].end(), metrics.begin(), metrics.end());
  rows[0].insert(rows[0].end(), {"seconds", "sampling", "scoring", "update"});
  for (const auto& row : result.rows) {
    rows.push_back({row.label, spread(summarize_validation(row.runs))});
    for (const std::string& metric : metrics)
      rows.back().push_back(spread(summarize(row.runs, metric)));
    double seconds = 0, sampling = 0, update = 0;
    for (const RunRecord& run : row.runs) {
      seconds += run.seconds / static_cast<double>(row.runs.size());
      sampling += run.sample_seconds / static_cast<double>(row.runs.size());
      update += run.update_seconds / static_cast<double>(row.runs.size());
    }
    rows.back().push_back(fmt::format("{:.2f}", seconds));
    const bool apart = sampling > 0 && update > 0;
    rows.back().push_back(sampling > 0 ? fmt::format("{:.2f}", sampling) : "-");
    rows.back().push_back(apart ? fmt::format("{:.2f}", seconds - sampling - update) : "-");
    rows.back().push_back(update > 0 ? fmt::format("{:.2f}", update) : "-");
  }
  print_table(rows);
  fmt::print("\n");
  print_differing(result);
  for (std::size_t i = 1; i < result.rows.size(); ++i) {
    const auto& row = result.rows[i];
    fmt::print("{} against {}{}: {} {:+.4f}, {} over {} seeds{}: {}\n", result.rows[0].label,
               row.label, result.strongest == i ? " (the strongest other on validation)" : "",
               result.metric, row.against.repeats.difference, p_text(row.p_value),
               row.against.count,
               row.against.users
                   ? fmt::format(", {:+.4f}, {} over {} users", row.against.users->difference,
                                 p_text(row.against.users->p_value), row.against.user_count)
                   : "",
               verdict_name(row.verdict));
  }
}

int run_compare(const CompareFlags& flags, const std::vector<Contestant>& contestants,
                const Common& common) {
  CompareHooks hooks;
  hooks.interrupted = &interrupted_by_signal();
  hooks.warning = [](const std::string& text) { print_note("mcns: warning: " + text); };
  if (!common.quiet) {
    hooks.begins = [](const std::string& what, int number, int of) {
      print_note(fmt::format("[{}/{}] {}", number, of, what));
    };
    hooks.done = [](const RunRecord& record, bool before) {
      print_note(fmt::format("  test {} {:.4f}, {} epochs, {:.1f} s{}", record.metric,
                             value_of(record.test, record.metric), record.epochs, record.seconds,
                             before ? ", from before" : ""));
    };
  }
  const CompareResult result = compare(contestants, flags.options, hooks);
  if (!result.finished) {
    print_interrupted(flags.options.out);
    return kInterrupted;
  }
  const std::string json = compare_json(result);
  write_file_atomically(flags.options.out + "/compare.json", json);
  write_file_atomically(flags.options.out + "/report.html", compare_page(result));
  if (common.json)
    fmt::print("{}", json);
  else
    print_result(result);
  return 0;
}

/// An existing folder is another comparison's until the user says otherwise.
void prepare_folder(const OutputOptions& output) {
  namespace fs = std::filesystem;
  require(!output.out.empty(), "compare needs --out DIR");
  if (!fs::exists(output.out)) return;
  if (!output.force && !output.resume)
    throw_error(ErrorKind::kUsage,
                "{} exists; --resume goes on with the runs in it, --force starts anew", output.out);
  if (!output.force) return;
  for (const char* part : {"runs", "tuned", "pace"}) fs::remove_all(fs::path(output.out) / part);
}

}  // namespace

void add_compare(CLI::App& root, Session& session) {
  CLI::App* command =
      root.add_subcommand("compare", "samplers or settings side by side, with a paired test");
  auto flags = std::make_shared<CompareFlags>();
  add_run_flags(*command, *flags);
  command->get_option("--task")->required();
  for (const char* name :
       {"--checkpoint-every", "--other-kernels", "--tensorboard", "--sampler", "--plan", "--init"})
    command->remove_option(command->get_option(name));
  command->get_option("--out")->description("folder for the runs, compare.json and report.html");
  command->get_option("--force")->description("start anew in a folder that exists");
  command->get_option("--resume")->description("go on with the runs in --out");
  const char* group = "Comparison";
  command
      ->add_option("--samplers", flags->samplers,
                   "samplers, separated by commas; may be repeated; the first is tested against "
                   "the others")
      ->type_name("A,B,...")
      ->group(group);
  command
      ->add_option("--settings", flags->settings,
                   "a settings file (TOML or run.json) as a contestant; may be repeated")
      ->type_name("FILE")
      ->group(group);
  command->add_option("--seeds", flags->options.seeds, "runs of each, from --seed on")
      ->check(whole_number(1, 1000000))
      ->capture_default_str()
      ->group(group);
  command
      ->add_option("--budget", flags->budget,
                   "what all have alike: epochs, seconds of training (neither stops early), or the "
                   "effort of tuning")
      ->type_name("{epochs,seconds,tuning}")
      ->capture_default_str()
      ->group(group);
  command->add_option("--seconds", flags->options.seconds, "--budget seconds: of each run")
      ->group(group);
  command
      ->add_option("--tune", flags->options.tune,
                   "--budget tuning: settings that are tried for each on validation pairs")
      ->check(whole_number(0, 10000))
      ->group(group);
  command
      ->add_option("--baselines", flags->options.baselines,
                   "methods without negatives beside them: popularity, als")
      ->delimiter(',')
      ->type_name("NAMES")
      ->group(group);
  const auto common = add_common(*command, kExamples);
  command->callback([=, &session] {
    finish_run_flags(*flags, *common, session);
    flags->options.budget = parse_budget(flags->budget);
    flags->options.out = flags->experiment.output.out;
    const auto contestants = contestants_of(*flags, *command);
    prepare_folder(flags->experiment.output);
    session.exit_code = run_compare(*flags, contestants, *common);
  });
}

}  // namespace mcns::cli
