// mcns run: split (or take a split), train, evaluate: one cell of a table.
#include "cli/run_flags.h"

namespace mcns::cli {
namespace {

constexpr const char* kExamples =
    "  mcns run --task recommend --data debian --out model\n"
    "  mcns run --task linkpred --train edges.tsv --out model\n"
    "  mcns run --task classify --train edges.tsv --labels labels.tsv --sampler degree\n"
    "  mcns run --task recommend --train a.tsv --valid b.tsv --test c.tsv --bipartite separate\n";

}  // namespace

void add_run(CLI::App& root, Session& session) {
  CLI::App* command =
      root.add_subcommand("run", "split (or take a split), train, evaluate: one cell of a table");
  const auto common = add_common(*command, kExamples);
  auto flags = std::make_shared<RunFlags>();
  add_run_flags(*command, *flags);
  command->get_option("--task")->required();
  command->callback([=, &session] {
    finish_run_flags(*flags, *common, session);
    session.exit_code = run_with_progress(*flags, *common);
  });
}

}  // namespace mcns::cli
