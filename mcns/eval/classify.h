// Node classification: one-vs-rest logistic regression on the embeddings, as DeepWalk does it.
//
// For each train ratio and repeat the labelled nodes are shuffled and cut; LIBLINEAR fits one L2
// regularised logistic regression per label (primal trust region, L2R_LR, with a bias term),
// started from an approximate solution (eval/logistic.h) that leaves it little to do; a test node
// is given as many labels as it truly has, those of the highest decision values. A label that no
// train node has is never preferred, one that all have always is. Micro-F1 pools the counts of all
// labels, Macro-F1 averages the F1 of every label of the label set (0 where a label is neither true
// nor predicted); both are averaged over the repeats.
//
// With a validation share the test part of every cut stays unseen: the last nodes of its train part
// are predicted from the others. What was chosen so is then tested by an evaluator without one,
// which fits on the whole train part.
//
// Cost: (sum of ratios) * repeats * labels fits, each some dozen passes over its train part; the
// nodes' sparse form that LIBLINEAR reads takes 16 bytes per coordinate. Only embeddings.source
// counts. Vectors are used as they are; `normalize` scales them to unit length first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mcns/eval/evaluator.h"
#include "mcns/io/dataset.h"

namespace mcns {

struct ClassifyOptions {
  std::vector<int> train_percents = {10, 50, 90};
  int repeats = 10;
  double cost = 1.0;        ///< LIBLINEAR's C
  double tolerance = 0.01;  ///< LIBLINEAR's eps and its default for this solver
  bool normalize = false;
  double validation = 0;   ///< share of the train part that is predicted; 0: the test part is
  std::uint64_t seed = 1;  ///< names the shuffles
};

class ClassifyEvaluator : public Evaluator {
 public:
  ClassifyEvaluator(const NodeLabels& labels, ClassifyOptions options = {});

  /// "10/micro_f1", "10/macro_f1", "50/micro_f1", …; on validation of the ratio that chooses alone.
  Metrics evaluate(const EmbeddingView& embeddings, ThreadPool& pool) const override;
  Evaluation evaluate_fully(const EmbeddingView& embeddings, ThreadPool& pool) const override;
  /// Micro-F1 of the train ratio in the middle.
  std::string_view selection_metric() const override { return selection_metric_; }

 private:
  /// One shuffle, cut: the first `train` entries of `order` are learnt from, those from there to
  /// `end` are predicted.
  struct Split {
    std::vector<std::int32_t> order;  ///< positions in nodes_
    std::int64_t train = 0, end = 0;
    int percent = 0;
  };
  struct Scores {
    double micro_f1 = 0, macro_f1 = 0;
  };

  Metrics evaluate_ratios(std::span<const int> percents, const EmbeddingView& embeddings,
                          ThreadPool& pool) const;
  int middle_ratio() const { return options_.train_percents[options_.train_percents.size() / 2]; }
  Split make_split(int percent, int repeat) const;
  std::span<const std::int32_t> labels_of(std::int64_t position) const;
  /// Weights and bias of one label.
  std::vector<double> fit(const class FeatureRows& features, const Split& split,
                          std::int32_t label) const;
  Scores score(const ConstMatrixRef& vectors, const Split& split,
               std::span<const std::vector<double>> weights) const;

  ClassifyOptions options_;
  std::string selection_metric_;
  std::vector<NodeId> nodes_;  ///< labelled, ascending
  std::vector<std::int64_t> offsets_;
  std::vector<std::int32_t> labels_;  ///< those of nodes_[i] in [offsets_[i], offsets_[i + 1])
  std::int32_t num_labels_ = 0;
};

}  // namespace mcns
