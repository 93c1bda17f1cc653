// mcns selftest samplers: draws of every sampler against its closed form, p-values as a table.
// Exits with 1 where a sampler does not draw from its distribution, as the broken ones of --broken.
#include "mcns/theory/selftest.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/theory/training_selftest.h"

#include "cli/command.h"
#include "cli/table.h"

namespace mcns::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples =
    "  mcns selftest samplers\n"
    "  mcns selftest samplers --broken     # wrong on purpose: exits with 1\n"
    "  mcns selftest samplers --training   # while models train\n"
    "  mcns selftest samplers --seed 7 --json\n";

/// What a row means to the reader: a broken sampler that fails is caught.
std::string verdict(const SelftestRow& row, bool broken) {
  if (!broken || row.name == "control-chain") return row.holds ? "holds" : "FAILS";
  return row.holds ? "NOT CAUGHT" : "caught";
}

void print_text(const std::vector<SelftestRow>& rows, bool broken) {
  std::vector<std::vector<std::string>> table = {{"sampler", "graph", "filter", "source", "draws",
                                                  "p-value", "TV", "ESS of states", "verdict"}};
  for (const SelftestRow& row : rows)
    table.push_back(
        {row.spec, row.graph, row.filter, std::to_string(row.source), std::to_string(row.draws),
         row.p_value ? fmt::format("{:.2g}", *row.p_value) : "-",
         fmt::format("{:.4f}", row.total_variation),
         row.states ? fmt::format("{:.0f} of {}", *row.effective_sample_size, *row.states) : "-",
         verdict(row, broken)});
  print_table(table);
  const auto held = std::ranges::count(rows, true, &SelftestRow::holds);
  fmt::print(
      "\n{} of {} rows hold: p-value above {}, or, where there is none, total variation below {}\n",
      held, rows.size(), kErrorRate, kLargestDistance);
}

Json to_json(const std::vector<SelftestRow>& rows, bool broken, std::uint64_t seed) {
  auto list = Json::array();
  for (const SelftestRow& row : rows) {
    Json item = {{"name", row.name},     {"spec", row.spec},     {"graph", row.graph},
                 {"filter", row.filter}, {"source", row.source}, {"draws", row.draws}};
    if (row.p_value) item["p_value"] = *row.p_value;
    item["total_variation"] = row.total_variation;
    if (row.states) {
      item["states"] = *row.states;
      item["effective_sample_size"] = *row.effective_sample_size;
    }
    item["holds"] = row.holds;
    item["verdict"] = verdict(row, broken);
    list.push_back(std::move(item));
  }
  return {{"seed", seed},
          {"error_rate", kErrorRate},
          {"largest_distance", kLargestDistance},
          {"holds", all_hold(rows)},
          {"samplers", list}};
}

void print_training(const std::vector<TrainingRow>& rows) {
  std::vector<std::vector<std::string>> table = {
      {"sampler", "task", "encoder", "draws", "mean quantile", "above 99 %", "verdict"}};
  for (const TrainingRow& row : rows)
    table.push_back({row.sampler, row.task, row.encoder, std::to_string(row.draws),
                     fmt::format("{:.3f} (declared {:.3f})", row.quantile, row.declared_quantile),
                     fmt::format("{:.1f} % ({:.1f} %)", 100 * row.above, 100 * row.declared_above),
                     row.holds ? "holds" : "FAILS"});
  print_table(table);
  fmt::print(
      "\n{} of {} rows hold: the mean quantile of drawn scores within {} of what is declared, the "
      "share above the 99 % quantile within {} % of its own size and one percent\n",
      std::ranges::count(rows, true, &TrainingRow::holds), rows.size(), kQuantileMargin,
      100 * kShareMargin);
}

Json to_json(const std::vector<TrainingRow>& rows, std::uint64_t seed) {
  auto list = Json::array();
  for (const TrainingRow& row : rows)
    list.push_back({{"spec", row.sampler},
                    {"task", row.task},
                    {"encoder", row.encoder},
                    {"draws", row.draws},
                    {"quantile", row.quantile},
                    {"declared_quantile", row.declared_quantile},
                    {"above_99", row.above},
                    {"declared_above_99", row.declared_above},
                    {"holds", row.holds}});
  return {{"seed", seed},
          {"holds", std::ranges::all_of(rows, &TrainingRow::holds)},
          {"samplers", list}};
}

}  // namespace

void add_selftest(CLI::App& root, Session& session) {
  CLI::App* selftest = root.add_subcommand("selftest", "statistical tests of the program itself");
  selftest->footer("`mcns help selftest COMMAND` shows the options of a command.");
  selftest->require_subcommand(1);
  CLI::App* command = selftest->add_subcommand(
      "samplers", "test the draws of every sampler against its closed form");
  const auto broken = std::make_shared<bool>(false), training = std::make_shared<bool>(false);
  command->add_flag("--broken", *broken, "test samplers that are wrong on purpose; exits with 1");
  command
      ->add_flag("--training", *training,
                 "test adaptive samplers while small models train, every task and encoder")
      ->excludes("--broken");
  const auto common = add_common(*command, kExamples);
  command->callback([=, &session] {
    ThreadPool pool(common->threads);
    if (*training) {
      const auto rows = selftest_training(common->seed, pool);
      if (!std::ranges::all_of(rows, &TrainingRow::holds))
        session.exit_code = static_cast<int>(ErrorKind::kRuntime);
      if (common->json)
        fmt::print("{}\n", to_json(rows, common->seed).dump(2));
      else
        print_training(rows);
      return;
    }
    const auto rows = *broken ? selftest_broken_samplers(common->seed, pool)
                              : selftest_samplers(common->seed, pool);
    if (!all_hold(rows)) session.exit_code = static_cast<int>(ErrorKind::kRuntime);
    if (common->json)
      fmt::print("{}\n", to_json(rows, *broken, common->seed).dump(2));
    else
      print_text(rows, *broken);
  });
}

}  // namespace mcns::cli
