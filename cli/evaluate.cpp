// mcns evaluate: score a model directory on a task. Vectors of another tool, in a file or in a
// folder with embeddings.npy and nodes.tsv, are scored by the same evaluators; --train then gives
// the pairs to mask.
#include "mcns/model/evaluate.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/core/error.h"

#include "cli/load_flags.h"
#include "cli/table.h"

namespace mcns::cli {
namespace {

constexpr const char* kExamples =
    "  mcns evaluate model --task recommend --valid valid.tsv --test test.tsv\n"
    "  mcns evaluate model --task classify --labels labels.tsv\n"
    "  mcns evaluate theirs --train edges.tsv --task linkpred --test pairs.tsv\n"
    "  mcns evaluate vectors.npy --nodes ids.txt --task classify --labels labels.tsv\n"
    "  mcns evaluate word2vec.txt --train train.tsv --task recommend --test test.tsv\n";

nlohmann::ordered_json to_json(const Metrics& metrics) {
  nlohmann::ordered_json out;
  for (const auto& [name, value] : metrics) {
    const auto slash = name.find('/');
    if (slash == std::string::npos)
      out[name] = value;
    else
      out[name.substr(0, slash)][name.substr(slash + 1)] = value;
  }
  return out;
}

}  // namespace

void add_evaluate(CLI::App& root, Session&) {
  CLI::App* command = root.add_subcommand(
      "evaluate", "evaluate a model directory, or vectors of any tool, on a task");
  struct Flags : EvaluateOptions {
    std::string task_name;
  };
  auto flags = std::make_shared<Flags>();
  command
      ->add_option("model", flags->model,
                   "model directory; or a file of vectors: .npy, .npz, word2vec (.txt, .bin)")
      ->required();
  command
      ->add_option("--nodes", flags->nodes,
                   "ids of a file's vectors: one a line, or row, id and kind as in nodes.tsv; "
                   "default: the ids in the file, else row numbers")
      ->type_name("FILE");
  command->add_option("--task", flags->task_name, "what to evaluate on")
      ->type_name("{recommend,linkpred,classify}")
      ->required();
  command->add_option("--test", flags->test, "recommend, linkpred: file with held-out pairs")
      ->type_name("FILE");
  command
      ->add_option("--valid", flags->valid,
                   "recommend: file with validation pairs, left out of the ranking")
      ->type_name("FILE");
  command
      ->add_option(
          "--train", flags->train,
          "file with training edges, for a file of vectors and a directory without graph.bin")
      ->type_name("FILE");
  add_load_flags(*command, flags->load);
  command->add_option("--labels", flags->labels, "classify: file with a node and a label per line")
      ->type_name("FILE");
  command
      ->add_option(
          "--scores", flags->scores,
          "score of a pair: node vectors, or node and context vector; default: as in the run, else "
          "in-out for recommend and in-in otherwise")
      ->type_name("{in-in,in-out}")
      ->check(unnamed(CLI::IsMember({"in-in", "in-out"})));
  command
      ->add_option("--candidates", flags->candidates,
                   "recommend: number of items to rank against (0: all)")
      ->check(unnamed(CLI::NonNegativeNumber))
      ->capture_default_str();
  const auto common = add_common(*command, kExamples);
  command->callback([=] {
    flags->task = parse_task(flags->task_name);
    flags->seed = common->seed;
    ThreadPool pool(common->threads);
    const Metrics metrics = evaluate_model(*flags, pool);
    if (common->json)
      fmt::print(
          "{}\n",
          nlohmann::ordered_json{{"task", flags->task_name}, {"test", to_json(metrics)}}.dump(2));
    else
      print_metrics({}, metrics);
  });
}

}  // namespace mcns::cli
