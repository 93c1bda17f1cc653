#include "mcns/baselines/als.h"

#include <cmath>
#include <vector>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"

namespace mcns {
namespace {

/// A symmetric matrix of dim x dim; the lower triangle counts.
using Square = std::vector<double>;

void add_outer(const float* row, double weight, int dim, Square& out) {
  for (int i = 0; i < dim; ++i) {
    const double scaled = weight * row[i];
    double* line = out.data() + static_cast<std::size_t>(i) * dim;
    for (int j = 0; j <= i; ++j) line[j] += scaled * row[j];
  }
}

/// The sum of v v^T over rows: tiles by any thread, then added in their order.
Square gram(ConstMatrixRef vectors, NodeRange rows, ThreadPool& pool) {
  constexpr NodeId kTile = 512;
  const int dim = vectors.dim;
  const NodeId tiles = (rows.size() + kTile - 1) / kTile;
  std::vector<Square> parts(tiles);
  pool.run(tiles, [&](std::int64_t t) {
    parts[t].assign(static_cast<std::size_t>(dim) * dim, 0.0);
    const NodeId end = std::min<NodeId>(rows.end, rows.begin + (t + 1) * kTile);
    for (NodeId v = rows.begin + t * kTile; v < end; ++v)
      add_outer(vectors.row(v), 1, dim, parts[t]);
  });
  Square out(static_cast<std::size_t>(dim) * dim, 0.0);
  for (const Square& part : parts)
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += part[i];
  return out;
}

/// Solves a x = b for a positive definite `a` (lower triangle, overwritten by its factor).
void solve(Square& a, std::vector<double>& b, int dim) {
  for (int i = 0; i < dim; ++i) {
    double* row_i = a.data() + static_cast<std::size_t>(i) * dim;
    for (int j = 0; j <= i; ++j) {
      const double* row_j = a.data() + static_cast<std::size_t>(j) * dim;
      double sum = row_i[j];
      for (int k = 0; k < j; ++k) sum -= row_i[k] * row_j[k];
      row_i[j] = i == j ? std::sqrt(sum) : sum / row_j[j];
    }
  }
  for (int i = 0; i < dim; ++i) {
    const double* row = a.data() + static_cast<std::size_t>(i) * dim;
    for (int k = 0; k < i; ++k) b[i] -= row[k] * b[k];
    b[i] /= row[i];
  }
  for (int i = dim - 1; i >= 0; --i) {
    for (int k = i + 1; k < dim; ++k) b[i] -= a[static_cast<std::size_t>(k) * dim + i] * b[k];
    b[i] /= a[static_cast<std::size_t>(i) * dim + i];
  }
}

double regularization(const Graph& graph, const AlsOptions& o, NodeId v, NodeId others) {
  return o.l2 * (static_cast<double>(graph.degree(v)) + o.unobserved * others);
}

/// The vectors of one side, those of the other being fixed.
void solve_side(const Graph& graph, const AlsOptions& o, NodeRange side, NodeRange other,
                MatrixRef vectors, ThreadPool& pool) {
  const int dim = o.dim;
  Square common = gram(vectors, other, pool);
  for (double& value : common) value *= o.unobserved;
  pool.for_ranges(side.size(), 16, [&](std::int64_t begin, std::int64_t end) {
    Square a;
    std::vector<double> b(dim);
    for (NodeId v = side.begin + begin; v < side.begin + end; ++v) {
      a = common;
      std::ranges::fill(b, 0.0);
      const auto neighbors = graph.neighbors(v);
      const auto weights = graph.weights(v);
      for (std::size_t n = 0; n < neighbors.size(); ++n) {
        const float* row = vectors.row(neighbors[n]);
        const double weight = weights.empty() ? 1.0 : weights[n];
        add_outer(row, weight, dim, a);
        for (int i = 0; i < dim; ++i) b[i] += weight * row[i];
      }
      const double l2 = regularization(graph, o, v, other.size());
      for (int i = 0; i < dim; ++i) a[static_cast<std::size_t>(i) * dim + i] += l2;
      solve(a, b, dim);
      for (int i = 0; i < dim; ++i) vectors.row(v)[i] = static_cast<float>(b[i]);
    }
  });
}

double dot(const float* a, const float* b, int dim) {
  double sum = 0;
  for (int i = 0; i < dim; ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

void check(const Graph& graph, const AlsOptions& o) {
  require(graph.is_bipartite(), "als needs a user-item graph");
  require(o.dim >= 1 && o.rounds >= 1, "als needs dim and rounds of at least 1, got {} and {}",
          o.dim, o.rounds);
  require(o.unobserved > 0 && o.l2 > 0,
          "als needs a weight of unobserved pairs and an l2 above 0, got {} and {}", o.unobserved,
          o.l2);
}

}  // namespace

Matrix als_vectors(const Graph& graph, const AlsOptions& options, ThreadPool& pool) {
  check(graph, options);
  Matrix out(graph.num_nodes(), options.dim);
  const double scale = 0.1 / std::sqrt(static_cast<double>(options.dim));
  for (NodeId v = 0; v < graph.num_nodes(); ++v) {
    Rng rng(options.seed, Domain::kInit, static_cast<std::uint64_t>(v));
    for (int i = 0; i < options.dim; ++i)
      out.row(v)[i] = static_cast<float>(scale * (2 * rng.uniform() - 1) * std::sqrt(3.0));
  }
  for (int round = 0; round < options.rounds; ++round) {
    solve_side(graph, options, graph.sources(), graph.targets(), out.view(), pool);
    solve_side(graph, options, graph.targets(), graph.sources(), out.view(), pool);
  }
  return out;
}

double als_loss(const Graph& graph, const AlsOptions& o, ConstMatrixRef vectors) {
  const NodeRange users = graph.sources(), items = graph.targets();
  double loss = 0;
  for (NodeId u = users.begin; u < users.end; ++u) {
    const auto neighbors = graph.neighbors(u);
    const auto weights = graph.weights(u);
    for (std::size_t n = 0; n < neighbors.size(); ++n) {
      const double gap = 1 - dot(vectors.row(u), vectors.row(neighbors[n]), o.dim);
      loss += (weights.empty() ? 1.0 : weights[n]) * gap * gap;
    }
    for (NodeId i = items.begin; i < items.end; ++i) {
      const double score = dot(vectors.row(u), vectors.row(i), o.dim);
      loss += o.unobserved * score * score;
    }
  }
  for (NodeId v = 0; v < graph.num_nodes(); ++v)
    loss += regularization(graph, o, v, users.contains(v) ? items.size() : users.size()) *
            dot(vectors.row(v), vectors.row(v), o.dim);
  return loss;
}

Matrix popularity_vectors(const Graph& graph) {
  require(graph.is_bipartite(), "popularity needs a user-item graph");
  Matrix out(graph.num_nodes(), 1);
  for (NodeId v = 0; v < graph.num_nodes(); ++v)
    out.row(v)[0] = graph.sources().contains(v) ? 1.0F : static_cast<float>(graph.degree(v));
  return out;
}

}  // namespace mcns
