// mcns data check: finds leaks and other defects in a split of any origin. Exits with 3 on leaks.
#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/io/delimited.h"
#include "mcns/splits/leaks.h"

#include "cli/split_flags.h"
#include "cli/table.h"

namespace mcns::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples =
    "  mcns data check --task linkpred --train train.tsv --valid valid.tsv --test test.tsv\n"
    "  mcns data check --task recommend --bipartite shared --train a.tsv --test b.tsv --json\n"
    "\nEvery line counts as it is written: --duplicates and --self-loops change nothing here.\n"
    "Exit code: 0 clean (notices may be printed), 3 where pairs leak between the files.\n";

struct Flags : SplitFlags {
  DatasetFiles files;
};

bool is_unseen(FindingKind kind) {
  return kind == FindingKind::kUnseenNode || kind == FindingKind::kUnseenUser ||
         kind == FindingKind::kUnseenItem;
}

std::string_view severity_name(Severity severity) {
  return severity == Severity::kLeak ? "leak" : "notice";
}

Json to_json(const Finding& finding) {
  Json out = {{"kind", finding_name(finding.kind)},
              {"severity", severity_name(finding.severity)},
              {"file", part_name(finding.part)}};
  if (finding.other != finding.part) out["against"] = part_name(finding.other);
  if (is_unseen(finding.kind)) {
    out["lines"] = finding.lines;
  } else if (finding.part != Part::kTrain) {
    out["label"] = finding.label;
  }
  out.update({{"count", finding.count}, {"of", finding.of}, {"text", as_utf8(describe(finding))}});
  out["examples"] = Json::array();
  for (const auto& example : finding.examples) {
    Json fields = Json::array();
    for (const std::string& field : example) fields.push_back(as_utf8(field));
    out["examples"].push_back(std::move(fields));
  }
  return out;
}

std::string examples_of(const Finding& finding) {
  std::vector<std::string> pairs;
  for (const auto& ids : finding.examples) pairs.push_back(fmt::format("{}", fmt::join(ids, " ")));
  return fmt::format("{}{}", fmt::join(pairs, ", "),
                     finding.count > std::ssize(pairs) ? ", ..." : "");
}

void print_report(const RawSplit& split, const LeakReport& report, std::int64_t leaks) {
  fmt::print("train {} lines, valid {}, test {}; {} nodes\n", split.train.size(),
             split.valid.pairs.size(), split.test.pairs.size(), split.names.size());
  if (report.findings.empty()) {
    fmt::print("clean: nothing found\n");
    return;
  }
  std::vector<std::vector<std::string>> rows = {{"", "count", "of", "what", "examples"}};
  for (const Finding& finding : report.findings) {
    std::string what = describe(finding);
    if (is_unseen(finding.kind)) what += fmt::format(" (on {} lines)", finding.lines);
    rows.push_back({std::string(severity_name(finding.severity)), std::to_string(finding.count),
                    std::to_string(finding.of), what, examples_of(finding)});
  }
  print_table(rows);
  const auto notices = std::ssize(report.findings) - leaks;
  fmt::print("{}; kinds of leaks: {}, notices: {}\n", leaks > 0 ? "leaks found" : "no leaks", leaks,
             notices);
}

void check(Flags& flags, const Common& common, Session& session) {
  finish_split_flags(flags);
  ThreadPool pool(common.threads);
  const RawSplit split = read_split(flags.files, flags.task, flags.load, pool);
  const bool undirected = flags.task == Task::kLinkpred && !flags.load.is_directed();
  const LeakReport report = check_split(split, {undirected});
  const std::int64_t leaks = report.leaks();
  if (leaks > 0) session.exit_code = static_cast<int>(ErrorKind::kData);
  if (!common.json) {
    print_report(split, report, leaks);
    return;
  }
  auto findings = Json::array();
  for (const Finding& finding : report.findings) findings.push_back(to_json(finding));
  const Json document = {{"task", flags.task_name},
                         {"clean", leaks == 0},
                         {"lines",
                          {{"train", split.train.size()},
                           {"valid", split.valid.pairs.size()},
                           {"test", split.test.pairs.size()}}},
                         {"nodes", split.names.size()},
                         {"findings", findings}};
  fmt::print("{}\n", document.dump(2));
}

}  // namespace

void add_data_check(CLI::App& data, Session& session) {
  CLI::App* command = data.add_subcommand("check", "find leaks and other defects in a split");
  const auto flags = std::make_shared<Flags>();
  add_split_flags(*command, *flags);
  command->add_option("--train", flags->files.train, "file with training edges")
      ->type_name("FILE")
      ->required();
  command->add_option("--valid", flags->files.valid, "file with held-out pairs for early stopping")
      ->type_name("FILE");
  command->add_option("--test", flags->files.test, "file with held-out pairs, scored at the end")
      ->type_name("FILE");
  const auto common = add_common(*command, kExamples);
  command->callback([=, &session] { check(*flags, *common, session); });
}

}  // namespace mcns::cli
