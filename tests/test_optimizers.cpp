// Optimizers: steps against their closed forms, rows that are not touched.
#include <cmath>

#include <gtest/gtest.h>

#include "mcns/core/matrix.h"
#include "mcns/optim/optimizers.h"
#include "mcns/optim/registry.h"

#include "tests/test_io_files.h"

namespace mcns {
namespace {

constexpr int kDim = 16;

/// `steps` steps with the same gradient from w = 1; the state starts at zero.
float after(const std::string& name, int steps, float gradient, float lr = 0.1F) {
  const Optimizer optimizer = make_optimizer(name);
  Matrix w(1, kDim), g(1, kDim), state(1, kDim * std::max(1, slots_of(optimizer)));
  for (float& x : w.flat()) x = 1;
  for (float& x : g.flat()) x = gradient;
  for (int t = 1; t <= steps; ++t)
    std::visit(
        [&](const auto& o) {
          RowUpdate(o, {lr, t})(w.row(0), g.row(0), state.row(0), kDim);
        },
        optimizer);
  for (const float x : w.flat()) EXPECT_EQ(x, w.row(0)[0]);
  return w.row(0)[0];
}

TEST(Optimizers, SgdMovesByTheGradient) {
  EXPECT_NEAR(after("sgd", 1, 0.5F), 0.95, 1e-6);
  EXPECT_NEAR(after("sgd", 7, -2.0F), 1 + 7 * 0.2, 1e-5);
}

TEST(Optimizers, AdagradDividesByTheRootOfTheSum) {
  for (const float gradient : {0.5F, -3.0F, 1e-3F}) {
    double expected = 1;
    for (int t = 1; t <= 5; ++t) expected -= 0.1 * std::copysign(1 / std::sqrt(t), gradient);
    EXPECT_NEAR(after("adagrad", 5, gradient), expected, 1e-4);
  }
}

/// With a constant gradient both corrected moments are constant: every step is lr * sign.
TEST(Optimizers, AdamMovesByTheLearningRate) {
  for (const float gradient : {0.5F, -3.0F, 1e-3F})
    for (const int steps : {1, 2, 10, 100})
      EXPECT_NEAR(after("adam", steps, gradient), 1 - 0.1 * std::copysign(steps, gradient), 1e-3);
}

TEST(Optimizers, AdamFollowsTheSlowFormula) {
  const Optimizer optimizer = make_optimizer("adam");
  Matrix w(1, kDim), g(1, kDim), state(1, 2 * kDim);
  double reference = 0, first = 0, second = 0;
  for (int t = 1; t <= 50; ++t) {
    const float gradient = std::sin(0.7F * static_cast<float>(t));
    for (float& x : g.flat()) x = gradient;
    std::visit(
        [&](const auto& o) {
          RowUpdate(o, {0.01F, t})(w.row(0), g.row(0), state.row(0), kDim);
        },
        optimizer);
    first = 0.9 * first + 0.1 * gradient;
    second = 0.999 * second + 0.001 * double{gradient} * gradient;
    reference -= 0.01 * (first / (1 - std::pow(0.9, t))) /
                 (std::sqrt(second / (1 - std::pow(0.999, t))) + 1e-8);
    ASSERT_NEAR(w.row(0)[0], reference, 1e-5) << "step " << t;
  }
}

TEST(Optimizers, NoGradientFromZeroStateMovesNothing) {
  for (const auto& info : builtin_optimizers()) EXPECT_EQ(after(info.name, 3, 0.0F), 1.0F);
}

TEST(Optimizers, SlotsAndNames) {
  EXPECT_EQ(slots_of(make_optimizer("sgd")), 0);
  EXPECT_EQ(slots_of(make_optimizer("adagrad")), 1);
  EXPECT_EQ(slots_of(make_optimizer("adam")), 2);
  EXPECT_TRUE(contains(error_of(ErrorKind::kUsage, [] { make_optimizer("adan"); }),
                       "known: sgd, adagrad, adam"));
}

}  // namespace
}  // namespace mcns
