// Which tables of a saved model are multiplied for the score of a pair.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mcns/eval/evaluator.h"
#include "mcns/io/model_directory.h"

namespace mcns {

/// in-in or in-out as in the run that made the model in folder `path`; empty where its run.json
/// does not say.
std::string saved_scores(const LoadedModel& model, const std::string& path);

/// The tables for "in-in" or "in-out"; a model with one table has the same on both sides.
EmbeddingView score_tables(const LoadedModel& model, const std::string& scores);

/// As in the run that made the model, else in-out: what recommend and score multiply.
EmbeddingView saved_score_tables(const LoadedModel& model, const std::string& path);

/// The table without what is no direction: the popularity in the last coordinate, where the run had
/// one, is 0.
Matrix directions(const LoadedModel& model, ConstMatrixRef table);

/// Scores of pairs of rows, with the same bits as in lists of the best.
std::vector<float> score_pairs(const EmbeddingView& tables, std::span<const Pair> pairs,
                               ThreadPool& pool);

}  // namespace mcns
