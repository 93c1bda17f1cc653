#include "mcns/model/fold_in.h"

#include <cmath>
#include <vector>

#include "mcns/core/error.h"

namespace mcns {
namespace {

constexpr NodeId kMostUsers = 20000;  // far more than the unknowns of the map need
constexpr double kPull = 1e-3;        // to the identity, of the mean square of a coordinate

using Vector = std::vector<double>;

/// The mean of the rows, and a 1 for the constant term.
Vector mean_of(ConstMatrixRef table, std::span<const NodeId> rows) {
  Vector out(table.dim + 1, 0.0);
  for (const NodeId row : rows)
    for (int d = 0; d < table.dim; ++d) out[d] += table.row(row)[d];
  for (int d = 0; d < table.dim; ++d) out[d] /= static_cast<double>(rows.size());
  out[table.dim] = 1;
  return out;
}

/// Symmetric, positive definite; solve(b) by Cholesky's method.
class Normal {
 public:
  explicit Normal(int size) : size_(size), values_(std::size_t(size) * size, 0.0) {}
  double& at(int i, int j) { return values_[std::size_t(i) * size_ + j]; }

  void add(const Vector& x) {
    for (int i = 0; i < size_; ++i)
      for (int j = 0; j <= i; ++j) at(i, j) += x[i] * x[j];
  }
  void factor() {
    for (int i = 0; i < size_; ++i)
      for (int j = 0; j <= i; ++j) {
        double sum = at(i, j);
        for (int k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
        at(i, j) = i == j ? std::sqrt(sum) : sum / at(j, j);
      }
  }
  Vector solve(Vector b) {
    for (int i = 0; i < size_; ++i) {
      for (int k = 0; k < i; ++k) b[i] -= at(i, k) * b[k];
      b[i] /= at(i, i);
    }
    for (int i = size_ - 1; i >= 0; --i) {
      for (int k = i + 1; k < size_; ++k) b[i] -= at(k, i) * b[k];
      b[i] /= at(i, i);
    }
    return b;
  }

 private:
  int size_;
  Vector values_;
};

}  // namespace

Matrix fold_in(const EmbeddingView& tables, const Graph& graph, std::span<const NodeId> items) {
  require(!items.empty(), "somebody new needs at least one item");
  const int dim = tables.source.dim;
  Normal normal(dim + 1);
  // What is fitted is the rest u - mean(items of u), so that a pull to zero is one to the identity.
  std::vector<Vector> right(dim, Vector(dim + 1, 0.0));
  const NodeRange sources = graph.sources();
  const NodeId step = sources.size() / kMostUsers + 1;
  for (NodeId u = sources.begin; u < sources.end; u += step) {
    if (graph.degree(u) == 0) continue;
    const Vector mean = mean_of(tables.target, graph.neighbors(u));
    normal.add(mean);
    for (int d = 0; d < dim; ++d) {
      const double rest = tables.source.row(u)[d] - mean[d];
      for (int i = 0; i <= dim; ++i) right[d][i] += rest * mean[i];
    }
  }
  double trace = 0;
  for (int d = 0; d < dim; ++d) trace += normal.at(d, d);
  for (int d = 0; d <= dim; ++d) normal.at(d, d) += kPull * trace / dim + 1e-12;
  normal.factor();
  const Vector mean = normal.solve(mean_of(tables.target, items));
  const Vector plain = mean_of(tables.target, items);
  Matrix out(1, dim);
  for (int d = 0; d < dim; ++d) {
    double sum = plain[d];
    for (int i = 0; i <= dim; ++i) sum += mean[i] * right[d][i];
    out.row(0)[d] = static_cast<float>(sum);
  }
  return out;
}

}  // namespace mcns
