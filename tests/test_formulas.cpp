// The formulas of losses and optimizers without the CPU's kernels: compiled alone, they give what
// the library gives.
#include <gtest/gtest.h>

#include "mcns/core/matrix.h"
#include "mcns/losses/registry.h"
#include "mcns/optim/registry.h"

namespace mcns {
float losses_alone(float* s, float margin, int n);
float optimizers_alone(float w, float g, float lr);

namespace {

TEST(Formulas, LossesAloneAreThoseOfTheLibrary) {
  constexpr int kScores = 5;
  const float scores[kScores] = {0.3F, -1.2F, 0.8F, 2.5F, 0.0F};
  for (const float margin : {0.0F, 0.7F}) {
    std::vector<float> alone(scores, scores + kScores), last;
    double expected = 0;
    for (const std::string name : {"bpr", "hinge", "logistic", "softmax"}) {
      last.assign(scores, scores + kScores);
      expected += std::visit(
          [&](const auto& loss) { return loss_of_pair(loss, last.data(), nullptr, kScores); },
          make_loss(name, margin));
    }
    EXPECT_NEAR(losses_alone(alone.data(), margin, kScores), expected, 1e-6 * expected);
    for (int i = 0; i < kScores; ++i) EXPECT_NEAR(alone[i], last[i], 1e-6);
  }
}

TEST(Formulas, OptimizersAloneAreThoseOfTheLibrary) {
  double expected = 0;
  for (const auto& info : builtin_optimizers()) {
    Matrix w(1, 16), g(1, 16), state(2, 16);
    for (float& x : w.flat()) x = 0.5F;
    for (float& x : g.flat()) x = -0.25F;
    std::visit(
        [&](const auto& o) {
          RowUpdate(o, {0.1F, 1})(w.row(0), g.row(0), state.row(0), 16);
        },
        info.optimizer);
    expected += w.row(0)[0];
  }
  EXPECT_NEAR(optimizers_alone(0.5F, -0.25F, 0.1F), expected, 1e-6);
}

}  // namespace
}  // namespace mcns
