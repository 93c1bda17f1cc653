// Every setting of a training run in one struct with one visitor over it: command-line flags, help,
// the config file, run.json and the docs all come from for_each_option. A setting without a value
// takes the default of its model, preset or task (defaults.cpp).
#pragma once

#include <optional>
#include <string>

#include "mcns/core/graph.h"
#include "mcns/core/task.h"

namespace mcns {

struct TrainOptions {
  std::string model, preset;
  std::optional<std::string> encoder, positives, sampler, loss, optimizer, schedule, filter, scores;
  std::optional<int> dim, tables, negatives, batch, epochs, patience, eval_every;
  std::optional<double> lr, l2, margin, init_scale;
  std::string update = "batch", saturated = "error", score = "cached", features;
  std::string log_q = "off";
};

template <class Options, class F>
void for_each_option(Options& o, F&& f) {
  f("model", o.model,
    "preset of encoder and positives: deepwalk, line, node2vec, gcn, graphsage or lightgcn");
  f("preset", o.preset, "`paper` takes the paper's own settings");
  f("encoder", o.encoder, "what turns a node into a vector (mcns list encoders)");
  f("positives", o.positives, "where true pairs come from (mcns list positives)");
  f("sampler", o.sampler, "where false ones come from, NAME[:key=value,...] (mcns list samplers)");
  f("loss", o.loss, "bpr, hinge, logistic or softmax");
  f("log-q", o.log_q, "on: softmax weighs a negative by 1 / (k q), to stand for all; or off");
  f("margin", o.margin,
    "of the hinge; what logistic compares scores with; softmax: one more negative's score");
  f("optimizer", o.optimizer, "sgd, adagrad or adam");
  f("lr", o.lr, "learning rate");
  f("schedule", o.schedule, "of the learning rate: constant, or linear down to nothing");
  f("l2", o.l2, "weight of the squared length of every vector in a pair");
  f("dim", o.dim, "dimension of the vectors");
  f("tables", o.tables, "1: one vector a node; 2: a node and a context vector");
  f("init-scale", o.init_scale, "expected length of a first vector");
  f("negatives", o.negatives, "negatives per positive");
  f("batch", o.batch, "positives per batch");
  f("epochs", o.epochs, "at most");
  f("patience", o.patience, "stop after so many evaluations without a better one");
  f("eval-every", o.eval_every, "epochs between evaluations on valid");
  f("update", o.update, "batch: the same bits for any thread count; async: Hogwild");
  f("score", o.score, "vectors samplers see of a network: cached, or fresh for every batch");
  f("features", o.features, "of the nodes, .npy or TSV, in place of free vectors");
  f("filter", o.filter, "train: negatives are never training positives; none: anything");
  f("saturated", o.saturated, "a node linked to all targets: error, or skip its pairs");
  f("scores", o.scores, "with two tables: in-out, or in-in");
}

/// Fills what is unset from preset, model, task and graph; throws on values that make no sense.
void resolve_options(TrainOptions& options, std::optional<Task> task, const Graph& graph);

}  // namespace mcns
