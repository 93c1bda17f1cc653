// Link prediction: do held-out edges score higher than as many non-edges?
//
// The score of a pair is the inner product of its two vectors, summed in double; a node without any
// training edge counts as the zero vector, whatever the table holds. auc is the chance that a true
// pair scores above a false one, ties half; ap is the average precision sum of
// (recall - recall before) * precision over the distinct scores, as scikit-learn has it: tied pairs
// enter together. auc_warm is over the pairs whose nodes both have a training edge, and is left out
// where those are not of both kinds. Cost: one dot product per pair and a sort.
#pragma once

#include <vector>

#include "mcns/core/graph.h"
#include "mcns/eval/evaluator.h"
#include "mcns/io/dataset.h"

namespace mcns {

class LinkEvaluator : public Evaluator {
 public:
  /// `held_out` needs both true and false pairs.
  LinkEvaluator(const Graph& train, HeldOut held_out);

  Metrics evaluate(const EmbeddingView& embeddings, ThreadPool& pool) const override;
  std::string_view selection_metric() const override { return "auc"; }
  /// By Hanley and McNeil 1982.
  double standard_error(double auc) const override;

 private:
  NodeId nodes_;
  double edges_ = 0, others_ = 0;  ///< held-out pairs of either kind
  HeldOut held_out_;
  std::vector<std::uint8_t> warm_;  ///< by pair: both nodes have a training edge
};

}  // namespace mcns
