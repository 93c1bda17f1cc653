// mcns run: split the data or take a split, train, evaluate.
#include "cli/run_flags.h"

namespace mcns::cli {
namespace {

constexpr const char* kExamples =
    "  mcns run --task recommend --data debian --out model\n"
    "  mcns run --task linkpred --train edges.tsv --out model\n"
    "  mcns run --task classify --train edges.tsv --labels labels.tsv --sampler degree\n"
    "  mcns run --task recommend --train a.tsv --valid b.tsv --test c.tsv --plan\n"
    "  mcns run --config model/run.json --epochs 30 --out model2\n"
    "\nDefaults depend on task, encoder and sampler; --plan shows them.\n";

}  // namespace

void add_run(CLI::App& root, Session& session) {
  CLI::App* command = root.add_subcommand("run", "split the data or take a split, train, evaluate");
  auto flags = std::make_shared<RunFlags>();
  add_run_flags(*command, *flags);
  command->get_option("--task")->required();
  const auto common = add_common(*command, kExamples);
  command->callback([=, &session] {
    finish_run_flags(*flags, *common, session);
    session.exit_code = run_with_progress(*flags, *common);
  });
}

}  // namespace mcns::cli
