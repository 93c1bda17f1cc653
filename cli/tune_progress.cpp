#include "cli/tune_progress.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "mcns/core/plain_text.h"

#include "cli/command_tree.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/train_flags.h"

namespace mcns::cli {
namespace {

std::string changes_text(const TunedSettings& changes) {
  std::string out;
  for (const auto& [name, value] : changes)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, value);
  return out.empty() ? "the defaults" : out;
}

std::string value_text(double value) {
  return std::isnan(value) ? "failed" : fmt::format("{:.4f}", value);
}

}  // namespace

void TuneProgress::rung_begins(const Rung& rung) {
  line_.clear();
  rung_ = rung;
  done_ = 0;
  start_ = std::chrono::steady_clock::now();
  print_note(fmt::format("rung {}/{}: {} settings, {} epoch{} each", rung.number, rung.of,
                         rung.settings.size(), rung.epochs, rung.epochs == 1 ? "" : "s"));
}

void TuneProgress::progressed(double share) {
  if (!line_.interactive() || !line_.is_due()) return;
  const double spent =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  line_.draw({{fmt::format("{:>3}/{} settings", done_, rung_.settings.size()), 1},
              {"", 3, Terminal::kCyan, share},
              {fmt::format("{:5.1f}%", 100 * share), 0},
              {share > 0 ? clock_time(spent * (1 - share) / share) + " left" : "", 2}});
}

void TuneProgress::trial_done(const Trial& trial) {
  ++done_;
  if (line_.interactive()) return;
  const std::string value = trial.value ? value_text(*trial.value) : "failed: " + trial.error;
  print_note(fmt::format("setting {} ({}): {}{}", trial.setting, changes_text(trial.changes), value,
                         trial.from_before ? ", from before" : ""));
}

TuneHooks tune_hooks(TuneProgress& progress, const Common& common) {
  TuneHooks hooks;
  hooks.interrupted = &interrupted_by_signal();
  if (common.quiet) return hooks;
  hooks.observer = &progress;
  hooks.ready = [](const Dataset& data, const Plan&) { print_data(data); };
  return hooks;
}

void print_tuning(const TuneResult& result) {
  constexpr std::size_t kMany = 30;
  std::vector<std::string> names;
  for (const Dimension& dimension : result.dimensions) names.push_back(dimension.name);
  for (const TuneResult::Row& row : result.rows)  // choices may have opened more
    for (const auto& [name, value] : row.changes)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  std::vector<std::vector<std::string>> table(1, {"setting"});
  table[0].insert(table[0].end(), names.begin(), names.end());
  for (const int epochs : result.rung_epochs) table[0].push_back(fmt::format("{} ep", epochs));
  for (std::size_t r = 0; r < result.rows.size(); ++r) {
    const TuneResult::Row& row = result.rows[r];
    if (result.rows.size() > kMany && r > 0 && row.values.size() < 2) continue;
    std::vector<std::string> cells = {std::to_string(row.setting)};
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto change = row.changes.find(names[i]);
      const bool defaults = r == 0 && i < result.dimensions.size();
      cells.push_back(change != row.changes.end() ? change->second
                      : defaults                  ? result.dimensions[i].value
                                                  : "-");
    }
    for (const double value : row.values) cells.push_back(value_text(value));
    if (static_cast<int>(r) == result.best) cells.back() += " best";
    table.push_back(std::move(cells));
  }
  const std::size_t left_out = result.rows.size() + 1 - table.size();
  print_table(table);
  if (left_out > 0) fmt::print("and {} settings that were given up after rung 1\n", left_out);
  const std::string before =
      result.from_before > 0 ? fmt::format(", {} from before", result.from_before) : "";
  fmt::print("\nvalues: validation {}; cost: {:.1f} full runs ({} trials{}), {:.1f} s\n",
             result.metric, result.full_runs, result.trials, before, result.seconds);
}

std::string tuned_text(const TuneResult& result) {
  const TuneResult::Row& best = result.rows[result.best];
  const std::string value =
      fmt::format("validation {} {}", result.metric, value_text(best.values.back()));
  return fmt::format("{}; {} after {} epochs", changes_text(result.tuned), value,
                     result.rung_epochs.back());
}

std::string typed_flags(const CLI::App& command, const std::set<std::string>& without) {
  std::string out;
  for (const CLI::Option* option : flag_options(command)) {
    const std::string name = names_of(*option)[0];
    if (option->count() == 0 || without.contains(name)) continue;
    const bool flag = option->get_items_expected_max() == 0;
    const std::string value = CLI::detail::join(option->results(), ",");
    if (flag && value == "true")
      out += " " + name;
    else
      out += fmt::format(" {}{}{}", name, flag ? "=" : " ", quoted(value));
  }
  return out;
}

}  // namespace mcns::cli
