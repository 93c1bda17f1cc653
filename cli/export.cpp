// mcns export: vectors of a model for other tools.
#include "mcns/model/export.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/terminal.h"

namespace mcns::cli {
namespace {

void run_export(const ExportOptions& options, const Common& common) {
  const ExportReport report = export_model(options);
  if (common.json) {
    const nlohmann::ordered_json document{{"vectors", report.vectors},
                                          {"dim", report.dim},
                                          {"ids_with_blanks", report.blanks},
                                          {"prefixed", report.prefixed},
                                          {"out", options.out}};
    fmt::print("{}\n", document.dump(2));
    return;
  }
  if (common.quiet) return;
  fmt::print("{}: {} vectors of {}\n", options.out, report.vectors, report.dim);
  if (report.blanks > 0)
    print_note(fmt::format(
        "mcns: note: ids with blanks: {}; blanks are _ in word2vec, where an id is one word",
        report.blanks));
  if (report.prefixed)
    print_note(
        "mcns: note: an id is both a user and an item, so ids are user:ID and item:ID; --kind user "
        "or --kind item writes one side with its own ids");
}

}  // namespace

void add_export(CLI::App& root, Session&) {
  CLI::App* command = root.add_subcommand("export", "write the vectors of a model for other tools");
  auto options = std::make_shared<ExportOptions>();
  const auto words = [](const std::vector<std::string>& list) {
    return "{" + CLI::detail::join(list, ",") + "}";
  };
  command->add_option("model", options->model, "model directory")->required();
  command
      ->add_option(
          "--to", options->to,
          "word2vec: text that gensim reads; word2vec-bin: the same in binary; tsv: id and "
          "numbers, no header; npz: arrays ids and vectors")
      ->type_name(words(export_formats()))
      ->required();
  command->add_option("--out", options->out, "file to write")->type_name("FILE")->required();
  command->add_flag("--unit", options->unit, "divide every vector by its length");
  command->add_option("--kind", options->kind, "user-item graphs: only users or only items")
      ->type_name("{user,item}");
  command
      ->add_option("--table", options->table,
                   "node vectors, context vectors, or those that scores multiply: with two tables "
                   "the node vectors of users and the context vectors of items; default: scores on "
                   "user-item graphs, else node")
      ->type_name(words(export_tables()));
  const auto common =
      add_common(*command,
                 "  mcns export model --to word2vec --out vectors.txt\n"
                 "  mcns export model --to npz --unit --kind item --out items.npz\n"
                 "\nIn Python: gensim.models.KeyedVectors.load_word2vec_format('vectors.txt')\n");
  command->callback([=] { run_export(*options, *common); });
}

}  // namespace mcns::cli
