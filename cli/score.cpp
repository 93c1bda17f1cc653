// mcns score: the scores of given pairs.
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/io/delimited.h"
#include "mcns/io/text_file.h"
#include "mcns/model/evaluate.h"
#include "mcns/model/scores.h"

#include "cli/command.h"
#include "cli/load_flags.h"

namespace mcns::cli {
namespace {

struct ScoreFlags {
  std::string model, pairs = "-", out;
  LoadOptions load;
};

void run_score(const ScoreFlags& flags, const Common& common) {
  ThreadPool pool(common.threads);
  const LoadedModel model = load_model_directory(flags.model);
  const std::vector<Pair> pairs = read_pairs(flags.pairs, model, false, flags.load, pool).pairs;
  const std::vector<float> scores =
      score_pairs(saved_score_tables(model, flags.model), pairs, pool);
  const bool user_item = model.graph.is_bipartite();
  const char *first = user_item ? "user" : "source", *second = user_item ? "item" : "target";
  // A file has the ids as they are; bytes that are no UTF-8 could be commands to a terminal.
  const auto shown = [&](const std::string& id) { return flags.out.empty() ? as_utf8(id) : id; };
  std::string text = fmt::format("{}\t{}\tscore\n", first, second);
  auto results = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::string source = model.names.name(pairs[i].source);
    const std::string target = model.names.name(pairs[i].target);
    text += fmt::format("{}\t{}\t{}\n", shown(source), shown(target), scores[i]);
    if (common.json)
      results.push_back(
          {{first, as_utf8(source)}, {second, as_utf8(target)}, {"score", scores[i]}});
  }
  if (!flags.out.empty()) {
    TextFile file(flags.out);
    file.write(text);
    file.commit();
  }
  if (common.json) {
    nlohmann::ordered_json document{{"pairs", pairs.size()}};
    if (flags.out.empty())
      document["results"] = std::move(results);
    else
      document["out"] = flags.out;
    fmt::print("{}\n", document.dump(2));
  } else if (flags.out.empty()) {
    fmt::print("{}", text);
  } else if (!common.quiet) {
    fmt::print("{}: {} scores\n", flags.out, pairs.size());
  }
}

}  // namespace

void add_score(CLI::App& root, Session&) {
  CLI::App* command = root.add_subcommand("score", "scores of given pairs");
  auto flags = std::make_shared<ScoreFlags>();
  command->add_option("model", flags->model, "model directory")->required();
  command
      ->add_option("pairs", flags->pairs,
                   "file with a pair of ids per line, user and item or source and target; -: "
                   "standard input")
      ->capture_default_str();
  command
      ->add_option("--out", flags->out,
                   "file to write, with tabs (also .gz, .zst); default: stdout")
      ->type_name("FILE");
  add_table_flags(*command, flags->load);
  const auto common = add_common(*command,
                                 "  mcns score model pairs.tsv --out scores.tsv\n"
                                 "  cut -f 1,2 ratings.tsv | mcns score model -\n");
  command->callback([=] { run_score(*flags, *common); });
}

}  // namespace mcns::cli
