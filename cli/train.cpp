// mcns train: learn embeddings from a whole graph and write a model directory.
#include "mcns/core/error.h"

#include "cli/train_flags.h"

namespace mcns::cli {
namespace {

constexpr const char* kExamples =
    "  mcns train edges.tsv --out model\n"
    "  mcns train ratings.csv.gz --bipartite separate --dim 128 --out model\n"
    "  mcns train train.tsv --valid valid.tsv --bipartite separate --out model\n"
    "  mcns train graph.mtx --model node2vec --positives node2vec:p=0.5,q=2 --out model\n"
    "  mcns train more_edges.tsv --init model --out model2\n"
    "  mcns train edges.tsv --sampler dns:candidates=16 --plan\n"
    "\nDefaults depend on the graph, encoder and sampler; --plan shows them.\n";

}  // namespace

void add_train(CLI::App& root, Session& session) {
  CLI::App* command =
      root.add_subcommand("train", "learn embeddings from a whole graph, without a test");
  auto flags = std::make_shared<TrainFlags>();
  command
      ->add_option("graph", flags->experiment.files.train, "file with edges, in any known format")
      ->required();
  command
      ->add_option(
          "--valid", flags->experiment.files.valid,
          "file with held-out pairs for early stopping; of a graph that is not user-item a "
          "third column may be a label 0 or 1, else as many non-edges are drawn")
      ->type_name("FILE")
      ->group(group_name(OptionGroup::kData));
  add_train_flags(*command, *flags);
  const auto common = add_common(*command, kExamples);
  command->callback([=, &session] {
    require(flags->plan || !flags->experiment.output.out.empty(), "train needs --out DIR");
    finish_train_flags(*flags, *common, session);
    session.exit_code = run_with_progress(*flags, *common);
  });
}

}  // namespace mcns::cli
