// Scores a saved model, or any tool's vectors in the same files, by the evaluators of the tasks.
#pragma once

#include <cstdint>
#include <string>

#include "mcns/core/task.h"
#include "mcns/eval/evaluator.h"
#include "mcns/io/dataset.h"
#include "mcns/io/model_directory.h"

namespace mcns {

struct EvaluateOptions {
  std::string model;  ///< model directory, or a file of vectors as of load_vectors
  Task task = Task::kRecommend;
  std::string nodes;  ///< ids of the rows, where `model` is a file of vectors; may be empty
  std::string train, valid, test, labels;
  LoadOptions load;    ///< of all files of pairs
  std::string scores;  ///< in-in or in-out; empty: as in the run, else as usual for the task
  std::int64_t candidates = 0;
  std::string metrics = {};  ///< of recommend, beside the usual ones: "ndcg@20,auc"
  std::uint64_t seed = 1;
};

/// Pairs of a file as rows of the model; a name the model does not know is an error that says so.
HeldOut read_pairs(const std::string& path, const LoadedModel& model, bool labels,
                   const LoadOptions& load, ThreadPool& pool);

Evaluation evaluate_model(const EvaluateOptions& options, ThreadPool& pool);

}  // namespace mcns
