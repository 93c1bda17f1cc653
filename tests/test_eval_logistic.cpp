// The start given to LIBLINEAR: its gradient, recomputed in doubles, must be as small as
// documented.
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "mcns/core/rng.h"
#include "mcns/eval/logistic.h"

namespace mcns {
namespace {

double gradient_norm(const LogisticProblem& problem, const std::vector<double>& weights) {
  std::vector<double> gradient = weights;
  for (std::size_t i = 0; i < problem.chosen.size(); ++i) {
    const auto x = problem.rows[problem.chosen[i]];
    const double margin = std::inner_product(x.begin(), x.end(), weights.begin(), 0.0);
    const double y = problem.classes[i], wrong = 1 / (1 + std::exp(y * margin));
    for (std::size_t k = 0; k < x.size(); ++k) gradient[k] -= problem.cost * y * wrong * x[k];
  }
  return std::sqrt(std::inner_product(gradient.begin(), gradient.end(), gradient.begin(), 0.0));
}

void expect_solved(int rows, int dim, double scale, double rate, double cost) {
  Matrix matrix(rows, dim);
  std::vector<std::int32_t> chosen;
  std::vector<double> classes;
  for (int i = 0; i < rows; ++i) {
    Rng rng(1, Domain::kTest, i, dim);
    // Coordinates of very different size, as a badly conditioned table has them.
    for (int k = 0; k < dim; ++k)
      matrix.row(i)[k] = static_cast<float>(scale * rng.normal() / (1 + k % 10));
    if (i % 3 == 0) continue;
    chosen.push_back(i);
    classes.push_back(rng.uniform() + 0.05 * matrix.row(i)[0] / scale < rate ? 1 : -1);
  }
  const LogisticProblem problem{matrix.view(), chosen, classes, cost, 1e-4};
  const auto weights = approximate_logistic(problem);
  ASSERT_EQ(weights.size(), static_cast<std::size_t>(dim));
  const double start = gradient_norm(problem, std::vector<double>(dim, 0.0));
  EXPECT_LE(gradient_norm(problem, weights), 1.1e-4 * start)
      << rows << ' ' << dim << ' ' << scale << ' ' << rate << ' ' << cost;
}

TEST(Logistic, GradientVanishes) {
  expect_solved(300, 5, 1, 0.5, 1);
  expect_solved(300, 33, 0.01, 0.5, 1);
  expect_solved(300, 16, 30, 0.1, 1);
  expect_solved(1000, 64, 1, 0.02, 10);
  expect_solved(60, 100, 5, 0.5, 100);  // separable
}

}  // namespace
}  // namespace mcns
