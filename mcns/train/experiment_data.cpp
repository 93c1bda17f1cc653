#include "mcns/train/experiment_data.h"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "mcns/core/error.h"
#include "mcns/core/graph_stats.h"
#include "mcns/eval/classify.h"
#include "mcns/eval/links.h"
#include "mcns/eval/ranking.h"
#include "mcns/io/datasets_table.h"
#include "mcns/io/model_directory.h"
#include "mcns/model/weights.h"
#include "mcns/splits/interactions.h"
#include "mcns/splits/links.h"
#include "mcns/splits/non_edges.h"

namespace mcns {
namespace {

std::uint64_t split_seed(const Experiment& e) {
  return e.split.split_seed ? static_cast<std::uint64_t>(*e.split.split_seed) : e.random_seed();
}

HeldOut all_true(std::vector<Pair> pairs) {
  std::vector<std::uint8_t> labels(pairs.size(), 1);
  return {std::move(pairs), std::move(labels)};
}

/// The graph with other edges but the same nodes.
void replace_edges(Dataset& set, EdgeList edges, ThreadPool& pool) {
  const BuildOptions options{set.graph.kind(), set.graph.num_users(), Repeated::kKeep,
                             SelfLoops::kKeep};
  set.graph = build_graph(std::move(edges), set.graph.num_nodes(), options, pool);
}

float weight_of(const Graph& graph, Pair pair) {
  const auto neighbors = graph.neighbors(pair.source);
  const auto place = std::ranges::lower_bound(neighbors, pair.target) - neighbors.begin();
  return graph.weights(pair.source)[place];
}

/// Adds the valid pairs to the training graph, those aside that are non-edges or in it already.
/// Nothing can be chosen on them then. `whole` is the graph before it was split; it has the
/// weights of pairs that were held out of it.
void learn_from_valid(const Experiment& e, Dataset& set, const Graph& whole, ThreadPool& pool) {
  require(e.files.valid.empty() || !whole.is_weighted(),
          "--learn-from both: edges have weights, and the pairs of {} have none", e.files.valid);
  EdgeList edges = edge_list(set.graph);
  for (std::size_t i = 0; i < set.valid.pairs.size(); ++i) {
    const Pair pair = set.valid.pairs[i];
    if (set.valid.labels[i] != 1 || set.graph.has_edge(pair.source, pair.target)) continue;
    edges.pairs.push_back(pair);
    if (whole.is_weighted()) edges.weights.push_back(weight_of(whole, pair));
  }
  replace_edges(set, std::move(edges), pool);
  set.valid = {};
}

/// What the user chose on the command line or in a program; a repeated run's own settings do not
/// count, as they are all there.
template <class T>
bool chosen(const Experiment& e, const std::optional<T>& field, const char* name) {
  return field.has_value() && !e.from_config.contains(name);
}

SplitRequest request_of(const Experiment& e, const SplitOptions& split) {
  const bool make_test = e.files.test.empty();
  const double test = make_test ? *split.test_share : 0;
  return {.kind = parse_split(*split.split, *e.task),
          .valid = e.files.valid.empty() ? *split.valid_share * (1 - test) : 0,
          .test = test,
          .parts = *split.parts,
          .fold = *split.fold,
          .time_cut = parse_time_cut(*split.time_cut),
          .reciprocal = parse_reciprocal(*split.reciprocal),
          .non_edges = parse_non_edges(*split.non_edges),
          .seed = split_seed(e)};
}

/// Refuses flags that the kind of split does not use.
void check_split_flags(const Experiment& e, const SplitOptions& split) {
  const SplitOptions& given = e.split;
  if (e.task == Task::kRecommend)
    parse_ranking_metrics(*split.metrics);
  else
    require(!chosen(e, given.metrics, "metrics"),
            "--metrics is for --task recommend; {} has its metrics always", task_name(*e.task));
  const bool all_given = !e.files.test.empty() && !e.files.valid.empty();
  if (chosen(e, given.non_edges, "non-edges")) {
    require(e.task == Task::kLinkpred, "--non-edges is for --task linkpred, got {}",
            task_name(*e.task));
    require(!all_given, "--non-edges {}: --valid and --test are given, with their non-edges",
            *given.non_edges);
  }
  if (e.task == Task::kClassify) {
    require(!chosen(e, given.split, "split"),
            "--split is for recommend and linkpred; classify divides its labels");
    require(!chosen(e, given.learn_from, "learn-from"),
            "--learn-from is for recommend and linkpred; classify holds no edges out");
    return;
  }
  const std::string& name = *split.split;
  const SplitKind kind = parse_split(name, *e.task);
  require(!all_given || !chosen(e, given.split, "split"),
          "--split {}: --valid and --test are given, so there is nothing to split", name);
  const bool folds = kind == SplitKind::kPaper && e.task == Task::kRecommend;
  require(folds || !(chosen(e, given.parts, "parts") || chosen(e, given.fold, "fold")),
          "--parts and --fold are for --split paper of --task recommend, got --split {}", name);
  const bool shares = !folds && kind != SplitKind::kLeaveOneOut;
  require(shares || !chosen(e, given.test_share, "test-share"),
          "--test-share is for splits by shares, not for --split {}", name);
  require(kind == SplitKind::kTime || !chosen(e, given.time_cut, "time-cut"),
          "--time-cut is for --split time, got --split {}", name);
}

/// Fills `data.split_settings` as well.
SplitOptions resolve_split(const Experiment& e, Facts facts, ExperimentData& data) {
  if (e.train.preset) facts["preset"] = *e.train.preset;
  data.split_settings =
      resolve_settings(given_settings(e.split),
                       {*e.task, std::move(facts), *e.components, e.from_config, &e.tuned_split});
  SplitOptions split;
  take_settings(data.split_settings, split);
  if (!split.split_seed)
    data.split_settings.push_back(
        {"split-seed", std::to_string(split_seed(e)), Origin::kDefault, ParameterType::kInteger});
  return split;
}

/// Leave-one-out takes the latest pair where times are known.
Times times_for(const Experiment& e, const SplitOptions& split) {
  const bool makes_parts = e.files.test.empty() || e.files.valid.empty();
  if (e.task == Task::kClassify || !makes_parts) return Times::kDrop;
  const SplitKind kind = parse_split(*split.split, *e.task);
  return kind == SplitKind::kTime          ? Times::kNeed
         : kind == SplitKind::kLeaveOneOut ? Times::kIfAny
                                           : Times::kDrop;
}

/// Held-out pairs of a label that are in train as well; empty where there are none.
std::string shared_text(const Dataset& set, const std::string& file, const HeldOut& part,
                        std::uint8_t label, const char* what) {
  const SharedPairs found = shared_with_train(set.graph, part, label, set.names);
  if (found.count == 0) return "";
  return fmt::format("{}: {} of {} {} are in train as well, for example {}", file, found.count,
                     found.of, what, fmt::join(found.examples, ", "));
}

void warn(ExperimentData& data, std::string text) {
  if (!text.empty()) data.warnings.push_back(std::move(text));
}

/// Test pairs that are in train stop the run; other defects are warnings.
void check_leaks(const Experiment& e, bool allow, ExperimentData& data) {
  const Dataset& set = data.set;
  const std::string found = shared_text(set, e.files.test, set.test, 1, "test pairs");
  if (!found.empty()) {
    if (!allow)
      throw_error(ErrorKind::kData,
                  "{}; figures would be too good (`mcns data check` shows all defects, "
                  "--allow-leaks goes on)",
                  found);
    warn(data, found);
  }
  warn(data, shared_text(set, e.files.valid, set.valid, 1, "valid pairs"));
  for (const auto& [path, part] :
       {std::pair{&e.files.valid, &set.valid}, {&e.files.test, &set.test}})
    warn(data, shared_text(set, *path, *part, 0, "pairs with label 0"));
}

void prepare_recommend(const Experiment& e, const SplitOptions& split, ExperimentData& data,
                       ThreadPool& pool, Evaluators evaluators) {
  Dataset& set = data.set;
  require(set.graph.is_bipartite(),
          "--task recommend needs a user-item graph: --bipartite shared or separate");
  const Graph whole = set.graph;
  const bool make_test = e.files.test.empty(), make_valid = e.files.valid.empty();
  if (make_test || make_valid) {
    const EdgeList all = edge_list(set.graph);
    const SplitRequest request = request_of(e, split);
    const Interactions interactions{all.pairs, all.weights, set.times};
    // The paper's parts have a test set: without one, every node keeps a pair in train.
    auto parts = !make_test && request.kind == SplitKind::kPaper
                     ? hold_out_interactions(all.pairs, request.valid, request.seed, all.weights)
                     : split_interactions(interactions, request);
    if (make_valid) set.valid = all_true(std::move(parts.valid));
    if (make_test) set.test = all_true(std::move(parts.test));
    replace_edges(set, std::move(parts.train), pool);
  }
  if (*split.learn_from == "both") learn_from_valid(e, set, whole, pool);
  const RankingOptions options{*split.candidates, split_seed(e),
                               parse_ranking_metrics(*split.metrics)};
  if (!set.valid.empty())
    data.valid =
        std::make_unique<RankingEvaluator>(set.graph, set.valid.pairs, std::span<Pair>{}, options);
  if (evaluators == Evaluators::kAll)
    data.test =
        std::make_unique<RankingEvaluator>(set.graph, set.test.pairs, set.valid.pairs, options);
}

void prepare_linkpred(const Experiment& e, const SplitOptions& given, ExperimentData& data,
                      ThreadPool& pool, Evaluators evaluators) {
  Dataset& set = data.set;
  const Graph whole = set.graph;
  const bool make_test = e.files.test.empty(), make_valid = e.files.valid.empty();
  if (make_test || make_valid) {
    LinkSplit split = split_links(set.graph, request_of(e, given), pool, set.times);
    if (make_valid) set.valid = std::move(split.valid);
    if (make_test) {
      set.test = std::move(split.test);
      data.non_edges = *given.non_edges;
    }
    replace_edges(set, std::move(split.train), pool);
  }
  if (*given.learn_from == "both") learn_from_valid(e, set, whole, pool);
  if (!set.valid.empty()) data.valid = std::make_unique<LinkEvaluator>(set.graph, set.valid);
  if (evaluators == Evaluators::kAll)
    data.test = std::make_unique<LinkEvaluator>(set.graph, set.test);
}

void prepare_classify(const Experiment& e, const SplitOptions& split, ExperimentData& data,
                      Evaluators evaluators) {
  require(!e.files.labels.empty(), "--task classify needs --labels FILE (node, label per line)");
  ClassifyOptions options;
  options.seed = split_seed(e);
  if (evaluators == Evaluators::kAll)
    data.test = std::make_unique<ClassifyEvaluator>(data.set.labels, options);
  options.validation = *split.valid_share;
  if (options.validation > 0)
    data.valid = std::make_unique<ClassifyEvaluator>(data.set.labels, options);
}

/// Training without a task: valid pairs, where they are given, are judged as the graph suggests, by
/// the rank of items or by the scores of links against those of as many non-edges.
/// A graph that was saved may be empty, and edges may all be loops that are dropped.
void require_edges(const Experiment& e, const Dataset& set) {
  if (set.graph.num_edges() == 0) throw_bad_data(e.files.train, 0, "has no edges to learn from");
}

void prepare_training(const Experiment& e, ExperimentData& data, ThreadPool& pool) {
  data.set = load_dataset(e.files, {}, e.load, pool);
  require_edges(e, data.set);
  Dataset& set = data.set;
  if (e.files.valid.empty()) return;
  warn(data, shared_text(set, e.files.valid, set.valid, 1, "valid pairs"));
  warn(data, shared_text(set, e.files.valid, set.valid, 0, "pairs with label 0"));
  if (set.graph.is_bipartite()) {
    data.valid = std::make_unique<RankingEvaluator>(set.graph, set.valid.pairs, std::span<Pair>{},
                                                    RankingOptions{.seed = split_seed(e)});
  } else {
    if (std::ranges::all_of(set.valid.labels, [](auto label) { return label == 1; })) {
      const auto more = sample_non_edges(
          set.graph, {.count = std::ssize(set.valid.pairs), .seed = split_seed(e)}, pool);
      set.valid.pairs.insert(set.valid.pairs.end(), more.begin(), more.end());
      set.valid.labels.resize(set.valid.pairs.size(), 0);
    }
    data.valid = std::make_unique<LinkEvaluator>(set.graph, set.valid);
  }
  data.cold_valid = count_cold(set.graph, set.valid);
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

ExperimentData prepare_data(const Experiment& experiment, ThreadPool& pool, Evaluators evaluators) {
  ExperimentData data;
  if (!experiment.task) {
    prepare_training(experiment, data, pool);
    return data;
  }
  const bool chooses =
      evaluators == Evaluators::kValid || experiment.train.patience.value_or(0) > 0;
  Facts facts = {{"chooses", chooses ? "true" : "false"}};
  SplitOptions split = resolve_split(experiment, facts, data);
  check_split_flags(experiment, split);
  data.set = load_dataset(experiment.files, experiment.task, experiment.load, pool,
                          times_for(experiment, split));
  require_edges(experiment, data.set);
  // How many candidates a preset ranks against may depend on the size of the graph.
  facts.merge(graph_facts(data.set.graph));
  split = resolve_split(experiment, facts, data);
  if (*experiment.task != Task::kClassify) check_leaks(experiment, *split.allow_leaks, data);
  switch (*experiment.task) {
    case Task::kRecommend:
      prepare_recommend(experiment, split, data, pool, evaluators);
      break;
    case Task::kLinkpred:
      prepare_linkpred(experiment, split, data, pool, evaluators);
      break;
    case Task::kClassify:
      prepare_classify(experiment, split, data, evaluators);
      break;
  }
  data.cold_valid = count_cold(data.set.graph, data.set.valid);
  data.cold_test = count_cold(data.set.graph, data.set.test);
  return data;
}

void warm_start(Trainer& trainer, double temperature, const Dataset& data,
                const std::string& model_directory) {
  const LoadedModel old = load_model_directory(model_directory);
  const Graph& graph = data.graph;
  require(graph.is_bipartite() == old.graph.is_bipartite(),
          "--init {}: one graph is user-item, the other is not", model_directory);
  const std::vector<NodeId> rows = match_rows(graph, data.names, old.graph, old.names);
  trainer.change_model([&](Encoder& encoder) {
    Lookup* const model = encoder.parameters_of().in_place();
    if (model == nullptr)
      return load_weights(model_directory + "/weights.npz", encoder, rows, Unmatched::kKeep);
    const int dim = model->parameters().dim();
    require(old.embeddings.dim() == dim, "--init {}: its vectors have {} dimensions, this run {}",
            model_directory, old.embeddings.dim(), dim);
    const auto take = [&, factor = static_cast<float>(std::sqrt(temperature))](const float* from,
                                                                               NodeId row) {
      float* const to = model->parameters().row(row);
      for (int d = 0; d < dim; ++d) to[d] = factor * from[d];
    };
    for (NodeId v = 0; v < graph.num_nodes(); ++v) {
      if (rows[v] < 0) continue;
      take(old.embeddings.row(rows[v]), model->source_row(v));
      if (model->has_context() && !old.context.empty())
        take(old.context.row(rows[v]), model->target_row(v));
    }
  });
}

}  // namespace mcns
