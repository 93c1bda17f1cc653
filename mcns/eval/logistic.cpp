#include "mcns/eval/logistic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mcns/core/kernels.h"

namespace mcns {
namespace {

using Vector = std::vector<double>;

constexpr int kMaxNewtonSteps = 30, kMaxConjugateSteps = 500, kMaxHalvings = 20;
constexpr double kConjugateTolerance = 0.1;  // as LIBLINEAR's
constexpr double kSufficientDecrease = 1e-4;

double inner(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

class Solver {
 public:
  explicit Solver(const LogisticProblem& problem)
      : problem_(problem),
        stride_(problem.rows.stride),
        buffer_(2, problem.rows.stride),
        margins_(problem.chosen.size(), 0.0),
        curvatures_(problem.chosen.size()) {}

  Vector solve() {
    Vector weights(stride_, 0.0);
    double start_norm = 0;
    for (int step = 0; step < kMaxNewtonSteps; ++step) {
      const Vector gradient = differentiate(weights);
      const double norm = std::sqrt(inner(gradient, gradient));
      if (step == 0) start_norm = norm;
      if (norm <= problem_.tolerance * start_norm) break;
      if (!descend(weights, gradient, newton_direction(gradient))) break;
    }
    weights.resize(problem_.rows.dim);
    return weights;
  }

 private:
  const float* row(std::size_t i) const { return problem_.rows.row(problem_.chosen[i]); }

  /// Calls add(i, sum) for each row and adds the sums to out. They are in single precision, and so
  /// only run over a few rows.
  template <class Add>
  void accumulate(const Add& add, Vector& out) {
    constexpr std::size_t kRun = 64;
    float* sum = buffer_.row(1);
    for (std::size_t begin = 0; begin < margins_.size(); begin += kRun) {
      std::fill_n(sum, stride_, 0.0F);
      for (std::size_t i = begin; i < std::min(begin + kRun, margins_.size()); ++i) add(i, sum);
      for (int k = 0; k < stride_; ++k) out[k] += sum[k];
    }
  }

  /// The gradient at `weights`, whose margins are known; keeps curvatures and preconditioner.
  Vector differentiate(const Vector& weights) {
    Vector gradient = weights;
    accumulate(
        [&](std::size_t i, float* sum) {
          const double y = problem_.classes[i];
          const double wrong = 1.0 / (1.0 + std::exp(y * margins_[i]));
          curvatures_[i] = problem_.cost * wrong * (1.0 - wrong);
          kernels_.axpy(sum, static_cast<float>(-problem_.cost * y * wrong), row(i), stride_);
        },
        gradient);
    diagonal_.assign(stride_, 1.0);
    accumulate(
        [&](std::size_t i, float* sum) {
          const float* x = row(i);
          const auto curvature = static_cast<float>(curvatures_[i]);
          for (int k = 0; k < stride_; ++k) sum[k] += curvature * x[k] * x[k];
        },
        diagonal_);
    return gradient;
  }

  /// The vector in single precision, valid until the next call.
  const float* narrowed(const Vector& vector) {
    std::ranges::copy(vector, buffer_.row(0));
    return buffer_.row(0);
  }

  Vector times_hessian(const Vector& vector) {
    Vector out = vector;
    const float* narrow = narrowed(vector);
    accumulate(
        [&](std::size_t i, float* sum) {
          const double image = curvatures_[i] * kernels_.dot(narrow, row(i), stride_);
          kernels_.axpy(sum, static_cast<float>(image), row(i), stride_);
        },
        out);
    return out;
  }

  Vector precondition(const Vector& residual) const {
    Vector out(residual.size());
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = residual[k] / diagonal_[k];
    return out;
  }

  /// Conjugate gradients on H s = -g.
  Vector newton_direction(const Vector& gradient) {
    Vector direction(stride_, 0.0), residual(stride_);
    for (int k = 0; k < stride_; ++k) residual[k] = -gradient[k];
    Vector scaled = precondition(residual), search = scaled;
    double energy = inner(residual, scaled);
    const double goal = kConjugateTolerance * kConjugateTolerance * energy;
    for (int step = 0; step < kMaxConjugateSteps && energy > goal; ++step) {
      const Vector image = times_hessian(search);
      const double length = energy / inner(search, image);
      for (int k = 0; k < stride_; ++k) {
        direction[k] += length * search[k];
        residual[k] -= length * image[k];
      }
      scaled = precondition(residual);
      const double next = inner(residual, scaled);
      for (int k = 0; k < stride_; ++k) search[k] = scaled[k] + next / energy * search[k];
      energy = next;
    }
    return direction;
  }

  double loss(const Vector& weights, const std::vector<double>& change, double length) const {
    double sum = 0.5 * inner(weights, weights);
    for (std::size_t i = 0; i < margins_.size(); ++i) {
      const double margin = problem_.classes[i] * (margins_[i] + length * change[i]);
      sum += problem_.cost * (std::log1p(std::exp(-std::abs(margin))) - std::min(margin, 0.0));
    }
    return sum;
  }

  /// Moves `weights` along `direction`, halving the step until the loss falls enough.
  bool descend(Vector& weights, const Vector& gradient, const Vector& direction) {
    std::vector<double> change(margins_.size());
    const float* narrow = narrowed(direction);
    for (std::size_t i = 0; i < margins_.size(); ++i)
      change[i] = kernels_.dot(narrow, row(i), stride_);
    const double before = loss(weights, change, 0.0), slope = inner(gradient, direction);
    double length = 1.0;
    for (int halving = 0; halving < kMaxHalvings; ++halving, length /= 2) {
      Vector moved = weights;
      for (int k = 0; k < stride_; ++k) moved[k] += length * direction[k];
      if (loss(moved, change, length) > before + kSufficientDecrease * length * slope) continue;
      weights = std::move(moved);
      for (std::size_t i = 0; i < margins_.size(); ++i) margins_[i] += length * change[i];
      return true;
    }
    return false;
  }

  const LogisticProblem& problem_;
  const Kernels& kernels_ = kernels();
  int stride_;
  Matrix buffer_;  ///< a vector in single precision, a running sum
  std::vector<double> margins_, curvatures_;
  Vector diagonal_;
};

}  // namespace

std::vector<double> approximate_logistic(const LogisticProblem& problem) {
  return Solver(problem).solve();
}

}  // namespace mcns
