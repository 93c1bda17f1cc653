// What every task's evaluation looks like from the trainer and the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mcns/core/matrix.h"
#include "mcns/core/parallel.h"
#include "mcns/core/types.h"
#include "mcns/eval/metrics.h"

namespace mcns {

/// Vectors of centres and contexts: row i of either table is node i. The score of a pair is
/// dot(source[u], target[v]); both views may be the same table.
struct EmbeddingView {
  ConstMatrixRef source, target;
};

/// Figures of some of the held-out pairs: those of one group of users, or of one group of items.
struct GroupMetrics {
  std::string of;    ///< "users" or "items"
  std::string name;  ///< "cold", "1-4" and so on: training edges of the user or item
  std::int64_t users = 0, pairs = 0;
  Metrics metrics = {};
};

/// A figure of one user.
struct UserValue {
  NodeId user = 0;
  double value = 0;
  friend bool operator==(const UserValue&, const UserValue&) = default;
};

struct Evaluation {
  Metrics metrics;
  std::vector<GroupMetrics> groups;  ///< empty where the task has none
  /// Standard error of the selection metric, from the spread of what it averages; 0 where that is
  /// not known.
  double selection_error = 0;
  /// The selection metric of every user who has held-out pairs, ascending by user: what a test that
  /// is paired over users compares. Empty where the task has no users.
  std::vector<UserValue> by_user = {};
};

/// Scores embeddings on held-out data fixed at construction. Const and without hidden state: the
/// same embeddings give the same bits for any pool.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual Metrics evaluate(const EmbeddingView& embeddings, ThreadPool& pool) const = 0;
  /// All that was asked for, at the end of a run; `evaluate` has what is needed in training.
  virtual Evaluation evaluate_fully(const EmbeddingView& embeddings, ThreadPool& pool) const {
    return {evaluate(embeddings, pool), {}};
  }
  /// The metric by which early stopping and tuning choose; higher is better.
  virtual std::string_view selection_metric() const = 0;
  /// Standard error of that metric where it is `value`: epochs that differ by less are equally
  /// good. 0 where it is not known.
  virtual double standard_error(double /*value*/) const { return 0; }
};

/// Both tables have `nodes` rows and one dimension; an error says what does not fit.
void require_rows(const EmbeddingView& embeddings, std::int64_t nodes);

}  // namespace mcns
