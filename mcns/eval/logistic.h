// A fast approximate solution of L2 regularised logistic regression on dense rows, to start
// LIBLINEAR from: w minimises |w|^2 / 2 + C * sum of log(1 + exp(-y_i w.x_i)).
//
// LIBLINEAR walks sparse rows in doubles, one addition after the other; on dense embeddings nearly
// all its time goes there. Here the same method - Newton steps by conjugate gradients with a
// diagonal preconditioner - runs over single-precision rows with the vector kernels. LIBLINEAR then
// checks its own stopping rule and finishes where single precision did not suffice, so what is
// reported is its solution. Cost: a few dozen passes over the rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mcns/core/matrix.h"

namespace mcns {

struct LogisticProblem {
  ConstMatrixRef rows;                   ///< padded to kRowAlign, padding zero
  std::span<const std::int32_t> chosen;  ///< the rows that are learnt from
  std::span<const double> classes;       ///< +1 or -1 for each of `chosen`
  double cost = 1.0;
  /// Ends where the gradient is this fraction of the one at zero.
  double tolerance = 1e-3;
};

/// rows.dim weights.
std::vector<double> approximate_logistic(const LogisticProblem& problem);

}  // namespace mcns
