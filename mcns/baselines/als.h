// Matrix factorisation of implicit feedback by alternating least squares (Hu, Koren and Volinsky
// 2008), in the form and with the scaled regularisation of Rendle et al. 2021, "Revisiting the
// performance of iALS": what any sampler has to be compared with.
//
//   sum over pairs of the graph  w (1 - x_u y_i)^2  +  unobserved * sum over all (x_u y_i)^2
//     + l2 * sum over nodes of (degree + unobserved * nodes of the other side) |vector|^2
//
// Every vector is the exact minimum, the others being fixed: a Cholesky solution in double. A row
// is one thread's, and the sums over all rows are made in fixed tiles: the same bits for any number
// of threads. Cost of a round: edges * dim^2 + nodes * dim^3 / 3.
#pragma once

#include "mcns/core/graph.h"
#include "mcns/core/matrix.h"

namespace mcns {

struct AlsOptions {
  int dim = 64;
  int rounds = 15;
  double unobserved = 0.1;  ///< weight of a pair that is not in the graph
  double l2 = 0.01;
  std::uint64_t seed = 1;
};

/// Rows are nodes of a user-item graph. The score of a pair is the product of its two rows.
Matrix als_vectors(const Graph& graph, const AlsOptions& options, ThreadPool& pool);

/// What is minimised, for vectors as above.
double als_loss(const Graph& graph, const AlsOptions& options, ConstMatrixRef vectors);

/// The same score for every user: the degree of the item. One dimension.
Matrix popularity_vectors(const Graph& graph);

}  // namespace mcns
