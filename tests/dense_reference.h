// The graph neural encoders again, slow and obvious: dense matrices of doubles, one loop per symbol
// of the papers' equations. Shares no code with the library but the graph and the names of
// parameters.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mcns/core/graph.h"
#include "mcns/core/matrix.h"

namespace mcns::testing {

struct Dense {
  int rows = 0, columns = 0;
  std::vector<double> values;
  Dense() = default;
  Dense(int r, int c) : rows(r), columns(c), values(static_cast<std::size_t>(r) * c, 0.0) {}
  double& operator()(int i, int j) { return values[static_cast<std::size_t>(i) * columns + j]; }
  double operator()(int i, int j) const {
    return values[static_cast<std::size_t>(i) * columns + j];
  }
};

inline Dense operator*(const Dense& a, const Dense& b) {
  Dense c(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < b.columns; ++j)
      for (int k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
}

inline Dense to_dense(const Matrix& m) {
  Dense out(static_cast<int>(m.rows()), m.dim());
  for (int i = 0; i < out.rows; ++i)
    for (int j = 0; j < out.columns; ++j) out(i, j) = m.row(i)[j];
  return out;
}

using DenseParameters = std::map<std::string, Dense>;

/// Weights of the undirected view; `loops` on the diagonal.
inline Dense adjacency_matrix(const Graph& graph, double loops) {
  const int n = graph.num_nodes();
  Dense a(n, n);
  for (NodeId v = 0; v < n; ++v)
    for (std::size_t j = 0; j < graph.neighbors(v).size(); ++j) {
      const NodeId u = graph.neighbors(v)[j];
      const double w = graph.is_weighted() ? graph.weights(v)[j] : 1.0;
      a(v, u) += w;
      if (graph.is_directed()) a(u, v) += w;
    }
  for (int v = 0; v < n; ++v) a(v, v) += loops;
  return a;
}

inline std::vector<double> row_sums(const Dense& a) {
  std::vector<double> out(a.rows, 0.0);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j) out[i] += a(i, j);
  return out;
}

inline Dense symmetric(Dense a) {
  const auto d = row_sums(a);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j)
      if (a(i, j) != 0) a(i, j) /= std::sqrt(d[i] * d[j]);
  return a;
}

inline Dense row_mean(Dense a) {
  const auto d = row_sums(a);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j)
      if (a(i, j) != 0) a(i, j) /= d[i];
  return a;
}

inline Dense normalized_rows(Dense h) {
  for (int i = 0; i < h.rows; ++i) {
    double square = 0;
    for (int j = 0; j < h.columns; ++j) square += h(i, j) * h(i, j);
    for (int j = 0; j < h.columns && square > 0; ++j) h(i, j) /= std::sqrt(square);
  }
  return h;
}

/// Convolutions with one aggregation matrix a layer; self weights where the parameters have them.
inline Dense convolve(Dense h, const std::vector<Dense>& aggregate, const DenseParameters& p,
                      bool residual = false) {
  for (std::size_t l = 1; l <= aggregate.size(); ++l) {
    const std::string name = "layer" + std::to_string(l);
    const Dense neighbors = (aggregate[l - 1] * h) * p.at(name + ".weights");
    Dense next = neighbors;
    if (const auto self = p.find(name + ".self_weights"); self != p.end()) {
      const Dense own = h * self->second;
      next = Dense(h.rows, own.columns + neighbors.columns);
      for (int i = 0; i < h.rows; ++i) {
        for (int j = 0; j < own.columns; ++j) next(i, j) = own(i, j);
        for (int j = 0; j < neighbors.columns; ++j) next(i, own.columns + j) = neighbors(i, j);
      }
    }
    if (l < aggregate.size())
      for (double& x : next.values) x = x > 0 ? x : 0.0;
    if (residual)
      for (std::size_t i = 0; i < next.values.size(); ++i) next.values[i] += h.values[i];
    h = next;
  }
  return h;
}

/// Mean of the powers 0..layers of `s` applied to `e`.
inline Dense mean_of_powers(const Dense& s, const Dense& e, int layers) {
  Dense power = e, sum = e;
  for (int k = 1; k <= layers; ++k) {
    power = s * power;
    for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += power.values[i];
  }
  for (double& x : sum.values) x /= layers + 1;
  return sum;
}

/// Central differences of `f` at every parameter.
inline DenseParameters numeric_gradient(DenseParameters p,
                                        const std::function<double(const DenseParameters&)>& f) {
  constexpr double kStep = 1e-6;
  DenseParameters gradient = p;
  for (auto& [name, matrix] : p)
    for (std::size_t i = 0; i < matrix.values.size(); ++i) {
      const double at = matrix.values[i];
      matrix.values[i] = at + kStep;
      const double up = f(p);
      matrix.values[i] = at - kStep;
      const double down = f(p);
      matrix.values[i] = at;
      gradient.at(name).values[i] = (up - down) / (2 * kStep);
    }
  return gradient;
}

}  // namespace mcns::testing
