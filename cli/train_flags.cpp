#include "cli/train_flags.h"

#include <algorithm>
#include <charconv>
#include <memory>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/core/plain_text.h"
#include "mcns/io/files.h"
#include "mcns/report/run_page.h"

#include "cli/interrupt.h"
#include "cli/load_flags.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"

namespace mcns::cli {
namespace {

void print_plan(const ExperimentPlan& plan, bool json) {
  if (json) {
    fmt::print("{}", plan.json);
    return;
  }
  std::vector<std::vector<std::string>> rows = {{"setting", "value", "from"}};
  for (const Setting& setting : plan.settings)
    rows.push_back({setting.name, setting.value, origin_name(setting.from)});
  print_table(rows);
  if (!plan.rules.empty()) fmt::print("\ndefaults that follow the data\n");
  for (const Rule& rule : plan.rules)
    fmt::print("  {} = {}\n    with {}\n", rule.setting, rule.formula, rule.numbers_text());
  fmt::print("\nmemory: {}\n", readable_bytes(total_bytes(plan.memory)));
}

void print_result(const TrainFlags& flags, const ExperimentResult& result) {
  if (!result.test.empty())
    print_metrics(result.valid, result.test, result.valid_deviation, result.test_deviation);
  if (flags.experiment.split.groups.value_or(false)) {
    fmt::print("\n");
    print_groups(result.test_groups);
  }
  const std::string& out = flags.experiment.output.out;
  if (!out.empty()) fmt::print("model: {0}\nreport: {0}/report.html\n", out);
}

/// What is learned is safe already: a report that cannot be made is no failure of the run.
void write_report(const Experiment& experiment) {
  const std::string& out = experiment.output.out;
  if (out.empty()) return;
  try {
    ThreadPool pool(experiment.threads);
    write_file_atomically(out + "/report.html", run_page("Report of " + out, {out}, pool));
  } catch (const std::exception& error) {
    print_note(fmt::format("mcns: warning: no report: {}", error.what()));
  }
}

/// Puts bytes in the place of a size such as 500M, 8G or 8GiB; returns what is wrong with it.
std::string size_in_bytes(std::string& text) {
  constexpr std::string_view kUnits = "kmgtpe";
  constexpr std::size_t kMostShift = 60;  // an exbibyte
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string number = text.substr(0, digits);
  const std::string unit = CLI::detail::to_lower(text.substr(digits));
  bool known = unit.empty() || unit == "b";
  std::size_t shift = 0;
  if (!known) {
    const auto at = kUnits.find(unit[0]);
    const std::string rest = unit.substr(1);
    known = at != kUnits.npos && (rest.empty() || rest == "b" || rest == "i" || rest == "ib");
    if (known) shift = 10 * (at + 1);
  }
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (!known || !is_plain_integer(number) || code != std::errc() || value == 0 ||
      value > std::uint64_t{1} << (kMostShift - shift))
    return fmt::format("expected a size of at least 1 byte and at most 1E, as 500M or 8G, got '{}'",
                       text);
  text = std::to_string(value << shift);
  return "";
}

}  // namespace

void print_data(const Dataset& data) {
  const Graph& graph = data.graph;
  const std::string nodes =
      graph.is_bipartite() ? fmt::format("{} users, {} items", graph.num_users(), graph.num_items())
                           : fmt::format("{} nodes", graph.num_nodes());
  std::string text = fmt::format("data: {}, {} training edges", nodes, graph.num_edges());
  if (data.report.nodes_unseen > 0)
    text += fmt::format(", {} nodes unseen in train kept", data.report.nodes_unseen);
  print_note(text);
}

void print_interrupted(const std::string& out) {
  if (out.empty())
    print_note("mcns: interrupted; nothing saved, as no --out was given");
  else
    print_note("mcns: interrupted; the same command with --resume continues from " + out);
}

const char* group_name(OptionGroup group) {
  constexpr const char* kNames[] = {"Data", "Model", "Sampler", "Training", "Output"};
  return kNames[static_cast<int>(group)];
}

void add_train_flags(CLI::App& command, TrainFlags& flags) {
  add_load_flags(command, flags.experiment.load);
  add_options(command, flags.experiment.train);
  auto& output = flags.experiment.output;
  const char* group = group_name(OptionGroup::kOutput);
  command.add_option("--out", output.out, "model directory to write")
      ->type_name("DIR")
      ->group(group);
  command
      .add_flag("--plan", flags.plan,
                "print every setting with its origin, and the memory needed; train nothing")
      ->group(group);
  command.add_flag("--force", output.force, "replace the model in --out")->group(group);
  command
      .add_flag("--resume", output.resume, "continue from the checkpoint in --out, if there is one")
      ->group(group);
  command
      .add_flag("--other-kernels", output.other_kernels,
                "continue, too, where this CPU's kernels are not the checkpoint's: the result will "
                "not have the bits of an uninterrupted run")
      ->group(group);
  command
      .add_option("--checkpoint-every", output.checkpoint_every,
                  "epochs between checkpoints; 0: about every two minutes")
      ->check(whole_number<int>())
      ->group(group);
  command
      .add_option("--memory", output.memory,
                  "memory that the run may take, as 500M or 8G; more is refused before it begins "
                  "(default: what the machine has)")
      ->type_name("SIZE")
      ->transform(CLI::Validator(size_in_bytes, ""))
      ->group(group);
  command
      .add_option("--tensorboard", output.tensorboard,
                  "folder for event files of TensorBoard, written after every epoch")
      ->type_name("DIR")
      ->group(group);
  command.add_option("--init", output.init, "start from the parameters of this model directory")
      ->type_name("DIR")
      ->group(group);
}

void finish_train_flags(TrainFlags& flags, const Common& common, const Session& session) {
  Experiment& e = flags.experiment;
  if (common.seed_given) e.seed = common.seed;
  e.threads = common.threads;
  e.from_config = session.from_config;
  e.config = common.config;
}

ExperimentResult train_with_progress(const TrainFlags& flags, const Common& common,
                                     ExperimentHooks hooks) {
  std::unique_ptr<Progress> progress;
  struct Relay final : Observer {
    std::unique_ptr<Progress>& inner;
    explicit Relay(std::unique_ptr<Progress>& progress) : inner(progress) {}
    void batch_done(std::int64_t epoch, std::int64_t batch, std::int64_t batches,
                    const StepTotals& totals) override {
      if (inner) inner->batch_done(epoch, batch, batches, totals);
    }
    void epoch_done(const EpochRecord& record) override {
      if (inner) inner->epoch_done(record);
    }
  } relay(progress);
  hooks.interrupted = &interrupted_by_signal();
  hooks.observer = &relay;
  const auto also = hooks.ready;
  hooks.ready = [&](const Dataset& data, const Plan& plan) {
    if (also) also(data, plan);
    if (common.quiet) return;
    print_data(data);
    progress = std::make_unique<Progress>(*plan.options.epochs);
  };
  if (!common.quiet)
    hooks.notice = [](const std::string& text) { print_note("mcns: note: " + text); };
  // Doubtful figures are no progress: --quiet does not hide them.
  hooks.warning = [&](const std::string& text) {
    progress.reset();
    print_note("mcns: warning: " + text);
  };
  ExperimentResult result = run_experiment(flags.experiment, hooks);
  progress.reset();
  if (!result.finished) print_interrupted(flags.experiment.output.out);
  return result;
}

int run_with_progress(const TrainFlags& flags, const Common& common) {
  if (flags.plan) {
    print_plan(plan_experiment(flags.experiment), common.json);
    return 0;
  }
  const ExperimentResult result = train_with_progress(flags, common);
  if (!result.finished) return kInterrupted;
  write_report(flags.experiment);
  if (common.json)
    fmt::print("{}", result.metrics_json);
  else
    print_result(flags, result);
  return 0;
}

}  // namespace mcns::cli
