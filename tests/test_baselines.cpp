// ALS against its definition: dense normal equations over all pairs, and the loss itself.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "mcns/baselines/als.h"
#include "mcns/core/error.h"

#include "tests/graph_support.h"

namespace mcns {
namespace {

using Dense = std::vector<std::vector<double>>;

/// Gauss-Jordan with pivots; slow and obvious.
std::vector<double> gauss(Dense a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r)
      if (std::abs(a[r][c]) > std::abs(a[pivot][c])) pivot = r;
    std::swap(a[c], a[pivot]);
    std::swap(b[c], b[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == c) continue;
      const double f = a[r][c] / a[c][c];
      for (std::size_t k = 0; k < n; ++k) a[r][k] -= f * a[c][k];
      b[r] -= f * b[c];
    }
  }
  for (std::size_t c = 0; c < n; ++c) b[c] /= a[c][c];
  return b;
}

/// Weight of every pair (u, i): 0 where there is no edge.
Dense dense_weights(const Graph& graph) {
  Dense out(graph.num_users(), std::vector<double>(graph.num_items()));
  for (NodeId u = 0; u < graph.num_users(); ++u)
    for (std::size_t n = 0; n < graph.neighbors(u).size(); ++n)
      out[u][graph.neighbors(u)[n] - graph.num_users()] =
          graph.is_weighted() ? graph.weights(u)[n] : 1.0;
  return out;
}

/// The best vector of v, over all nodes of the other side.
std::vector<double> dense_solution(const Graph& graph, const AlsOptions& o, const Matrix& vectors,
                                   NodeId v) {
  const Dense weights = dense_weights(graph);
  const bool user = v < graph.num_users();
  const NodeRange others = user ? graph.targets() : graph.sources();
  Dense a(o.dim, std::vector<double>(o.dim));
  std::vector<double> b(o.dim);
  for (NodeId w = others.begin; w < others.end; ++w) {
    const double weight =
        user ? weights[v][w - graph.num_users()] : weights[w][v - graph.num_users()];
    for (int i = 0; i < o.dim; ++i) {
      for (int j = 0; j < o.dim; ++j)
        a[i][j] += (weight + o.unobserved) * vectors.row(w)[i] * vectors.row(w)[j];
      b[i] += weight * vectors.row(w)[i];
    }
  }
  const double l2 = o.l2 * (static_cast<double>(graph.degree(v)) + o.unobserved * others.size());
  for (int i = 0; i < o.dim; ++i) a[i][i] += l2;
  return gauss(std::move(a), std::move(b));
}

TEST(Baselines, ItemsOfAlsAreTheDenseMinimum) {
  for (const bool weighted : {false, true}) {
    const Graph graph =
        random_graph(GraphKind::kBipartite, 60, 300, 5, {.kind = GraphKind::kBipartite}, weighted);
    ThreadPool pool(2);
    const AlsOptions options{7, 3, 0.2, 0.05, 9};
    const Matrix vectors = als_vectors(graph, options, pool);
    for (NodeId v = graph.num_users(); v < graph.num_nodes(); ++v) {
      const auto expected = dense_solution(graph, options, vectors, v);
      for (int i = 0; i < options.dim; ++i)
        EXPECT_NEAR(vectors.row(v)[i], expected[i], 1e-5) << v << " " << i;
    }
  }
}

TEST(Baselines, AlsFallsToAFixedPoint) {
  const Graph graph = random_graph(GraphKind::kBipartite, 80, 400, 3);
  ThreadPool pool(2);
  AlsOptions options{5, 1, 0.1, 0.02, 4};
  double before = std::numeric_limits<double>::infinity();
  for (options.rounds = 1; options.rounds < 40; ++options.rounds) {
    const double loss = als_loss(graph, options, als_vectors(graph, options, pool).view());
    EXPECT_LE(loss, before * (1 + 1e-6));
    before = loss;
  }
  // There the users, too, are their dense minimum.
  options.rounds = 3000;
  const Matrix vectors = als_vectors(graph, options, pool);
  for (NodeId u = 0; u < graph.num_users(); ++u) {
    const auto expected = dense_solution(graph, options, vectors, u);
    for (int i = 0; i < options.dim; ++i) EXPECT_NEAR(vectors.row(u)[i], expected[i], 2e-3);
  }
}

TEST(Baselines, AlsHasTheSameBitsForAnyThreads) {
  const Graph graph = random_graph(GraphKind::kBipartite, 3000, 9000, 8);
  const auto bits = [&](int threads) {
    ThreadPool pool(threads);
    return als_vectors(graph, {12, 2, 0.1, 0.01, 2}, pool);
  };
  const Matrix one = bits(1);
  for (const int threads : {2, 3, 7}) {
    const Matrix other = bits(threads);
    EXPECT_TRUE(std::equal(one.flat().begin(), one.flat().end(), other.flat().begin()));
  }
}

TEST(Baselines, PopularityIsTheDegree) {
  const Graph graph = make_graph({{0, 2}, {1, 2}, {1, 3}}, 5, {GraphKind::kBipartite, 2});
  const Matrix vectors = popularity_vectors(graph);
  EXPECT_EQ(vectors.row(0)[0] * vectors.row(2)[0], 2);
  EXPECT_EQ(vectors.row(1)[0] * vectors.row(3)[0], 1);
  EXPECT_EQ(vectors.row(1)[0] * vectors.row(4)[0], 0);
}

TEST(Baselines, AlsRefusesWhatItCannotSolve) {
  ThreadPool pool(1);
  const Graph plain = random_graph(GraphKind::kUndirected, 10, 20, 1);
  EXPECT_THROW(als_vectors(plain, {}, pool), Error);
  EXPECT_THROW(popularity_vectors(plain), Error);
  const Graph graph = random_graph(GraphKind::kBipartite, 10, 20, 1);
  EXPECT_THROW(als_vectors(graph, {4, 1, 0, 0.1, 1}, pool), Error);
  EXPECT_THROW(als_vectors(graph, {4, 1, 0.1, 0, 1}, pool), Error);
}

}  // namespace
}  // namespace mcns
