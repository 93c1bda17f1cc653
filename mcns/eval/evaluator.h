// What every task's evaluation looks like from the trainer and the command line.
#pragma once

#include <string_view>

#include "mcns/core/matrix.h"
#include "mcns/core/parallel.h"
#include "mcns/eval/metrics.h"

namespace mcns {

/// Vectors of centres and contexts: row i of either table is node i. The score of a pair is
/// dot(source[u], target[v]); both views may be the same table.
struct EmbeddingView {
  ConstMatrixRef source, target;
};

/// Scores embeddings on held-out data fixed at construction. Const and without hidden state: the
/// same embeddings give the same bits for any pool.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual Metrics evaluate(const EmbeddingView& embeddings, ThreadPool& pool) const = 0;
  /// The metric by which early stopping and tuning choose; higher is better.
  virtual std::string_view selection_metric() const = 0;
  /// Standard error of that metric where it is `value`: epochs that differ by less are equally
  /// good. 0 where it is not known.
  virtual double standard_error(double /*value*/) const { return 0; }
};

/// Both tables have `nodes` rows and one dimension; an error says what does not fit.
void require_rows(const EmbeddingView& embeddings, std::int64_t nodes);

}  // namespace mcns
