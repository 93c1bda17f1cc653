#include "mcns/model/evaluate.h"

#include <filesystem>

#include "mcns/core/error.h"
#include "mcns/eval/classify.h"
#include "mcns/eval/links.h"
#include "mcns/eval/ranking.h"
#include "mcns/io/assemble.h"
#include "mcns/io/model_directory.h"
#include "mcns/io/read_edges.h"
#include "mcns/model/scores.h"
#include "mcns/model/vector_model.h"

namespace mcns {
namespace {

std::string name_of(const RawEdges& edges, NodeId id) {
  return edges.numeric ? std::to_string(id) : edges.names[id];
}

NodeLabels read_node_labels(const std::string& path, const LoadedModel& model) {
  const RowIndex index(model.names, {0, model.graph.num_nodes()});
  const auto lines = read_labels(path);
  std::vector<NodeId> rows;
  rows.reserve(lines.size());
  for (const auto& line : lines) rows.push_back(index.require(line.node, path));
  return number_labels(lines, rows);
}

LoadedModel load(const EvaluateOptions& o, ThreadPool& pool) {
  if (!std::filesystem::is_regular_file(o.model)) {
    require(o.nodes.empty(), "--nodes is for a file of vectors; a model directory has its own");
    return load_model_directory(o.model, o.train, o.load, pool);
  }
  return load_vectors({o.model, o.nodes, o.train, o.task == Task::kRecommend, {o.valid, o.test}},
                      o.load, pool);
}

/// As the options say, else as in the run that made the model, else as usual for the task.
EmbeddingView tables_of(const EvaluateOptions& options, const LoadedModel& model) {
  std::string scores = options.scores;
  if (scores.empty()) scores = saved_scores(model, options.model);
  if (scores.empty()) scores = options.task == Task::kRecommend ? "in-out" : "in-in";
  return score_tables(model, scores);
}

}  // namespace

HeldOut read_pairs(const std::string& path, const LoadedModel& model, bool labels,
                   const LoadOptions& load, ThreadPool& pool) {
  TextOptions text = load.text();
  text.third = labels ? ThirdColumn::kLabel : ThirdColumn::kIgnore;
  const RawEdges raw = read_edges(path, text, pool, load.format_name());
  if (load.on_read) load.on_read(raw.report);
  const RowIndex sources(model.names, model.graph.sources());
  const RowIndex targets(model.names, model.graph.targets());
  HeldOut out;
  for (const auto& [source, target] : raw.pairs)
    out.pairs.push_back(
        {sources.require(name_of(raw, source), path), targets.require(name_of(raw, target), path)});
  out.labels.assign(out.pairs.size(), 1);
  for (std::size_t i = 0; i < raw.values.size(); ++i)
    out.labels[i] = static_cast<std::uint8_t>(raw.values[i]);
  return out;
}

Evaluation evaluate_model(const EvaluateOptions& options, ThreadPool& pool) {
  const LoadedModel model = load(options, pool);
  const bool recommend = options.task == Task::kRecommend;
  require(recommend || options.metrics.empty(), "--metrics is for --task recommend");
  const EmbeddingView view = tables_of(options, model);
  if (options.task == Task::kClassify) {
    require(!options.labels.empty(), "--task classify needs --labels FILE");
    ClassifyOptions classify;
    classify.seed = options.seed;
    return ClassifyEvaluator(read_node_labels(options.labels, model), classify)
        .evaluate_fully(view, pool);
  }
  require(!options.test.empty(), "--task {} needs --test FILE", task_name(options.task));
  const auto pairs_of = [&](const std::string& path, bool labels) {
    LoadOptions load = options.load;
    if (!options.train.empty())
      load.format = format_beside(path, options.train, load.format_name());
    return read_pairs(path, model, labels, load, pool);
  };
  const HeldOut test = pairs_of(options.test, !recommend);
  if (!recommend) return LinkEvaluator(model.graph, test).evaluate_fully(view, pool);
  require(model.graph.is_bipartite(), "--task recommend needs a model of a user-item graph");
  const HeldOut valid = options.valid.empty() ? HeldOut{} : pairs_of(options.valid, false);
  RankingOptions ranking{options.candidates, options.seed};
  if (!options.metrics.empty()) ranking.metrics = parse_ranking_metrics(options.metrics);
  return RankingEvaluator(model.graph, test.pairs, valid.pairs, ranking).evaluate_fully(view, pool);
}

}  // namespace mcns
