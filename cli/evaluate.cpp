// mcns evaluate: score a model directory on a task. Vectors of another tool, in a file or in a
// folder with embeddings.npy and nodes.tsv, are scored by the same evaluators; --train then gives
// the pairs to mask.
#include "mcns/model/evaluate.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/core/json_object.h"
#include "mcns/train/experiment_report.h"

#include "cli/load_flags.h"
#include "cli/table.h"
#include "cli/whole_number.h"

namespace mcns::cli {
namespace {

constexpr const char* kExamples =
    "  mcns evaluate model --task recommend --valid valid.tsv --test test.tsv\n"
    "  mcns evaluate model --task classify --labels labels.tsv\n"
    "  mcns evaluate theirs --train edges.tsv --task linkpred --test pairs.tsv\n"
    "  mcns evaluate vectors.npy --nodes ids.txt --task classify --labels labels.tsv\n"
    "  mcns evaluate word2vec.txt --train train.tsv --task recommend --test test.tsv\n";

}  // namespace

void add_evaluate(CLI::App& root, Session&) {
  CLI::App* command = root.add_subcommand(
      "evaluate", "evaluate a model directory, or vectors of any tool, on a task");
  struct Flags : EvaluateOptions {
    std::string task_name;
    bool groups = false;
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
      ->check(whole_number<std::int64_t>())
      ->capture_default_str();
  command->add_option("--metrics", flags->metrics,
                      "recommend: more metrics, as mrr,auc,ndcg@20,recall@50,precision@10,map@10,"
                      "hits@3,coverage@20");
  command->add_flag("--groups", flags->groups,
                    "recommend: the metrics by groups of users and items as well");
  const auto common = add_common(*command, kExamples);
  command->callback([=] {
    flags->task = parse_task(flags->task_name);
    flags->seed = common->seed;
    ThreadPool pool(common->threads);
    const Evaluation result = evaluate_model(*flags, pool);
    if (common->json) {
      nlohmann::ordered_json document{{"task", flags->task_name},
                                      {"test", metrics_object(result.metrics)}};
      for (const GroupMetrics& group : result.groups) {
        auto& figures = object_at(object_at(document, "groups"), group.of)[group.name] =
            metrics_object(group.metrics);
        figures.update({{"users", group.users}, {"pairs", group.pairs}});
      }
      fmt::print("{}\n", document.dump(2));
      return;
    }
    print_metrics({}, result.metrics);
    if (flags->groups) {
      fmt::print("\n");
      print_groups(result.groups);
    }
  });
}

}  // namespace mcns::cli
