// The settings of a training run: one struct, and one visitor over it. A setting without a value
// takes that of the preset, else the default (defaults.cpp).
#pragma once

#include <optional>
#include <string>

#include "mcns/plan/defaults.h"
#include "mcns/plan/negative_count.h"
#include "mcns/plan/option_info.h"

namespace mcns {

struct TrainOptions {
  std::optional<std::string> model, preset, encoder, positives, sampler, loss, optimizer;
  std::optional<std::string> filter, saturated, log_q, sampler_view, scores, schedule, update;
  std::optional<std::string> features;
  std::optional<std::string> similarity;
  std::optional<NegativeCount> negatives;
  std::optional<int> dim, tables, batch, epochs, patience, eval_every;
  std::optional<double> lr, l2, margin, init_scale, temperature, popularity;
};

/// Calls f(field, OptionInfo) for every option.
template <class Options, class F>
requires requires(Options& o) { o.sampler; }
// A list is as long as what it lists. NOLINTNEXTLINE(readability-function-size)
void for_each_option(Options& o, F&& f) {
  constexpr OptionGroup kModel = OptionGroup::kModel, kSampler = OptionGroup::kSampler,
                        kTraining = OptionGroup::kTraining;
  const auto text = [](const char* name, const char* help) {
    return text_parameter(name, "", help);
  };
  const auto choice = [](const char* name, std::vector<std::string> choices, const char* help) {
    return choice_parameter(name, std::move(choices), "", help);
  };
  const auto integer = [](const char* name, Range range, const char* help) {
    return integer_parameter(name, "", range, help);
  };
  const auto number = [](const char* name, Range range, const char* help) {
    return number_parameter(name, "", range, help);
  };
  f(o.model,
    option(kModel, text_parameter("model", "",
                                  "encoder and positives of a method: " + joined(model_names()))));
  f(o.preset, option(kModel, choice("preset", {"paper"}, "paper: the settings of the paper")));
  f(o.encoder,
    option(kModel, text("encoder", "encoder, NAME[:key=value,...] (mcns list encoders)")));
  f(o.dim, option(kModel, integer("dim", {1, 65536}, "dimension of the embeddings")
                              .tuned_among({"64", "128"}, "similarity=cosine")));
  f(o.tables, option(kModel, integer("tables", {1, 2},
                                     "1: one vector per node; 2: a node and a context vector")));
  f(o.scores,
    option(kModel, choice("scores", {"in-in", "in-out"},
                          "score of a pair with two tables: node vectors, or node and context "
                          "vector")));
  f(o.similarity,
    option(kModel, choice("similarity", {"dot", "cosine"},
                          "of two vectors: their dot product, or the cosine of their angle")
                       .tuned_among({"cosine", "dot"}, "task=recommend")));
  f(o.temperature,
    option(kModel, number("temperature", {1e-6, 1e6}, "the score is the similarity over this")
                       .tuned({0.08, 0.4}, Scale::kLog, "similarity=cosine")));
  f(o.popularity,
    option(kModel, number("popularity", {0, 10},
                          "cosine: adds this times the logarithm of an item's degree to its score")
                       .tuned({0, 1}, Scale::kLinear, "similarity=cosine bipartite")));
  f(o.features,
    option(kModel, text("features",
                        "file with node features (.npy or TSV), input of a network in place of "
                        "learned vectors")));
  f(o.init_scale,
    option(kModel, number("init-scale", {0, 1e6}, "expected length of an initial vector")));
  f(o.sampler,
    option(kSampler,
           text("sampler", "negative sampler, NAME[:key=value,...] (mcns list samplers)")));
  f(o.negatives,
    option(kSampler, text("negatives",
                          "negatives per positive, K; or shared:N, a pool of N that the "
                          "whole batch shares (softmax)")));
  f(o.filter, option(kSampler, choice("filter", {"train", "none"},
                                      "train: a negative is never a training positive; none: any "
                                      "target may be one")));
  f(o.saturated, option(kSampler, choice("saturated", {"error", "skip"},
                                         "for a node linked to all targets: stop with an error, or "
                                         "skip its pairs")));
  f(o.sampler_view,
    option(kSampler, choice("sampler-view", {"cached", "fresh"},
                            "vectors of a network that samplers see: cached, or computed "
                            "for every batch")));
  f(o.log_q, option(kSampler, choice("log-q", {"on", "off"},
                                     "on: the softmax loss weighs a negative of probability q by "
                                     "1 / (k q), so that few stand for all")
                                  .tuned_among({"off", "on"}, "shared")));
  f(o.positives,
    option(kTraining,
           text("positives", "positive pairs, NAME[:key=value,...] (mcns list positives)")));
  f(o.loss, option(kTraining, text("loss", "loss function (mcns list losses)")));
  f(o.margin,
    option(kTraining,
           number("margin", {-1e6, 1e6},
                  "hinge: margin, any number; logistic: offset of scores; softmax: score of an "
                  "additional negative")));
  f(o.optimizer, option(kTraining, text("optimizer", "optimizer (mcns list optimizers)")));
  f(o.lr, option(kTraining, number("lr", {0, 1e6}, "learning rate").tuned_by_factor(0.4, 2.5)));
  f(o.schedule, option(kTraining, choice("schedule", {"constant", "linear"},
                                         "learning rate: constant, or linear decay to zero")));
  f(o.l2, option(kTraining, number("l2", {0, 1e6}, "L2 regularisation of the vectors of a pair")
                                .tuned_by_factor(0.1, 10, "similarity=dot default>0")
                                .tuned({0.0001, 0.1}, Scale::kLog, "similarity=dot")));
  f(o.batch, option(kTraining, integer("batch", {1, 1 << 24}, "positives per batch")));
  f(o.epochs, option(kTraining, integer("epochs", {0, 1e9}, "maximum number of epochs")));
  f(o.patience,
    option(kTraining, integer("patience", {0, 1e9},
                              "stop after this number of evaluations without improvement "
                              "(0: never)")));
  f(o.eval_every,
    option(kTraining, integer("eval-every", {1, 1e9},
                              "number of epochs between evaluations on validation pairs")));
  f(o.update, option(kTraining, choice("update", {"batch", "async"},
                                       "batch: the same result for any number of threads; async: "
                                       "Hogwild")));
}

}  // namespace mcns
