#include "mcns/train/experiment_data.h"

#include "mcns/core/error.h"
#include "mcns/eval/classify.h"
#include "mcns/eval/links.h"
#include "mcns/eval/ranking.h"
#include "mcns/io/datasets_table.h"
#include "mcns/io/model_directory.h"
#include "mcns/model/weights.h"
#include "mcns/splits/interactions.h"
#include "mcns/splits/links.h"

namespace mcns {
namespace {

HeldOut all_true(std::vector<Pair> pairs) {
  std::vector<std::uint8_t> labels(pairs.size(), 1);
  return {std::move(pairs), std::move(labels)};
}

/// The graph with fewer edges but the same nodes.
void replace_edges(Dataset& set, EdgeList edges, ThreadPool& pool) {
  const BuildOptions options{set.graph.kind(), set.graph.num_users(), Repeated::kKeep,
                             SelfLoops::kKeep};
  set.graph = build_graph(std::move(edges), set.graph.num_nodes(), options, pool);
}

void prepare_recommend(const Experiment& e, const SplitOptions& split, ExperimentData& data,
                       ThreadPool& pool) {
  Dataset& set = data.set;
  require(set.graph.is_bipartite(),
          "--task recommend needs a user-item graph: --bipartite shared or separate");
  if (e.files.test.empty()) {
    const EdgeList all = edge_list(set.graph);
    auto folds =
        fold_interactions(all.pairs, *split.parts, *split.fold, e.random_seed(), all.weights);
    set.valid = all_true(std::move(folds.valid));
    set.test = all_true(std::move(folds.test));
    replace_edges(set, std::move(folds.train), pool);
  } else if (e.files.valid.empty()) {
    const EdgeList all = edge_list(set.graph);
    auto parts = hold_out_interactions(all.pairs, *split.valid_share, e.random_seed(), all.weights);
    set.valid = all_true(std::move(parts.valid));
    replace_edges(set, std::move(parts.train), pool);
  }
  const RankingOptions options{*split.candidates, e.random_seed()};
  if (!set.valid.empty())
    data.valid =
        std::make_unique<RankingEvaluator>(set.graph, set.valid.pairs, std::span<Pair>{}, options);
  data.test =
      std::make_unique<RankingEvaluator>(set.graph, set.test.pairs, set.valid.pairs, options);
}

void prepare_linkpred(const Experiment& e, const SplitOptions& given, ExperimentData& data,
                      ThreadPool& pool) {
  Dataset& set = data.set;
  const bool make_test = e.files.test.empty(), make_valid = e.files.valid.empty();
  if (make_test || make_valid) {
    const double valid = make_valid ? *given.valid_share : 0,
                 test = make_test ? *given.test_share : 0;
    LinkSplit split = split_links(set.graph,
                                  {.valid = valid * (1 - test),
                                   .test = test,
                                   .seed = e.random_seed(),
                                   .reciprocal = parse_reciprocal(*given.reciprocal)},
                                  pool);
    if (make_valid) set.valid = std::move(split.valid);
    if (make_test) set.test = std::move(split.test);
    replace_edges(set, std::move(split.train), pool);
  }
  if (!set.valid.empty()) data.valid = std::make_unique<LinkEvaluator>(set.graph, set.valid);
  data.test = std::make_unique<LinkEvaluator>(set.graph, set.test);
}

void prepare_classify(const Experiment& e, ExperimentData& data) {
  require(!e.files.labels.empty(), "--task classify needs --labels FILE (node, label per line)");
  ClassifyOptions options;
  options.seed = e.random_seed();
  data.test = std::make_unique<ClassifyEvaluator>(data.set.labels, options);
}

}  // namespace

void find_files(Experiment& e) {
  if (e.data.empty()) {
    require(!e.files.train.empty(), "give --data NAME|DIR or --train FILE");
    if (e.task) e.load = for_task(e.load, *e.task);
    return;
  }
  const std::pair<const char*, const std::string&> files[] = {{"train", e.files.train},
                                                              {"valid", e.files.valid},
                                                              {"test", e.files.test},
                                                              {"labels", e.files.labels}};
  for (const auto& [flag, path] : files)
    require(path.empty(), "--data and --{} exclude each other; give all files one by one", flag);
  require(e.task.has_value(), "--data needs --task");
  const ResolvedDataset found = resolve_dataset(e.data, *e.task);
  e.files = found.files;
  // Only classify reads labels; on a graph with two id spaces they could not be told apart.
  if (*e.task != Task::kClassify) e.files.labels.clear();
  e.load = for_task(e.load, *e.task, found.bipartite);
}

ExperimentData prepare_data(const Experiment& experiment, ThreadPool& pool) {
  ExperimentData data;
  data.set = load_dataset(experiment.files, experiment.task, experiment.load, pool);
  if (!experiment.task) return data;
  data.split_settings =
      resolve_settings(given_settings(experiment.split),
                       {*experiment.task, {}, *experiment.components, experiment.from_config});
  SplitOptions split;
  take_settings(data.split_settings, split);
  switch (*experiment.task) {
    case Task::kRecommend:
      prepare_recommend(experiment, split, data, pool);
      break;
    case Task::kLinkpred:
      prepare_linkpred(experiment, split, data, pool);
      break;
    case Task::kClassify:
      prepare_classify(experiment, data);
      break;
  }
  return data;
}

void warm_start(Trainer& trainer, const Dataset& data, const std::string& model_directory) {
  const LoadedModel old = load_model_directory(model_directory);
  const Graph& graph = data.graph;
  require(graph.is_bipartite() == old.graph.is_bipartite(),
          "--init {}: one graph is user-item, the other is not", model_directory);
  const std::vector<NodeId> rows = match_rows(graph, data.names, old.graph, old.names);
  trainer.change_model([&](Encoder& encoder) {
    Lookup* const model = encoder.in_place();
    if (model == nullptr)
      return load_weights(model_directory + "/weights.npz", encoder, rows, Unmatched::kKeep);
    const int dim = model->parameters().dim();
    require(old.embeddings.dim() == dim, "--init {}: its vectors have {} dimensions, this run {}",
            model_directory, old.embeddings.dim(), dim);
    for (NodeId v = 0; v < graph.num_nodes(); ++v) {
      if (rows[v] < 0) continue;
      std::copy_n(old.embeddings.row(rows[v]), dim, model->parameters().row(model->source_row(v)));
      if (model->has_context() && !old.context.empty())
        std::copy_n(old.context.row(rows[v]), dim, model->parameters().row(model->target_row(v)));
    }
  });
}

}  // namespace mcns
